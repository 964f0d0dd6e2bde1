"""Pairs without a teacher: a heading, or a sentence taken out, against the whole rest of its section."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from pathlib import Path

import numpy as np
import scipy.sparse as sparse

from corpus import DEV_PACKAGES, SENTENCE, sections
from static_model import Pieces

#: A heading that more sections have ("Parameters", "See also") says nothing of its own.
COMMON_HEADING = 4
WINDOW = 64


class SectionPairs:
    """Batches out of few packages: the other sections of the same documentation are the wrong answers, as at search."""

    def __init__(
        self,
        headings: sparse.csr_matrix,
        sentences: sparse.csr_matrix,
        bodies: sparse.csr_matrix,
        packages: np.ndarray,
        usable: np.ndarray,
    ):
        self.headings, self.sentences, self.bodies, self.usable = headings, sentences, bodies, usable
        bounds = np.flatnonzero(np.diff(packages)) + 1
        self.spans = [span for span in np.split(np.arange(len(packages)), bounds) if len(span) >= WINDOW]
        sizes = np.sqrt([len(s) for s in self.spans])
        self.chance = sizes / sizes.sum()

    def draw(self, size: int, rng: np.random.Generator) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        chosen = np.concatenate(
            [
                rng.choice(self.spans[k], WINDOW, replace=False)
                for k in rng.choice(len(self.spans), size // WINDOW, replace=False, p=self.chance)
            ]
        )
        heading = self.usable[chosen] & (rng.random(len(chosen)) < 0.6)
        keep = sparse.diags(heading.astype(np.float32))
        short = keep @ self.headings[chosen] + sparse.diags(1 - heading.astype(np.float32)) @ self.sentences[chosen]
        return short.tocsr().astype(np.float32), self.bodies[chosen]


def section_pairs(paths: list[Path], pieces: Pieces, per_package: int, cache: Path) -> SectionPairs:
    if cache.exists():
        return SectionPairs(*pickle.loads(cache.read_bytes()))
    rng = random.Random(3)
    found = sections(paths, per_package, rng)
    rows = [
        (package, heading, body)
        for package, some in found.items()
        if package not in DEV_PACKAGES
        for _, heading, body in some
    ]
    shared = Counter(heading.lower() for _, heading, _ in rows)
    headings, sentences, bodies, packages, usable = [], [], [], [], []
    for package, heading, body in rows:
        parts = SENTENCE.split(body)
        at = rng.randrange(len(parts))
        if len(parts) < 2 or not 4 <= len(parts[at].split()) <= 40:
            continue
        headings.append(heading)
        sentences.append(parts[at])
        bodies.append(' '.join(parts[:at] + parts[at + 1 :]))
        packages.append(package)
        usable.append(shared[heading.lower()] <= COMMON_HEADING and len(heading.split()) >= 2)
    matrices = [pieces.matrix(texts) for texts in (headings, sentences, bodies)]
    content = (*matrices, np.unique(packages, return_inverse=True)[1], np.array(usable))
    cache.write_bytes(pickle.dumps(content))
    return SectionPairs(*content)
