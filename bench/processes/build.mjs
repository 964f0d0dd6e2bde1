/** Fills an index with ready-made chunks and vectors; only the store's own work is timed. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createCorpus } from '../corpus.mjs';
import { timed } from '../measure.mjs';
import { openSubject } from '../subjects/index.mjs';
import { input, reply } from './io.mjs';

const { subject: name, index, documents } = input;
const subject = await openSubject(name);
const corpus = createCorpus();

let [wall, cpu] = [0, 0];
const count = async (run) => {
  const spent = await timed(run);
  wall += spent.wall;
  cpu += spent.cpu;
};
await subject.create(index);
const writer = await subject.openWriter(index);
for (let i = 0; i < documents; i++) {
  const prepared = writer.prepare(corpus.document(i), corpus.vectors(i));
  await count(() => writer.add(prepared));
}
await count(() => writer.finish());
const bytes = readdirSync(index).reduce((sum, file) => sum + statSync(join(index, file)).size, 0);
reply({ wall, cpu, bytes });
