/**
 * Documents are data, also for the terminal: what could move the cursor, recolour, retitle, copy or reorder is shown
 * as a visible escape. Covers C0 (but not tab and line feed), DEL, C1 (the 8-bit forms of ESC sequences) and the
 * bidirectional embeddings, overrides and isolates that make text read differently from what it is.
 */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** JSON.stringify escapes C0 itself; the rest would reach a terminal that shows the JSON. */
const CONTROLS_LEFT_BY_JSON = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of a document made safe to print. CR, alone or before LF, is a line end, and never a return to column one. */
export function printable(text: string): string {
  return text.replace(/\r\n?/gu, '\n').replace(CONTROLS, escape);
}

/** The same for one line: line breaks and tabs become single spaces. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/gu, ' ').trim());
}

/** JSON in which every control character is an escape: parses to the same value. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(CONTROLS_LEFT_BY_JSON, escape);
}

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
