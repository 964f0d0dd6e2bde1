// A process of its own for processes.test.ts: reads an index over and over, or writes to it and stays.
import embeddedStore from '../../dist/stores/embedded/index.js';
import { SPARSE_SCHEMA, sampleDocument, sampleOrigin, unitVector } from '../../dist/testing/index.js';

const [, , command, path] = process.argv;
const store = embeddedStore({ path });
await store.open(SPARSE_SCHEMA, command === 'read' ? 'read' : 'write');
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

if (command === 'read') {
  const fields = { path: 1, title: 1, heading: 1, body: 1 };
  for (;;) {
    const documents = await store.documents();
    const words = await store.search({ leg: 'keyword', text: 'alpha', k1: 1.2, b: 0.75, fields, topK: 1000 });
    const near = await store.search({ leg: 'dense', space: 'dense', vector: unitVector([1, 1, 0, 0]), topK: 1000 });
    say({
      revisions: [...new Set(documents.map(({ revision }) => revision))],
      keyword: words.hits.length,
      scores: new Set(near.hits.map(({ score }) => score)).size,
      documents: near.hits.length,
    });
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
} else {
  for (let n = 0; n < 3; n++) {
    const section = { heading: 'A', text: `text ${n}`, sparse: { sparse: { 5: 1 + n } } };
    const stored = sampleDocument({ path: `p${n}.md`, sections: [section] });
    await store.replace(sampleOrigin(stored), [stored]);
  }
  say({ written: 3 });
  setInterval(() => undefined, 1000);
}
