"""Distils the teachers' rankings into a static table.

Two kinds of batches alternate by chance. Taught: short texts (headings, sentences, glosses) and passages, for which
the table must rank the batch as the teachers do: Kullback-Leibler divergence between the softmax of the teachers'
cosines, mixed with the text's own passage, and that of the table's; half of them come out of few clusters of the
teachers' space, so that the wrong answers are hard. Untaught: a heading or a sentence taken out, against the rest of
its section, among sections of the same packages. Of the change to the table only a share (`--keep`) is kept, which
costs a little on the development set and holds what the first table knew of other subjects.

Gradients by hand (a bag of pieces, a normalisation, a softmax), Adam on the rows that a batch touches.
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

import numba
import numpy as np
import scipy.sparse as sparse

import development
from pairs import section_pairs
from static_model import VOCABULARY, Pieces, read_table, write_table
from teach import shuffled_texts


@numba.njit(fastmath=True, cache=True)
def adam_rows(table, first, second, steps, rows, gradient, rate):
    for k in range(len(rows)):
        row = rows[k]
        steps[row] += 1
        c1, c2 = 1 - 0.9 ** steps[row], 1 - 0.99 ** steps[row]
        for j in range(table.shape[1]):
            g = gradient[k, j]
            first[row, j] = 0.9 * first[row, j] + 0.1 * g
            second[row, j] = 0.99 * second[row, j] + 0.01 * g * g
            table[row, j] -= rate * (first[row, j] / c1) / (np.sqrt(second[row, j] / c2) + 1e-10)


def softmax(scores: np.ndarray) -> np.ndarray:
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def listwise(student: np.ndarray, target: np.ndarray, mask: np.ndarray | None, tau: float) -> tuple[float, np.ndarray]:
    """KL(target || student) over rows, and its gradient by the student's cosines. `mask` marks what is left out."""
    s = student / tau
    p, q = softmax(s if mask is None else np.where(mask, -1e4, s)), target
    loss = float((q * (np.log(q + 1e-9) - np.log(p + 1e-9))).sum(1).mean())
    return loss, (p - q) / (tau * len(s))


