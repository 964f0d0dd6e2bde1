"""The shipped form of a static table, read and written, and texts as sparse counts of its word pieces."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import scipy.sparse as sparse
import tokenizers

VOCABULARY, UNKNOWN = 30_522, 100


def read_table(folder: Path) -> np.ndarray:
    dimensions = json.loads((folder / 'config.json').read_text())['dim']
    data = (folder / 'model.i8').read_bytes()
    scales = np.frombuffer(data, np.float32, VOCABULARY)
    rows = np.frombuffer(data, np.int8, VOCABULARY * dimensions, offset=4 * VOCABULARY).reshape(VOCABULARY, dimensions)
    return rows * scales[:, None]


def write_table(table: np.ndarray, folder: Path) -> str:
    """Quantises each row to int8 by its largest value, renews the checksum of `config.json`, and returns it."""
    scales = np.maximum(np.abs(table).max(1) / 127, 1e-12).astype(np.float32)
    rows = np.clip(np.rint(table / scales[:, None]), -127, 127).astype(np.int8)
    data = scales.tobytes() + rows.tobytes()
    (folder / 'model.i8').write_bytes(data)
    config = json.loads((folder / 'config.json').read_text())
    config |= {'dim': int(table.shape[1]), 'sha256': hashlib.sha256(data).hexdigest()}
    (folder / 'config.json').write_text(json.dumps(config, indent=2) + '\n')
    return config['sha256']


class Pieces:
    def __init__(self, tokenizer_file: Path):
        self.tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer_file))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def ids(self, texts: list[str]) -> list[list[int]]:
        encoded = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        return [[i for i in e.ids if i != UNKNOWN] for e in encoded]

    def matrix(self, texts: list[str]) -> sparse.csr_matrix:
        """Rows of √count, one a text."""
        indptr, indices, values = [0], [], []
        for start in range(0, len(texts), 10_000):
            for ids in self.ids(texts[start : start + 10_000]):
                pieces, counts = np.unique(ids, return_counts=True)
                indices.append(pieces)
                values.append(np.sqrt(counts))
                indptr.append(indptr[-1] + len(pieces))
        return sparse.csr_matrix(
            (np.concatenate(values).astype(np.float32), np.concatenate(indices).astype(np.int32), indptr),
            shape=(len(texts), VOCABULARY),
        )


def embed(matrix: sparse.csr_matrix, table: np.ndarray) -> np.ndarray:
    vectors = matrix @ table
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
