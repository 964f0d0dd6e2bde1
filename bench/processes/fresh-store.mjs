/** A process that has done nothing yet: open the index, answer one question, show ten texts. */
import { openSubject } from '../subjects/index.mjs';
import { input, reply } from './io.mjs';

const { subject, index, query } = input;
const { legs, texts } = await (await openSubject(subject)).openReader(index);
const found = await legs.hybrid({ ...query, vector: Float32Array.from(query.vector) });
const shown = await texts(found.slice(0, 10));
const { user, system } = process.cpuUsage();
reply({ shown: shown.length, cpu: (user + system) / 1000 });
