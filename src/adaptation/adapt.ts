/** One adaptation: read a sample of the index, train, and check. Writes nothing. */
import { setImmediate } from 'node:timers/promises';
import type { CallOptions, DocumentSummary, Store } from '../core/contracts.ts';
import type { Settings } from '../core/settings.ts';
import type { Chunk } from '../core/types.ts';
import { adaptedName, encodeAdapted, withRows } from '../static-model/adapted.ts';
import type { StaticModel } from '../static-model/static-model.ts';
import { check } from './check.ts';
import { chunkTexts } from './chunk-text.ts';
import { heldBack, isHeldBack } from './held-back.ts';
import { canTrain } from './kernel.ts';
import { shuffled } from './sample.ts';
import { pairCount, train } from './train.ts';

/** Fewer pairs teach nothing that holds beyond them, and fewer held back cannot tell whether they did. */
const MIN_PAIRS = 500;
const MIN_HELD_BACK = 40;
/** Larger indexes are sampled by document: bounds memory and time. */
const MAX_CHUNKS = 8000;
const MAX_CHECKED_CHUNKS = 2500;
const MAX_HELD_BACK = 400;
const SEED = 1;

export interface AdaptRequest extends CallOptions {
  readonly store: Store;
  readonly settings: Settings;
  /** The model as it ships. Training always begins there. */
  readonly base: StaticModel;
  /** The model that the index has now: the base, or an earlier adaptation of it. */
  readonly inUse: StaticModel;
  readonly onProgress?: (done: number, total: number) => void;
}

/** `pairs` were trained on, `heldBack` were ranked; the measures are null where nothing was ranked. */
export interface Adaptation {
  readonly outcome: 'kept' | 'not-better' | 'too-small' | 'no-simd';
  readonly pairs: number;
  readonly heldBack: number;
  /** MRR@10 of the held-back pairs, fused, without and with the adapted model. */
  readonly without: number | null;
  readonly with: number | null;
  /** The adapted model as a file, and its name; only when it is kept. */
  readonly model?: { readonly name: string; readonly bytes: Uint8Array };
}

export async function adapt(request: AdaptRequest): Promise<Adaptation> {
  const { store, settings, base, inUse, signal, onProgress } = request;
  const nothing = { without: null, with: null } as const;
  if (!canTrain()) return { outcome: 'no-simd', pairs: 0, heldBack: 0, ...nothing };
  const documents = await store.documents();
  const chunks = await sampledChunks(store, documents, request);
  const taught = chunks.filter((chunk) => !isHeldBack(chunk));
  const texts = chunkTexts(taught, base.pieces);
  await setImmediate();
  signal?.throwIfAborted();
  const pairs = pairCount(texts);
  const searched = chunks.slice(0, MAX_CHECKED_CHUNKS);
  const { sentences, headings } = heldBack(searched, MAX_HELD_BACK);
  const asked = sentences.pairs.length + headings.pairs.length;
  if (pairs < MIN_PAIRS || asked < MIN_HELD_BACK) {
    return { outcome: 'too-small', pairs, heldBack: asked, ...nothing };
  }
  const rows = await train(texts, base, {
    seed: SEED,
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onStep: onProgress }),
  });
  const bytes = encodeAdapted(rows);
  const name = adaptedName(base.model, bytes);
  const { better, ...measured } = await check(
    { heldBack: [sentences, headings], settings, ...(signal === undefined ? {} : { signal }) },
    inUse,
    withRows(base, rows, name),
  );
  const counts = { pairs, heldBack: asked, ...measured };
  return better || settings.embed.adapt === 'always'
    ? { outcome: 'kept', ...counts, model: { name, bytes } }
    : { outcome: 'not-better', ...counts };
}

/** Whole documents, in an order that has nothing to do with what they are about, until there are enough chunks. */
async function sampledChunks(
  store: Store,
  documents: readonly DocumentSummary[],
  { signal }: CallOptions,
): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for (const { id, chunks: count } of shuffled(documents)) {
    if (chunks.length >= MAX_CHUNKS) break;
    if (count > 0) chunks.push(...(await store.neighbours(id, 0, count)));
    await setImmediate();
    signal?.throwIfAborted();
  }
  return chunks;
}
