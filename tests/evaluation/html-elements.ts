/** Elements of an HTML page, by a scanner that knows no mercy: what is not closed, or closed twice, is an error. */
export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const VOID = new Set(['meta', 'input', 'br', 'hr']);
/** In SVG an element may close itself. */
const TAG = /<(?<end>\/)?(?<name>[a-zA-Z][\w-]*)(?<attributes>(?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(?<closed>\/)?>/g;
const RAW = /<(script|style)>[^]*?<\/\1>/g;

/** @throws Error for a page that is not well-formed, or has a bare `<` */
export function elementsOf(page: string): Element[] {
  const elements: Element[] = [];
  const open: string[] = [];
  const text = page.replace(/^<!doctype html>/, '').replace(RAW, '<$1></$1>');
  const rest = text.replace(TAG, (...match) => {
    const { end, name = '', attributes = '', closed } = match.at(-1) as Record<string, string | undefined>;
    if (end !== undefined) {
      const last = open.pop();
      if (last !== name) throw new Error(`</${name}> closes <${last ?? 'nothing'}>`);
      return '';
    }
    const own = [...attributes.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].map(
      ([, key = '', value = '']) => [key, value] as const,
    );
    elements.push({ name, attributes: new Map(own) });
    if (closed === undefined && !VOID.has(name)) open.push(name);
    return '';
  });
  if (open.length > 0) throw new Error(`left open: ${open.join(', ')}`);
  const bare = rest.indexOf('<');
  if (bare !== -1) throw new Error(`a bare < at: ${rest.slice(bare, bare + 60)}`);
  return elements;
}
