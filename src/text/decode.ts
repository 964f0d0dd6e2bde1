/** Bytes to text, and the question whether bytes are text at all. */
import type { Warning } from '../core/types.ts';

export interface DecodedText {
  /** Without the byte-order mark; line ends as they are; never a lone surrogate. */
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  readonly warnings: readonly Warning[];
}

/** UTF-8, or UTF-16 with a byte-order mark; everything else is read as Windows-1252, with a warning. */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes, 'utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes, 'utf-16be');
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: 'utf-8', warnings: [] };
  } catch {
    const message = 'not valid UTF-8: read as Windows-1252';
    return {
      text: decodeWindows1252(bytes),
      encoding: 'windows-1252',
      warnings: [{ code: 'encoding-guessed', message, hint: 'save the file as UTF-8' }],
    };
  }
}

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): DecodedText {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding, warnings: [] };
  } catch {
    const message = `damaged ${encoding.toUpperCase()}: unreadable characters became U+FFFD`;
    const text = new TextDecoder(encoding).decode(bytes);
    return { text, encoding, warnings: [{ code: 'encoding-damaged', message }] };
  }
}

/** 0x80–0x9F; the five unassigned bytes stay control characters, as the WHATWG encoding standard has it. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** By hand: `TextDecoder('windows-1252')` of some Node releases decodes 0x80–0x9F as Latin-1. */
function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/gu, (c) => WINDOWS_1252.charAt(c.charCodeAt(0) - 0x80));
}

/** First bytes of formats that may look like text for a while. */
const MAGIC_NUMBERS: readonly (readonly number[])[] = [
  [0x7f, 0x45, 0x4c, 0x46], // ELF
  [0x89, 0x50, 0x4e, 0x47], // PNG
  [0xff, 0xd8, 0xff], // JPEG
  [0x47, 0x49, 0x46, 0x38], // GIF8
  [0x25, 0x50, 0x44, 0x46, 0x2d], // %PDF-
  [0x50, 0x4b, 0x03, 0x04], // zip, Office, jar
  [0x50, 0x4b, 0x05, 0x06], // empty zip
  [0x1f, 0x8b], // gzip
  [0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59], // bzip2
  [0xfd, 0x37, 0x7a, 0x58, 0x5a], // xz
  [0x28, 0xb5, 0x2f, 0xfd], // zstd
  [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], // 7z
  [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07], // rar
  [0xd0, 0xcf, 0x11, 0xe0], // OLE: old Office
  [0xca, 0xfe, 0xba, 0xbe], // Java class, Mach-O
  [0xcf, 0xfa, 0xed, 0xfe], // Mach-O
  [0x77, 0x4f, 0x46, 0x46], // woff
  [0x77, 0x4f, 0x46, 0x32], // woff2
  [0x4f, 0x67, 0x67, 0x53], // ogg
  [0xff, 0xfe, 0x00, 0x00], // UTF-32, which nothing here decodes
];

/** Random bytes have 9 % of the control characters counted here, text next to none. */
const MAX_CONTROL_SHARE = 0.05;

/** Whether the first bytes of a file (a few kB are enough) say that it is not text. */
export function looksBinary(head: Uint8Array): boolean {
  if (MAGIC_NUMBERS.some((magic) => magic.every((byte, i) => head[i] === byte))) return true;
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) return false;
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if ((byte < 0x20 && !isTextControl(byte)) || byte === 0x7f) controls++;
  }
  return controls > head.length * MAX_CONTROL_SHARE;
}

/** Bell to carriage return, and ESC: found in terminal logs, which are text. */
const isTextControl = (byte: number): boolean => (byte >= 0x07 && byte <= 0x0d) || byte === 0x1b;
