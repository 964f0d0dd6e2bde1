import type { Endpoint } from '../http/endpoint.ts';
import { listOf, property, unexpected } from '../http/shape.ts';

/** `{data: [{index, embedding}]}`, as OpenAI and Voyage answer: the vectors in the order of the texts. */
export function inOrderOfIndex(answer: unknown, count: number, endpoint: Endpoint): readonly unknown[] {
  const vectors = new Map<number, unknown>();
  for (const [position, item] of (listOf(property(answer, 'data')) ?? []).entries()) {
    const index = property(item, 'index') ?? position;
    if (typeof index !== 'number' || vectors.has(index)) throw unexpected(endpoint, 'two vectors have one place');
    vectors.set(index, property(item, 'embedding'));
  }
  return Array.from({ length: count }, (_, index) => {
    if (!vectors.has(index)) throw unexpected(endpoint, `text ${index + 1} of ${count} has no vector`);
    return vectors.get(index);
  });
}
