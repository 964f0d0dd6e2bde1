import { expect, test } from 'vitest';
import { displayText } from '../../src/generators/extractive/display.ts';

const display = (text: string): string => displayText(text, [{ start: 0, end: text.length }]);

test.each([
  ['a [link](../x.md#y) and ![picture](x.png)', 'a link and'],
  ['see [`schema/a.json`](../schema/a.json)', 'see `schema/a.json`'],
  ['see [the `a` and `b`](x)', 'see the `a` and `b`'],
  ['`[no](link)` in code', '`[no](link)` in code'],
  ['```md\n[no](link) <b>\n```', '```md\n[no](link) <b>\n```'],
  ['<b>bold</b> <Tabs value="x">word', 'bold word'],
  ['Install {#setup}', 'Install'],
  ['![picture alone](x.png)', ''],
  ['1 < 2 and [brackets] stay', '1 < 2 and [brackets] stay'],
])('%j is shown as %j', (text, shown) => expect(display(text)).toBe(shown));

test('several places are lines of their own', () => {
  const text = 'one. two. three.';
  expect(
    displayText(text, [
      { start: 0, end: 4 },
      { start: 10, end: 16 },
    ]),
  ).toBe('one.\nthree.');
});

test.each(['[', '[`', '`[', '![', '<a ', '[a](', ' ', '{#', '[`a', '`a`', '[`a`'])(
  'many of %j take no long time',
  (part) => {
    const text = part.repeat(20_000);
    const started = performance.now();
    display(text);
    expect(performance.now() - started).toBeLessThan(2000);
  },
);
