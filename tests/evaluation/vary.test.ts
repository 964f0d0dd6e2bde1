import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkSettings } from '../../src/config/check.ts';
import { readVariables } from '../../src/config/variables.ts';
import { presetSettings } from '../../src/presets/preset-settings.ts';
import { settingsToPaste, varyPresets, type Grid } from '../../src/vary.ts';

const base = presetSettings('default');
const vary = (...specifications: readonly string[]): Grid => varyPresets([base], specifications);
const names = (grid: Grid): string[] => grid.presets.map(({ name }) => name);

describe('a grid', () => {
  // [S1-test-range]
  test('has a point for each value; the one that the preset has is the baseline', () => {
    const grid = vary('chunk.maxTokens=256,512,768,1024');
    expect(names(grid)).toEqual([
      'default chunk.maxTokens=256',
      'default chunk.maxTokens=512',
      'default chunk.maxTokens=768',
      'default chunk.maxTokens=1024',
    ]);
    expect(grid.varied[0]?.baseline).toBe(`default chunk.maxTokens=${base.chunk.maxTokens}`);
    expect(grid.presets.map(({ settings }) => settings.chunk.maxTokens)).toEqual([256, 512, 768, 1024]);
    expect(grid.presets.every(({ settings }) => settings.preset === 'default')).toBe(true);
    expect(grid.pairs).toEqual([
      ['default chunk.maxTokens=256', 'default chunk.maxTokens=512'],
      ['default chunk.maxTokens=768', 'default chunk.maxTokens=512'],
      ['default chunk.maxTokens=1024', 'default chunk.maxTokens=512'],
    ]);
  });

  test('measures the preset too where no point equals it', () => {
    const grid = vary('fuse.k=10,30');
    expect(names(grid)).toEqual(['default', 'default fuse.k=10', 'default fuse.k=30']);
    expect(grid.varied[0]?.baseline).toBe('default');
    expect(grid.presets[0]?.settings).toEqual(base);
  });

  test('of two settings is every combination, around every preset', () => {
    const keyword = presetSettings('keyword');
    const grid = varyPresets([base, keyword], ['fuse.weights.dense=.1,.3', 'retrieve.mode=dense,hybrid']);
    expect(names(grid)).toHaveLength(2 * (4 + 1));
    expect(names(grid)).toContain('keyword fuse.weights.dense=0.3 retrieve.mode=hybrid');
    expect(grid.pairs[0]).toEqual(['default', 'keyword']);
    expect(grid.pairs).toHaveLength(1 + 2 * 4);
    const point = grid.presets.find(({ name }) => name === 'default fuse.weights.dense=0.1 retrieve.mode=dense');
    expect(point?.settings).toEqual({
      ...base,
      fuse: { ...base.fuse, weights: { ...base.fuse.weights, dense: 0.1 } },
      retrieve: { ...base.retrieve, mode: 'dense' },
    });
  });

  test('reads every type: truth values, null, texts and lists', () => {
    expect(vary('analyze.stem=true,false').presets.map(({ settings }) => settings.analyze.stem)).toEqual([true, false]);
    expect(names(vary('fuse.alpha=null,0.5'))).toEqual(['default fuse.alpha=null', 'default fuse.alpha=0.5']);
    const lists = vary('fuse.weights.also=[],[0.1, 0.2],[0.3]').presets;
    expect(lists.map(({ settings }) => settings.fuse.weights.also)).toEqual([[], [0.1, 0.2], [0.3]]);
  });

  test('a value that is there twice is one point', () => {
    expect(names(vary('fuse.k=10,10.0, 10'))).toEqual(['default', 'default fuse.k=10']);
  });
});

