"""Vectors of the teachers for every text: `<output>/<teacher>-<shard>.npy`, float16, row i = line i of the shuffled
texts.

Groups are shuffled once (seed 1), so that whatever is finished is a fair sample, and the run can be stopped and
continued.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
import onnxruntime
import tokenizers

TEACHERS = {
    'minilm': ('all-MiniLM-L6-v2', 'mean', ''),
    'bge': ('bge-small-en-v1.5', 'cls', 'Represent this sentence for searching relevant passages: '),
}
SHARD = 4096


class Teacher:
    def __init__(self, name: str, models: Path, max_tokens: int = 256):
        folder, self.pooling, self.query_prefix = TEACHERS[name]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            str(models / folder / 'onnx/model_quantized.onnx'), options, providers=['CPUExecutionProvider']
        )
        self.tokenizer = tokenizers.Tokenizer.from_file(str(models / folder / 'tokenizer.json'))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(max_tokens)

    def embed(self, texts: list[str], batch_tokens: int = 1024) -> np.ndarray:
        encoded = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda i: len(encoded[i]))
        out = np.zeros((len(texts), 384), np.float32)
        start = 0
        while start < len(order):
            # Longest of the batch comes last: take as many as fit, padded to it.
            end = start + 1
            while end < len(order) and (end + 1 - start) * len(encoded[order[end]]) <= batch_tokens:
                end += 1
            rows = order[start:end]
            width = len(encoded[rows[-1]])
            ids = np.zeros((len(rows), width), np.int64)
            mask = np.zeros_like(ids)
            for k, i in enumerate(rows):
                ids[k, : len(encoded[i])] = encoded[i]
                mask[k, : len(encoded[i])] = 1
            hidden = self.session.run(
                None, {'input_ids': ids, 'attention_mask': mask, 'token_type_ids': np.zeros_like(ids)}
            )[0]
            pooled = (
                hidden[:, 0]
                if self.pooling == 'cls'
                else (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            )
            out[rows] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
            start = end
        return out


def shuffled_texts(path: Path) -> list[tuple[str, int, str]]:
    groups: dict[int, list] = {}
    for line in path.open():
        kind, group, text = json.loads(line)
        groups.setdefault(group, []).append((kind, group, text))
    keys = sorted(groups)
    random.Random(1).shuffle(keys)
    return [row for key in keys for row in groups[key]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('teacher', choices=TEACHERS)
    parser.add_argument('texts', type=Path)
    parser.add_argument('output', type=Path)
    parser.add_argument('--models', type=Path, required=True)
    parser.add_argument('--shards', type=int, default=1000)
    args = parser.parse_args()
    args.output.mkdir(exist_ok=True)
    teacher = Teacher(args.teacher, args.models)
    texts = shuffled_texts(args.texts)
    for shard in range(min(args.shards, -(-len(texts) // SHARD))):
        path = args.output / f'{args.teacher}-{shard:03}.npy'
        if not path.exists():
            np.save(
                path,
                teacher.embed([text for _, _, text in texts[shard * SHARD : (shard + 1) * SHARD]]).astype(np.float16),
            )
            print(path, flush=True)


if __name__ == '__main__':
    main()
