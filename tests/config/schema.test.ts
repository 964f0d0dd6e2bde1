import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { flatten, unflatten } from '../../src/config/flat.ts';
import { settingKeys } from '../../src/config/keys.ts';
import { configJsonSchema, fileSchema, settingsSchema } from '../../src/config/schema.ts';
import { configTemplate } from '../../src/config/template.ts';
import { variables } from '../../src/config/variables.ts';
import { presets } from '../../src/presets/presets.ts';

test('the published JSON Schema is the one that validates (else: node tools/schema.mjs)', () => {
  const published: unknown = JSON.parse(
    readFileSync(new URL('../../schema/footnote.schema.json', import.meta.url), 'utf8'),
  );
  expect(published).toEqual(configJsonSchema());
});

test('every setting says what it means', () => {
  expect(settingKeys.filter((key) => key.description.length < 8)).toEqual([]);
  expect(settingKeys.length).toBeGreaterThan(50);
});

test('nothing is required in a file', () => {
  expect(fileSchema.safeParse({}).success).toBe(true);
  expect(fileSchema.safeParse({ retrieve: { bm25: { fields: { path: 2 } } } }).success).toBe(true);
});

test.each(presets.map((preset) => [preset.name, preset] as const))('preset %s', (name, preset) => {
  const { name: _, description, design: _design, larger: _larger, ...values } = preset;
  const settings = { preset: name, sources: [], ...values };
  expect(settingsSchema.parse(settings)).toEqual(settings);
  expect(JSON.parse(JSON.stringify(preset))).toEqual(preset);
  expect(description).not.toBe('');
  // Every key of a preset can be set by a variable, and none besides.
  expect([...variables.values()].map((key) => key.path).toSorted()).toEqual([...flatten(values).keys()].toSorted());
  expect(unflatten(flatten(values))).toEqual(values);
});

test.each(presets.map((preset) => [preset.name, preset] as const))('the file of `init --preset %s`', (name, preset) => {
  const template = configTemplate(preset);
  expect(parse(template)).toEqual({ preset: name });
  const { name: _, description, design: _design, larger: _larger, ...values } = preset;
  const uncommented = template
    .split('\n')
    .filter((line) => /^# *(- )?\w+:( |$)/u.test(line))
    .map((line) => line.slice(2));
  const read = fileSchema.parse(parse(uncommented.join('\n')));
  const { sources, ...settings } = read;
  expect(settings).toEqual(values);
  expect(sources).toMatchObject([{ from: 'docs', as: 'manual' }]);
});
