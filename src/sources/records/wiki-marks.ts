/** Whether texts are written with MediaWiki's marks or with Markdown's. */

/** Marks that mean something else, or nothing, in Markdown; each decides for its text. */
const SIGNS: readonly RegExp[] = [
  /^__[A-Z]{2,30}__\s*$/mu,
  /^={1,6}[^=\n][^\n]{0,200}=\s*$/mu,
  /'''/u,
  /''[^'\n]{1,200}''/u,
  /^\{\|/mu,
  /\[https?:\/\/[^\s\]]{1,500} [^\]\n]{1,200}\]/u,
  /^(?:\[\[)?(?:Category|File|Image):\S/mu,
  /^(?:\d+px|thumb)\|/mu,
];

/** In a wiki most pages have one of them; in a Markdown manual a page about wikis may. */
const MIN_SHARE = 0.25;

/** Long pages are judged by their beginning. */
const JUDGED_CHARS = 20_000;

export function looksLikeWiki(texts: readonly string[]): boolean {
  const marked = texts.filter((text) => SIGNS.some((sign) => sign.test(text.slice(0, JUDGED_CHARS))));
  return texts.length > 0 && marked.length >= texts.length * MIN_SHARE;
}
