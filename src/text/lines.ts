import type { LineRange, Span } from '../core/types.ts';

/** Offsets at which lines begin; a line ends at LF, CRLF or a lone CR. The first is always 0. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10) starts.push(i + 1);
    else if (c === 13 && text.charCodeAt(i + 1) !== 10) starts.push(i + 1);
  }
  return starts;
}

/** The lines that a span touches, 1-based and inclusive. An empty span touches the line it stands in. */
export function lineRange(starts: readonly number[], span: Span): LineRange {
  return { start: lineAt(starts, span.start), end: lineAt(starts, Math.max(span.start, span.end - 1)) };
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] as number) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
