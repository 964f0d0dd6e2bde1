// Indexes the folder beside this file, asks a question, and checks what came back.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine, parseSource, presetSettings } from 'footnote-docs';

const folder = await mkdtemp(join(tmpdir(), 'footnote-example-'));
const engine = await createEngine({ folder, settings: presetSettings('default') });
try {
  const report = await engine.ingest({ sources: [parseSource('handbook', { cwd: import.meta.dirname })] });
  assert.equal(report.documents, 2);

  const { hits } = await engine.search({ query: 'roll back a release', top: 1 });
  assert.equal(hits[0]?.chunk.path, 'deploy.md');

  const answer = await engine.ask({ question: 'How do I roll back a release?' });
  assert.equal(answer.outcome, 'answered');
  const [citation] = answer.citations;
  const document = await engine.document(citation.documentId);
  assert.equal(document.text.slice(citation.span.start, citation.span.end), citation.quote);
  console.log(`${answer.text}\n${citation.path}:${citation.lines.start}: ${citation.quote}`);
} finally {
  await engine.close();
  await rm(folder, { recursive: true });
}
