import { expect, test } from 'vitest';
import { terminalProgress } from '../../src/cli/progress.ts';

/** What a terminal of 60 columns was sent. */
function terminal(isTTY: boolean): { readonly stream: NodeJS.WriteStream; readonly written: string[] } {
  const written: string[] = [];
  const stream = { isTTY, columns: 60, write: (text: string) => written.push(text) > 0 };
  return { stream: stream as unknown as NodeJS.WriteStream, written };
}

// [S2-progress]
test('one line, drawn over at most ten times a second, and wiped at the end', () => {
  const { stream, written } = terminal(true);
  let time = 0;
  const progress = terminalProgress(stream, () => time);
  for (let done = 1; done <= 100; done++) {
    time += 20;
    progress.update('docs\u001b', done, 100);
  }
  progress.clear();
  expect(written.length).toBeLessThan(25);
  expect(written.every((text) => text.startsWith('\r\u001b[K') && !text.includes('\n') && text.length < 70)).toBe(true);
  expect(written.at(-2)).toContain('docs\\u001b: 100 of 100, 51/s, 0 s left');
  expect(written.at(-1)).toBe('\r\u001b[K');
});

test('quiet when nobody watches', () => {
  const { stream, written } = terminal(false);
  const progress = terminalProgress(stream);
  progress.update('docs', 1, 2);
  progress.clear();
  expect(written).toEqual([]);
});
