/** Replaces documents one by one, each published: what an edited page costs after it was read and embedded. */
import { createCorpus } from '../corpus.mjs';
import { median, timed } from '../measure.mjs';
import { openSubject } from '../subjects/index.mjs';
import { input, reply } from './io.mjs';

const WARM = 5;

const { subject: name, index, documents, times } = input;
const writer = await (await openSubject(name)).openWriter(index);
const corpus = createCorpus();
const spent = [];
for (let i = 0; i < times + WARM; i++) {
  const number = (i * 7919 + 13) % documents;
  const prepared = writer.prepare(corpus.document(number, 1), corpus.vectors(number, 1));
  const time = await timed(() => writer.replace(prepared));
  if (i >= WARM) spent.push(time);
}
await writer.finish();
const walls = spent.map(({ wall }) => wall);
reply({
  wall: median(walls),
  cpu: median(spent.map(({ cpu }) => cpu)),
  mean: walls.reduce((sum, wall) => sum + wall, 0) / walls.length,
  highest: Math.max(...walls),
});
