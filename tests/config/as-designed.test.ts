import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../src/config/resolve.ts';
import { settingKeys } from '../../src/config/keys.ts';
import { designedValues, requireDesigned } from '../../src/presets/as-designed.ts';
import { presetNamed, presets } from '../../src/presets/presets.ts';

const designed = presets.filter(({ design }) => design !== undefined);
const resolve = (preset: string, asDesigned: boolean): ReturnType<typeof resolveSettings> =>
  resolveSettings({ cwd: '/', env: {}, flags: { preset, asDesigned }, addsSources: false });

test('the five designs are presets', () => {
  expect(designed.map(({ name }) => name)).toEqual(['product-docs', 'papers', 'notes', 'support-desk', 'website']);
});

describe.each(designed.map((preset) => [preset.name, preset] as const))('%s', (name, preset) => {
  test('names nothing of its design before it is asked to', async () => {
    const { settings } = await resolve(name, false);
    expect(settings).toMatchObject({ preset: name, store: { use: 'embedded' }, generate: { use: 'extractive' } });
    expect(settings.embed.use).toBe('built-in');
    expect(['none', 'late-interaction']).toContain(settings.rerank.use);
  });

  test('as designed, says which drivers are not there yet', async () => {
    await expect(resolve(name, true)).rejects.toMatchObject({
      code: 'not-available',
      message: expect.stringMatching(new RegExp(`${name} needs store ".+" and generator ".+"`, 'u')) as string,
    });
  });

  test('has a design of known settings, and says where it departs from it', () => {
    for (const key of designedValues(preset).keys()) expect(settingKeys.map(({ path }) => path)).toContain(key);
    expect(preset.design?.deviations.length).toBeGreaterThan(2);
    expect(JSON.parse(JSON.stringify(preset.design))).toEqual(preset.design);
  });
});

test('a preset without a design has nothing to be as', async () => {
  await expect(resolve('default', true)).rejects.toMatchObject({ code: 'setting-invalid' });
  expect(() => {
    requireDesigned(presetNamed('keyword'));
  }).toThrow('carries no design');
});

describe('a larger embedder', () => {
  const resolved = async (env: Record<string, string>): Promise<unknown> =>
    (await resolveSettings({ cwd: '/', env, flags: { preset: 'default' }, addsSources: false })).settings.fuse.weights;

  test('counts more beside the words than the built-in one', async () => {
    expect(await resolved({})).toMatchObject({ keyword: 0.6, dense: 0.25, heading: 0.15 });
    expect(await resolved({ FOOTNOTE_EMBED__USE: 'onnx' })).toMatchObject({ keyword: 0.4, dense: 0.4, heading: 0.2 });
    const also = { name: 'large', use: 'onnx', model: '', baseUrl: null, keyVariable: null, dimensions: null };
    const beside = { FOOTNOTE_EMBED__ALSO: JSON.stringify([also]) };
    expect(await resolved(beside)).toMatchObject({ keyword: 0.4, dense: 0.1, heading: 0.1, also: [] });
  });

  test('not where the weights were set', async () => {
    const env = { FOOTNOTE_EMBED__USE: 'onnx', FOOTNOTE_FUSE__WEIGHTS__KEYWORD: '0.9' };
    expect(await resolved(env)).toMatchObject({ keyword: 0.9 });
  });
});
