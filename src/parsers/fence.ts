/** Code fences of single lines, for readers that have no block structure at hand. */

export interface Fence {
  readonly mark: string;
  readonly length: number;
  /** Behind the marks: language, title, highlighted lines. */
  readonly info: string;
}

/** The fence that a line opens; list and quote marks and indentation must be gone. */
export function openingFence(line: string): Fence | undefined {
  const mark = line.charAt(0);
  if (mark !== '`' && mark !== '~') return undefined;
  const length = markLength(line, mark);
  const info = line.slice(length).trim();
  return length < 3 || (mark === '`' && info.includes('`')) ? undefined : { mark, length, info };
}

export function closesFence(line: string, fence: Fence): boolean {
  const marks = line.trim();
  return marks.startsWith(fence.mark) && marks.length >= fence.length && markLength(marks, fence.mark) === marks.length;
}

function markLength(line: string, mark: string): number {
  let length = 0;
  while (line.charAt(length) === mark) length++;
  return length;
}

/** `ts` of `ts{1,3} title="x"`, `js` of `js:line-numbers`, `bash` of `bash [npm]`; undefined when none is named. */
export function fenceLanguage(info: string): string | undefined {
  const word = /^\s*\{?\.?([A-Za-z_#+][^\s{}[\],:]*)/u.exec(info)?.[1];
  return word?.includes('=') === true ? undefined : word;
}

/** What readers see of the info string: the language, and a caption in `[…]` or `title="…"`. */
export function fenceWords(info: string): string {
  const caption = /\[([^\]]*)\]|\btitle=(?:"([^"]*)"|'([^']*)')/u.exec(info);
  const words = [fenceLanguage(info), caption?.[1] ?? caption?.[2] ?? caption?.[3]];
  return words.filter((word) => word !== undefined).join(' ');
}
