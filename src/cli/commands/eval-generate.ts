/** `eval generate`: drafts labelled questions from the indexed documents. */
import { stat } from 'node:fs/promises';
import { RagError } from '../../core/errors.ts';
import type { Document } from '../../core/types.ts';
import type { Engine } from '../../engine.ts';
import { generateByRules, type Generated } from '../../evaluation/generate/by-rules.ts';
import { prepareFile } from '../prepare-file.ts';
import type { GlobalOptions } from '../options.ts';
import { counted, note, writeJson } from '../output.ts';
import { openSession, withEngine } from '../session.ts';

interface GenerateCommandOptions extends GlobalOptions, Partial<Record<(typeof OF_EVAL)[number], unknown>> {
  readonly out?: string;
  readonly count: number;
  readonly seed: number;
  readonly generator?: string;
}

/** Options of `eval` that are read here too, and mean nothing. */
const OF_EVAL = ['html', 'vary', 'gate', 'perQuestion'] as const;

/** Exit code 1: the documents gave no question. */
export async function generateCommand(options: GenerateCommandOptions): Promise<number> {
  const { out, count, seed, generator } = options;
  const other = OF_EVAL.find((name) => options[name] !== undefined);
  if (other !== undefined) {
    const flag = other === 'perQuestion' ? 'per-question' : other;
    throw new RagError('setting-invalid', `eval generate measures nothing, so it has no --${flag}`, {
      hint: `first footnote eval generate --out FILE, then footnote eval FILE --${flag}`,
    });
  }
  if (generator !== undefined) {
    throw new RagError('not-available', `this version has no generator that writes questions, so no ${generator}`, {
      hint: 'leave --generator out: questions are then made by rules',
    });
  }
  const write = out === undefined ? undefined : await newFile(out);
  const session = await openSession(options, { index: true });
  const generated = await withEngine(session, (engine) => generateByRules(allDocuments(engine), { count, seed }));
  const { file } = generated;
  const found = file.queries.length > 0;
  // `eval` refuses a file without questions: there is none then.
  if (found) await write?.(`${JSON.stringify(file, null, 2)}\n`);
  if (write === undefined || options.json === true) await writeJson(file);
  note(summary(generated, count));
  if (found && out !== undefined) note(`read them, correct them, then: footnote eval ${out}`);
  return found ? 0 : 1;
}

/** Drafts are corrected by hand: a file that is there is never written over. */
async function newFile(path: string): Promise<(text: string) => Promise<void>> {
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    throw new RagError('storage-failed', `${path} is there already`, {
      hint: 'name another file, or remove it: its questions may have been corrected by hand',
    });
  }
  return prepareFile(path);
}

async function* allDocuments(engine: Engine): AsyncGenerator<Document> {
  for (const { id } of await engine.documents()) {
    const document = await engine.document(id);
    if (document !== undefined) yield document;
  }
}

function summary({ file, documents, used, left }: Generated, count: number): string {
  const made = `${counted(file.queries.length, 'question')} from ${used} of ${counted(documents, 'document')}`;
  const reasons = Object.entries(left).flatMap(([reason, times]) => (times > 0 ? [`${reason} ${times}`] : []));
  const short = file.queries.length < count ? ` (${count} wanted)` : '';
  return `${made}${short}${reasons.length > 0 ? `; left out: ${reasons.join(', ')}` : ''}`;
}