class Batches:
    """Rows of short texts and of passages, pair k of one group."""

    def __init__(self, kinds: np.ndarray, groups: np.ndarray, clusters: np.ndarray, rng: np.random.Generator):
        self.rng = rng
        order = np.argsort(groups, kind='stable')
        bounds = np.flatnonzero(np.diff(groups[order])) + 1
        self.short, self.long = [], []
        for rows in np.split(order, bounds):
            longs = rows[kinds[rows] == 'passage']
            shorts = rows[kinds[rows] != 'passage']
            if len(shorts) and (len(longs) or len(shorts) > 1):
                self.short.append(shorts)
                self.long.append(longs[0] if len(longs) else shorts[-1])
        self.long = np.array(self.long)
        self.cluster = clusters[self.long]
        self.members = [np.flatnonzero(self.cluster == c) for c in range(clusters.max() + 1)]
        self.members = [m for m in self.members if len(m) >= 16]

    def draw(self, size: int, hard: bool) -> tuple[np.ndarray, np.ndarray]:
        if hard:
            picked = []
            while len(picked) < size:
                members = self.members[self.rng.integers(len(self.members))]
                picked.extend(self.rng.choice(members, min(len(members), size // 8), replace=False))
            chosen = np.unique(picked[:size])
        else:
            chosen = self.rng.choice(len(self.long), size, replace=False)
        short = np.array([self.rng.choice(self.short[g]) for g in chosen])
        return short, self.long[chosen]


def k_means(vectors: np.ndarray, count: int, rng: np.random.Generator, rounds: int = 6) -> np.ndarray:
    centres = vectors[rng.choice(len(vectors), count, replace=False)].copy()
    for _ in range(rounds):
        nearest = np.concatenate([(part @ centres.T).argmax(1) for part in np.array_split(vectors, 40)])
        sums = (
            sparse.csr_matrix(
                (np.ones(len(vectors), np.float32), (nearest, np.arange(len(vectors)))), (count, len(vectors))
            )
            @ vectors
        )
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    return nearest


class Trainer:
    def __init__(self, table: np.ndarray, args: argparse.Namespace):
        self.table, self.args = table.astype(np.float32).copy(), args
        self.first, self.second = np.zeros_like(self.table), np.zeros_like(self.table)
        self.steps = np.zeros(VOCABULARY, np.int64)

    def step(
        self, inputs: list[sparse.csr_matrix], pairs: list[tuple[int, int, np.ndarray, float]], rate: float
    ) -> float:
        """`pairs`: (rows of, columns of, distribution wanted, weight)."""
        raw = [x @ self.table for x in inputs]
        norms = [np.maximum(np.linalg.norm(r, axis=1, keepdims=True), 1e-6) for r in raw]
        unit = [r / n for r, n in zip(raw, norms, strict=True)]
        gradients = [np.zeros_like(u) for u in unit]
        total = 0.0
        for a, b, target, weight in pairs:
            scores = unit[a] @ unit[b].T
            mask = np.eye(len(scores), dtype=bool) if a == b else None
            loss, g = listwise(scores, target, mask, self.args.tau)
            total += weight * loss
            g *= weight
            gradients[a] += g @ unit[b]
            gradients[b] += g.T @ unit[a]
        stacked = sparse.vstack(inputs).tocsc()
        rows = np.flatnonzero(np.diff(stacked.indptr))
        outer = np.concatenate(
            [(g - u * (g * u).sum(1, keepdims=True)) / n for g, u, n in zip(gradients, unit, norms, strict=True)]
        )
        adam_rows(
            self.table,
            self.first,
            self.second,
            self.steps,
            rows,
            np.asarray(stacked[:, rows].T @ outer),
            np.float32(rate),
        )
        return total


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('data', type=Path)
    parser.add_argument('output', type=Path)
    parser.add_argument('--models', type=Path, required=True)
    parser.add_argument('--start', type=Path, required=True, help='the folder of the table to begin with')
    parser.add_argument('--teachers', nargs='+', default=['minilm'])
    parser.add_argument('--steps', type=int, default=1500)
    parser.add_argument('--batch', type=int, default=512)
    parser.add_argument('--rate', type=float, default=0.04, help="of Adam, in units of the table's mean absolute value")
    parser.add_argument('--tau', type=float, default=0.1)
    parser.add_argument('--tau-teacher', type=float, default=0.1)
    parser.add_argument('--short', type=float, default=0.5, help='weight of short texts among each other')
    parser.add_argument('--hard', type=float, default=0.5, help='share of batches out of few clusters')
    parser.add_argument('--own', type=float, default=0.4, help='share of the own passage in the distribution wanted')
    parser.add_argument('--pairs', type=float, default=0.5, help='share of batches of section pairs, without a teacher')
    parser.add_argument('--sections', type=Path, nargs='+', required=True, help='the extracted sections')
    parser.add_argument('--keep', type=float, default=0.5, help='share of the change that is kept')
    parser.add_argument('--seed', type=int, default=1)
    return parser


class Data:
    """Texts, their pieces and the teachers' vectors, as far as these are finished."""

    def __init__(self, data: Path, models: Path, teachers: list[str], sections: list[Path]):
        pieces = Pieces(models / 'bge-small-en-v1.5/tokenizer.json')
        self.collections = development.load(data / 'dev.json', pieces, data / 'dev.pickle')
        shards = min(len(list((data / 'teach').glob(f'{t}-*.npy'))) for t in teachers)
        self.teachers = [
            np.concatenate([np.load(data / 'teach' / f'{t}-{i:03}.npy') for i in range(shards)]).astype(np.float32)
            for t in teachers
        ]
        texts = shuffled_texts(data / 'texts.jsonl')[: len(self.teachers[0])]
        self.pairs = section_pairs(sections, pieces, 1500, data / 'pairs.pickle')
        print(len(texts), 'texts', self.pairs.bodies.shape[0], 'pairs', flush=True)
        self.matrix = pieces.matrix([t for _, _, t in texts])
        self.kinds, self.groups = np.array([k for k, _, _ in texts]), np.array([g for _, g, _ in texts])
        self.clusters = k_means(self.teachers[0], 300, np.random.default_rng(0))

    def figures(self, table: np.ndarray) -> dict[str, float]:
        return development.figures(self.collections, [c.static_scores(table) for c in self.collections])


def taught_batch(data: Data, batches: Batches, args: argparse.Namespace, rng: np.random.Generator) -> tuple[list, list]:
    short, long = batches.draw(args.batch, rng.random() < args.hard)
    cross = np.mean([t[short] @ t[long].T for t in data.teachers], axis=0) / args.tau_teacher
    among = np.mean([t[short] @ t[short].T for t in data.teachers], axis=0) / args.tau_teacher
    np.fill_diagonal(among, -1e4)
    own = args.own * np.eye(len(short), dtype=np.float32)
    inputs = [data.matrix[short], data.matrix[long]]
    return inputs, [
        (0, 1, (1 - args.own) * softmax(cross) + own, 1.0),
        (1, 0, (1 - args.own) * softmax(cross.T) + own, 0.5),
        (0, 0, softmax(among), args.short),
    ]


def distil(data: Data, table: np.ndarray, args: argparse.Namespace) -> np.ndarray:
    rng = np.random.default_rng(args.seed)
    batches = Batches(data.kinds, data.groups, data.clusters, rng)
    trainer = Trainer(table, args)
    unit_rate = float(np.abs(table).mean()) * args.rate
    began, losses = time.time(), []
    for step in range(args.steps):
        if rng.random() < args.pairs:
            inputs = list(data.pairs.draw(args.batch, rng))
            own = np.eye(inputs[0].shape[0], dtype=np.float32)
            pairs = [(0, 1, own, 1.0), (1, 0, own, 0.5)]
        else:
            inputs, pairs = taught_batch(data, batches, args, rng)
        losses.append(trainer.step(inputs, pairs, unit_rate * (1 - step / args.steps)))
        if (step + 1) % 500 == 0:
            print(f'{step + 1} loss {np.mean(losses[-500:]):.3f} {time.time() - began:.0f} s', end='  ')
            development.show('', data.figures(trainer.table))
    return trainer.table


def main() -> None:
    args = options().parse_args()
    print(vars(args))
    data = Data(args.data, args.models, args.teachers, args.sections)
    table = read_table(args.start)
    development.show('start', data.figures(table))
    table = table + args.keep * (distil(data, table, args) - table)
    development.show('kept', data.figures(table))
    args.output.mkdir(parents=True, exist_ok=True)
    for name in ('config.json', 'vocab.txt'):
        shutil.copyfile(args.start / name, args.output / name)
    print(write_table(table, args.output))


if __name__ == '__main__':
    main()
