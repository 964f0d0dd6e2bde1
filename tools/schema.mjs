// Writes the JSON Schema of footnote.yaml, which editors use, from the schema that the program validates with.
// Usage, after the build: node tools/schema.mjs
import { writeFileSync } from 'node:fs';
import { configJsonSchema } from '../dist/config/schema.js';

const path = new URL('../schema/footnote.schema.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