describe('what cannot be', () => {
  test('what has to stay below a varied setting follows it, and is said', () => {
    const grid = vary('chunk.maxTokens=64,512');
    const { chunk } = grid.presets[0]?.settings ?? base;
    expect(chunk).toMatchObject({ maxTokens: 64, targetTokens: 64, minTokens: 64, overlapTokens: 50 });
    expect(grid.warnings.map(({ code }) => code)).toEqual(['setting-follows']);
    expect(grid.warnings[0]?.message).toContain('chunk.targetTokens is 64 there, chunk.minTokens is 64 there');
    expect(Object.fromEntries(grid.varied[0]?.points.get('default chunk.maxTokens=64') ?? [])).toEqual({
      'chunk.maxTokens': 64,
      'chunk.targetTokens': 64,
      'chunk.minTokens': 64,
    });
  });

  test('a combination that is impossible by itself is left out, and said', () => {
    const grid = vary('chunk.maxTokens=256,512', 'chunk.targetTokens=200,350');
    expect(names(grid)).not.toContain('default chunk.maxTokens=256 chunk.targetTokens=350');
    expect(grid.warnings).toEqual([
      {
        code: 'point-invalid',
        message: expect.stringMatching(/maxTokens=256 chunk\.targetTokens=350 was left out: .*chunk\.maxTokens/),
      },
    ]);
    expect(names(grid)).toHaveLength(3);
  });

  test.each([
    ['chunk.targetTokens=600', 'chunk.targetTokens must not be greater than chunk.maxTokens', 'other values'],
    ['chunk.maxTokens=many', 'must be a whole number from 16 to 8192', 'never exceeded'],
    ['retrieve.mode=both', 'must be one of dense, keyword, hybrid', 'retrieve.mode'],
    ['chunk.maxTokns=1', 'there is no setting chunk.maxTokns to vary', 'did you mean chunk.maxTokens?'],
    ['chunk=1', 'chunk is a section', 'chunk.maxTokens'],
    ['sources=a', 'there is no setting sources to vary', 'preset show'],
    ['preset=keyword', 'presets are not varied', '--preset A,B'],
    ['fuse.k=', 'has no values', 'fuse.k=a,b,c'],
    ['fuse.k', 'has no values', 'fuse.k=a,b,c'],
  ])('%s', (specification, message, hint) => {
    expect(() => vary(specification)).toThrow(
      expect.objectContaining({
        code: 'setting-invalid',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    );
  });

  test('a grid of more than 64 points, and a key that is there twice', () => {
    const nine = '1,2,3,4,5,6,7,8,9';
    expect(() => vary(`fuse.k=${nine}`, `retrieve.depth=${nine}`)).toThrow('81 points; at most 64');
    const many = Array.from({ length: 9000 }, (_, index) => index + 1).join(',');
    expect(() => vary(`retrieve.depth=${many}`)).toThrow('9000 points');
    expect(() => vary('fuse.k=1', 'fuse.k=2')).toThrow('there twice');
  });
});

test('what is to be pasted sets the same as the point', () => {
  const settings = new Map<string, unknown>([
    ['chunk.maxTokens', 512],
    ['chunk.targetTokens', 256],
    ['fuse.weights.dense', 0.3],
    ['fuse.weights.also', [0.1]],
    ['fuse.alpha', null],
  ]);
  const { yaml, environment } = settingsToPaste(settings);
  expect(yaml[0]).toBe('chunk: { maxTokens: 512, targetTokens: 256 }');
  expect(parse(yaml.join('\n'))).toEqual({
    chunk: { maxTokens: 512, targetTokens: 256 },
    fuse: { weights: { dense: 0.3, also: [0.1] }, alpha: null },
  });
  expect(environment[0]).toBe('FOOTNOTE_CHUNK__MAX_TOKENS=512');
  const set = environment.map((line) => /^(?<name>\w+)='?(?<value>.*?)'?$/u.exec(line)?.groups ?? {});
  const read = readVariables(new Map(set.map(({ name, value }) => [name ?? '', value ?? ''])));
  expect(read).toEqual({ values: settings, warnings: [] });
  expect(() => checkSettings(base)).not.toThrow();
});
