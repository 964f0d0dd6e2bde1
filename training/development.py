"""Retrieval figures of a table on the development questions: MRR@10 of the vectors alone and fused with BM25 (.6 / .4,
min-max over the best 100), over all questions and over those that share least with their answer ("paraphrases").
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import re
from collections import Counter
from pathlib import Path

import numpy as np
import snowballstemmer

from static_model import Pieces, embed, read_table

STOP = set(
    """
    a an and are as at be but by for if in into is it no not of on or such that the their then there these they
    this to was will with what who whom whose which when where why how do does did can could should would may
    might i you we me my your our am has have
    """.split()
)
STEM = snowballstemmer.stemmer('english')
#: A question is a paraphrase when at most this share of its words' idf is found in its answer.
PARAPHRASE_COVER = 0.34


def words(text: str) -> list[str]:
    return STEM.stemWords([w for w in re.findall(r'[a-z0-9_]{2,}', text.lower()) if w not in STOP])


class Collection:
    def __init__(self, data: dict, pieces: Pieces):
        self.name, self.passages, self.questions, self.answers = (
            data['name'],
            data['passages'],
            data['questions'],
            data['answers'],
        )
        counts = [Counter(words(p)) for p in self.passages]
        frequency = Counter(w for c in counts for w in c)
        n, lengths = len(counts), np.array([sum(c.values()) for c in counts])
        idf = {w: math.log(1 + (n - f + 0.5) / (f + 0.5)) for w, f in frequency.items()}
        norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
        postings: dict[str, list] = {}
        for i, c in enumerate(counts):
            for w, k in c.items():
                postings.setdefault(w, []).append((i, k))
        self.bm25 = np.zeros((len(self.questions), n), np.float32)
        self.cover = np.zeros(len(self.questions))
        for q, question in enumerate(self.questions):
            asked = set(words(question))
            total = found = 1e-9
            for w in asked:
                weight = idf.get(w, math.log(1 + n))
                total += weight
                found += weight * (w in counts[self.answers[q]])
                for i, k in postings.get(w, ()):
                    self.bm25[q, i] += weight * k * 2.2 / (k + norm[i])
            self.cover[q] = found / total
        self.question_pieces, self.passage_pieces = pieces.matrix(self.questions), pieces.matrix(self.passages)

    def static_scores(self, table: np.ndarray) -> np.ndarray:
        return embed(self.question_pieces, table) @ embed(self.passage_pieces, table).T


def normalised(scores: np.ndarray, depth: int = 100) -> np.ndarray:
    depth = min(depth, scores.shape[1])
    top = -np.partition(-scores, (0, depth - 1), axis=1)
    low, high = top[:, depth - 1 : depth], top[:, :1]
    return np.clip((scores - low) / np.maximum(high - low, 1e-9), 0, None)


def reciprocal_ranks(scores: np.ndarray, answers: list[int]) -> np.ndarray:
    own = scores[np.arange(len(answers)), answers][:, None]
    ranks = 1 + (scores > own).sum(1) + 0.5 * ((scores == own).sum(1) - 1)
    return np.where(ranks <= 10, 1 / ranks, 0)


def figures(collections: list[Collection], scores: list[np.ndarray]) -> dict[str, float]:
    """Means over questions, of the question lists and of the package descriptions apart."""
    out = {}
    for label, chosen in (('faq', lambda n: n != 'descriptions'), ('desc', lambda n: n == 'descriptions')):
        alone, fused, cover = [], [], []
        for collection, s in zip(collections, scores, strict=True):
            if chosen(collection.name):
                alone.append(reciprocal_ranks(s, collection.answers))
                fused.append(
                    reciprocal_ranks(0.6 * normalised(collection.bm25) + 0.4 * normalised(s), collection.answers)
                )
                cover.append(collection.cover)
        alone, fused, low = np.concatenate(alone), np.concatenate(fused), np.concatenate(cover) <= PARAPHRASE_COVER
        out |= {
            f'{label}': alone.mean(),
            f'{label}+bm25': fused.mean(),
            f'{label}.para': alone[low].mean(),
            f'{label}.para+bm25': fused[low].mean(),
            f'{label}.n': len(low),
            f'{label}.np': int(low.sum()),
        }
    return out


def show(name: str, result: dict[str, float]) -> None:
    print(
        f'{name:28}',
        '  '.join(f'{k} {v:.3f}' if isinstance(v, float) else f'{k} {v}' for k, v in result.items()),
        flush=True,
    )


def load(dev: Path, pieces: Pieces, cache: Path) -> list[Collection]:
    if not cache.exists():
        cache.write_bytes(pickle.dumps([Collection(d, pieces) for d in json.loads(dev.read_text())]))
    return pickle.loads(cache.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('dev', type=Path)
    parser.add_argument('--models', type=Path, required=True)
    parser.add_argument('--tables', type=Path, nargs='*', default=[])
    parser.add_argument('--teachers', nargs='*', default=[])
    args = parser.parse_args()
    # By its module name, so that the cache can be read from elsewhere.
    from development import load as load_collections

    collections = load_collections(
        args.dev, Pieces(args.models / 'bge-small-en-v1.5/tokenizer.json'), args.dev.with_suffix('.pickle')
    )
    show('bm25', figures(collections, [c.bm25 for c in collections]))
    for folder in args.tables:
        table = read_table(folder)
        show(folder.name, figures(collections, [c.static_scores(table) for c in collections]))
    for name in args.teachers:
        from teach import Teacher

        path = args.dev.with_name(f'dev-{name}.pickle')
        if not path.exists():
            teacher = Teacher(name, args.models, 128)
            path.write_bytes(
                pickle.dumps(
                    [
                        (teacher.embed([teacher.query_prefix + q for q in c.questions]), teacher.embed(c.passages))
                        for c in collections
                    ]
                )
            )
        show(name, figures(collections, [q @ p.T for q, p in pickle.loads(path.read_bytes())]))


if __name__ == '__main__':
    main()
