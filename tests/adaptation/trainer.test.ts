/** The training: slopes against finite differences, the kernel against plain sums, the same bytes twice. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { contrast } from '../../src/adaptation/contrastive.ts';
import { train } from '../../src/adaptation/train.ts';
import { createTrainer } from '../../src/adaptation/trainer.ts';
import type { Pair } from '../../src/adaptation/trainer.ts';
import { createRandom } from '../../src/evaluation/random.ts';
import { encodeAdapted } from '../../src/static-model/adapted.ts';
import { staticModel } from '../../src/static-model/static-model.ts';
import type { StaticModel } from '../../src/static-model/static-model.ts';

const random = createRandom(3);
const WIDTH = 16;
const PIECES = 20;

/** A table of random rows, as wide as the kernel allows at least. */
const model: StaticModel = {
  model: 'tiny@0',
  dimensions: WIDTH,
  pieces: { ids: () => [], count: () => 0 },
  scales: Float32Array.from({ length: PIECES }, () => 0.02 + 0.02 * random()),
  rows: Int8Array.from({ length: PIECES * WIDTH }, () => Math.round(254 * random() - 127)),
};

const pair = (i: number): Pair => ({
  // A piece twice: its weight is √2.
  question: Int32Array.from([i, i + 1, i + 1]),
  text: Int32Array.from([i + 8, i + 9, i + 10, i + 10, 3]),
  chunk: `c${i}`,
  section: i < 2 ? 'same' : `s${i}`,
});
const BATCH = [0, 1, 2, 3].map(pair);
const OPTIONS = { batch: BATCH.length, temperature: 0.1 };
const everyPiece = (): number[] => [...new Set(BATCH.flatMap(({ question, text }) => [...question, ...text]))];

/** The loss in double precision, from its definition. */
function reference(rows: ArrayLike<number>, ids: Int32Array, pairs: readonly Pair[]): number {
  const embed = (pieces: Int32Array): number[] => {
    const counts = new Map<number, number>();
    for (const piece of pieces) counts.set(piece, (counts.get(piece) ?? 0) + 1);
    const sum = Array.from({ length: WIDTH }, (_, k) =>
      [...counts].reduce((s, [id, n]) => s + Math.sqrt(n) * (rows[ids.indexOf(id) * WIDTH + k] as number), 0),
    );
    const length = Math.hypot(...sum);
    return sum.map((value) => value / length);
  };
  const [questions, texts] = [pairs.map((p) => embed(p.question)), pairs.map((p) => embed(p.text))];
  const dot = (a: number[], b: number[]): number => a.reduce((sum, value, k) => sum + value * (b[k] as number), 0);
  const logits = questions.map((q) => texts.map((t) => dot(q, t) / OPTIONS.temperature));
  const allowed = (i: number, j: number): boolean => i === j || pairs[i]?.section !== pairs[j]?.section;
  const all = pairs.map((_, i) => i);
  const logSum = (values: number[]): number => Math.log(values.reduce((sum, value) => sum + Math.exp(value), 0));
  const at = (i: number, j: number): number => logits[i]?.[j] as number;
  const losses = all.map((i) => {
    const row = logSum(all.filter((j) => allowed(i, j)).map((j) => at(i, j)));
    const column = logSum(all.filter((j) => allowed(j, i)).map((j) => at(j, i)));
    return (row + column) / 2 - at(i, i);
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / pairs.length;
}

describe('the loss', () => {
  it('is InfoNCE in both directions, without other texts of the same section', () => {
    const trainer = createTrainer(model, everyPiece(), OPTIONS);
    expect(trainer.loss(BATCH)).toBeCloseTo(reference(trainer.rows, trainer.ids, BATCH), 4);
    // The mask matters here: without it the loss is another.
    const apart = BATCH.map((each, i) => ({ ...each, section: String(i) }));
    expect(reference(trainer.rows, trainer.ids, apart)).not.toBeCloseTo(reference(trainer.rows, trainer.ids, BATCH), 3);
  });

  it('has the slopes that finite differences have, for every number of the table', () => {
    const trainer = createTrainer(model, everyPiece(), OPTIONS);
    trainer.loss(BATCH);
    const slopes = [...trainer.gradient];
    const rows = Float64Array.from(trainer.rows);
    const step = 1e-5;
    const largest = Math.max(...slopes.map(Math.abs));
    expect(largest).toBeGreaterThan(0.01);
    for (let i = 0; i < rows.length; i++) {
      const at = (value: number): number => {
        const moved = rows.slice();
        moved[i] = value;
        return reference(moved, trainer.ids, BATCH);
      };
      const slope = (at((rows[i] as number) + step) - at((rows[i] as number) - step)) / (2 * step);
      expect(Math.abs(slope - (slopes[i] as number))).toBeLessThan(1e-3 * largest);
    }
  });

  it('falls when the rows are moved against them', () => {
    const trainer = createTrainer(model, everyPiece(), OPTIONS);
    const first = trainer.loss(BATCH);
    trainer.step(0.01);
    for (let i = 0; i < 30; i++) {
      trainer.loss(BATCH);
      trainer.step(0.01);
    }
    expect(trainer.loss(BATCH)).toBeLessThan(first / 2);
  });

  it('is 0, with slopes of 0, where every other text is of the same section', () => {
    const matrix = Float32Array.from([0.5, 0.9, 0.1, 0.3]);
    expect(contrast(matrix, 2, () => true, 0.1)).toBe(0);
    expect([...matrix].map(Math.abs)).toEqual([0, 0, 0, 0]);
  });
});

describe('training', () => {
  const texts = async (): Promise<Parameters<typeof train>[0]> => {
    const { pieces } = await staticModel();
    return Array.from({ length: 40 }, (_, i) => ({
      id: String(i),
      documentId: String(i % 5),
      section: String(i),
      heading: Int32Array.from(pieces.ids(`heading ${i}`)),
      body: Int32Array.from(pieces.ids(`the answer of number ${i} is in the sea and it is cold there ${i * i}`)),
      sentences: [{ from: 0, to: 5 }],
    }));
  };
  const trained = async (seed: number): Promise<Buffer> =>
    encodeAdapted(await train(await texts(), await staticModel(), { seed }));

  it('gives the same bytes for the same texts and seed, and other bytes for another seed', async () => {
    const [first, second, other] = [await trained(1), await trained(1), await trained(2)];
    expect(first.equals(second)).toBe(true);
    expect(first.equals(other)).toBe(false);
  }, 60_000);

  it('lets other work have its turn, and ends when it is told to', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const controller = new AbortController();
    const run = train(await texts(), await staticModel(), {
      seed: 1,
      signal: controller.signal,
      onStep: (done) => {
        if (done === 20) controller.abort();
      },
    });
    await expect(run).rejects.toThrow(/abort/i);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  }, 60_000);
});

describe('the kernel', () => {
  const folder = mkdtempSync(join(tmpdir(), 'footnote-kernel-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('is the one that native/adaptation.ts compiles to', { timeout: 60_000 }, (context) => {
    const native = fileURLToPath(new URL('../../native', import.meta.url));
    const generated = fileURLToPath(new URL('../../src/adaptation/kernel.generated.ts', import.meta.url));
    context.skip(!existsSync(join(native, 'node_modules/assemblyscript')), 'cd native && npm ci installs the compiler');
    const out = join(folder, 'kernel.generated.ts');
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(native, 'build.mjs'), '--kernel', 'adaptation', '--out', out],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe(readFileSync(generated, 'utf8'));
  });
});
