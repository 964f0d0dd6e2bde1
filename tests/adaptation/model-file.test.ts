/** The adapted rows as a file: back as written, and refused when they are anything else. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRagError } from '../../src/core/errors.ts';
import { adaptedName, decodeAdapted, encodeAdapted, readAdapted } from '../../src/static-model/adapted.ts';
import type { AdaptedRows } from '../../src/static-model/adapted.ts';
import { embedText, staticModel } from '../../src/static-model/static-model.ts';
import type { StaticModel } from '../../src/static-model/static-model.ts';

let folder: string;
let model: StaticModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'footnote-adapted-'));
  model = await staticModel();
});
afterAll(() => rm(folder, { recursive: true }));

/** The rows of "river" and "bank" exchanged. */
function exchanged(): AdaptedRows {
  const [a, b] = ['river', 'bank'].map((word) => model.pieces.ids(word)[0] as number) as [number, number];
  const [low, high] = a < b ? [a, b] : [b, a];
  const row = (id: number): Int8Array => model.rows.slice(id * model.dimensions, (id + 1) * model.dimensions);
  return {
    base: model.model,
    dimensions: model.dimensions,
    ids: Uint32Array.from([low, high]),
    scales: Float32Array.from([model.scales[high] as number, model.scales[low] as number]),
    rows: Int8Array.from([...row(high), ...row(low)]),
  };
}

async function written(rows: AdaptedRows): Promise<string> {
  const path = join(folder, 'index-000001.model');
  await writeFile(path, encodeAdapted(rows));
  return path;
}

const codeOf = (error: unknown): string => (isRagError(error) ? error.code : String(error));

describe('the file of an adapted model', () => {
  it('is read as it was written, at any place in memory', () => {
    const rows = exchanged();
    const bytes = encodeAdapted(rows);
    const shifted = new Uint8Array(bytes.length + 1).subarray(1);
    shifted.set(bytes);
    expect(decodeAdapted(shifted, 'it')).toEqual(rows);
  });

  it('changes the rows that it has, and no others', async () => {
    const adapted = await readAdapted(await written(exchanged()), model);
    expect(embedText('river', adapted)).toEqual(embedText('bank', model));
    expect(embedText('bank', adapted)).toEqual(embedText('river', model));
    expect(embedText('mountain lake', adapted)).toEqual(embedText('mountain lake', model));
  });

  it('is named after the model and its own bytes', async () => {
    const rows = exchanged();
    const { model: name } = await readAdapted(await written(rows), model);
    expect(name).toBe(adaptedName(model.model, encodeAdapted(rows)));
    expect(name).toMatch(/^static-docs-384@[0-9a-f]{12}\+[0-9a-f]{12}$/);
    const other = { ...rows, scales: Float32Array.from([1, 2]) };
    expect((await readAdapted(await written(other), model)).model).not.toBe(name);
  });

  it('is refused when another version of the model was adapted', async () => {
    const path = await written({ ...exchanged(), base: 'static-docs-384@000000000000' });
    expect(await readAdapted(path, model).catch(codeOf)).toBe('index-mismatch');
  });

  it('is damage when it is missing, cut, or no such file', async () => {
    const whole = encodeAdapted(exchanged());
    for (const bytes of [
      whole.subarray(0, -1),
      whole.subarray(0, 20),
      whole.subarray(0, 4),
      Buffer.from('{}'),
      Buffer.alloc(64),
    ]) {
      const path = join(folder, 'damaged.model');
      await writeFile(path, bytes);
      expect(await readAdapted(path, model).catch(codeOf)).toBe('index-damaged');
    }
    expect(await readAdapted(join(folder, 'none.model'), model).catch(codeOf)).toBe('index-damaged');
    const beyond = await written({ ...exchanged(), ids: Uint32Array.from([1, model.scales.length]) });
    expect(await readAdapted(beyond, model).catch(codeOf)).toBe('index-damaged');
  });
});
