/** HTML and JSX tags, read one at a time without a tree. */

export interface Tag {
  /** `''` for a JSX fragment. */
  readonly name: string;
  readonly closing: boolean;
  readonly selfClosing: boolean;
  /** Offset behind the `>`. */
  readonly end: number;
  /** Attribute values that readers see (`label`, `title`, `alt`), in order, or `''`. */
  readonly words: string;
}

/** What readers see of a tag; a tab's caption is called `label` by one site generator and `name` by another. */
const VISIBLE_ATTRIBUTES: ReadonlySet<string> = new Set(['label', 'title', 'alt']);
const TAB_NAMES: ReadonlySet<string> = new Set(['TabItem', 'Tab']);

/** Whether a name is a component's (`Tabs`, `Card.Body`, a fragment) and not HTML's (`table`, `TABLE`). */
export const isComponent = (name: string): boolean => name === '' || name.includes('.') || /^[A-Z].*[a-z]/u.test(name);

/** The offset of `</name`, in any case of letters, from `start` on; -1 when there is none. */
export function endTag(text: string, name: string, start: number): number {
  const end = new RegExp(`</${name}`, 'giu');
  end.lastIndex = start;
  return end.exec(text)?.index ?? -1;
}

/**
 * Reads the tag that begins at `start`, where `text` has `<`; attribute values may be quoted, bare or `{…}`.
 * When it is no tag, or does not end before `limit`: the offset up to which it was read.
 */
export function readTag(text: string, start: number, limit: number): Tag | number {
  const closing = text.charCodeAt(start + 1) === SLASH;
  const nameStart = closing ? start + 2 : start + 1;
  const nameEnd = skipTagName(text, nameStart, limit);
  const name = text.slice(nameStart, nameEnd);
  if (name === '' && text.charCodeAt(nameStart) !== GREATER) return nameStart;
  let selfClosing = false;
  let words = '';
  for (let at = nameEnd; at < limit;) {
    const c = text.charCodeAt(at);
    if (c === GREATER) return { name, closing, selfClosing, end: at + 1, words };
    selfClosing = c === SLASH;
    if (c === SLASH || isSpace(c)) at++;
    else if (at === nameEnd) return at;
    else {
      const attribute = readAttribute(text, at, limit);
      if (attribute === undefined) return limit;
      if (attribute.end === at) return at;
      const visible = VISIBLE_ATTRIBUTES.has(attribute.name) || (attribute.name === 'name' && TAB_NAMES.has(name));
      if (visible && attribute.value !== '') words += words === '' ? attribute.value : ` ${attribute.value}`;
      at = attribute.end;
    }
  }
  return limit;
}

interface Attribute {
  readonly name: string;
  readonly value: string;
  readonly end: number;
}

/** Undefined when its value does not end. `{...spread}` is an attribute without name and value. */
function readAttribute(text: string, start: number, limit: number): Attribute | undefined {
  if (text.charCodeAt(start) === BRACE) {
    const end = skipBraces(text, start, limit);
    return end < 0 ? undefined : { name: '', value: '', end };
  }
  const nameEnd = skipAttributeName(text, start, limit);
  const value = readValue(text, nameEnd, limit);
  return value.end < 0 ? undefined : { name: text.slice(start, nameEnd), value: value.text, end: value.end };
}

interface AttributeValue {
  readonly text: string;
  /** -1 when the value does not end. */
  readonly end: number;
}

function readValue(text: string, nameEnd: number, limit: number): AttributeValue {
  let at = skipSpaces(text, nameEnd, limit);
  if (text.charCodeAt(at) !== EQUALS) return { text: '', end: nameEnd };
  at = skipSpaces(text, at + 1, limit);
  const c = text.charCodeAt(at);
  if (c === DOUBLE || c === SINGLE) return readQuoted(text, at, limit);
  if (c === BRACE) {
    const end = skipBraces(text, at, limit);
    // `title={"…"}` is a string like `title="…"`; any other expression is code.
    const quote = text.charCodeAt(at + 1);
    const isString = quote === DOUBLE || quote === SINGLE || quote === BACKTICK;
    return { text: isString && end > 0 && text.charCodeAt(end - 2) === quote ? text.slice(at + 2, end - 2) : '', end };
  }
  const from = at;
  while (at < limit && !isSpace(text.charCodeAt(at)) && !BARE_VALUE_ENDS.has(text.charCodeAt(at))) at++;
  return { text: text.slice(from, at), end: at === from ? -1 : at };
}

function readQuoted(text: string, open: number, limit: number): AttributeValue {
  const quote = text.charCodeAt(open);
  for (let at = open + 1; at < limit; at++) {
    if (text.charCodeAt(at) === quote) return { text: text.slice(open + 1, at), end: at + 1 };
  }
  return { text: '', end: -1 };
}

/** Behind the brace that closes the one at `open`, quoted braces apart; -1 when there is none before `limit`. */
function skipBraces(text: string, open: number, limit: number): number {
  let depth = 0;
  let quote = 0;
  for (let at = open; at < limit; at++) {
    const c = text.charCodeAt(at);
    if (quote !== 0) {
      if (c === quote || (c === NEWLINE && quote !== BACKTICK)) quote = 0;
    } else if (c === DOUBLE || c === SINGLE || c === BACKTICK) quote = c;
    else if (c === BRACE) depth++;
    else if (c === CLOSE_BRACE && --depth === 0) return at + 1;
  }
  return -1;
}

function skipTagName(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && isNameCharacter(text.charCodeAt(at), at === start)) at++;
  return at;
}

function isNameCharacter(c: number, first: boolean): boolean {
  if ((c >= 65 && c <= 90) || (c >= 97 && c <= 122)) return true;
  return !first && ((c >= 48 && c <= 58) || c === 45 || c === 46 || c === 95);
}

/** As HTML has it: everything but these may be in an attribute's name (`@click`, `:prop`, `(event)`, `v-slot:x`). */
function skipAttributeName(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && !isSpace(text.charCodeAt(at)) && !ATTRIBUTE_NAME_ENDS.has(text.charCodeAt(at))) at++;
  return at;
}

function skipSpaces(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && isSpace(text.charCodeAt(at))) at++;
  return at;
}

const isSpace = (c: number): boolean => c === 32 || (c >= 9 && c <= 13);
const [NEWLINE, DOUBLE, SINGLE, SLASH, EQUALS, GREATER, BACKTICK, BRACE, CLOSE_BRACE] = [
  10, 34, 39, 47, 61, 62, 96, 123, 125,
];
const ATTRIBUTE_NAME_ENDS: ReadonlySet<number> = new Set([
  DOUBLE,
  SINGLE,
  SLASH,
  60,
  EQUALS,
  GREATER,
  BACKTICK,
  BRACE,
  CLOSE_BRACE,
]);
const BARE_VALUE_ENDS: ReadonlySet<number> = new Set([DOUBLE, SINGLE, 60, EQUALS, GREATER, BACKTICK]);
