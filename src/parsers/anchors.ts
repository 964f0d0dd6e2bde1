/** Heading anchors as GitHub makes them, unique in the document, `{#custom}` ids honoured. */
import GithubSlugger, { slug } from 'github-slugger';

/** Gives each heading its anchor, in document order. */
export type AnchorMaker = (title: string, customId: string | undefined) => string;

export function anchorMaker(): AnchorMaker {
  const slugger = new GithubSlugger();
  return (title, customId) => {
    if (customId !== undefined && !Object.hasOwn(slugger.occurrences, customId)) {
      slugger.occurrences[customId] = 0; // later headings of this name count on from here
      return customId;
    }
    if (customId !== undefined) return slugger.slug(customId, true);
    // A title of emoji or punctuation only has no slug, and an empty fragment points nowhere.
    return slugger.slug(slug(title) === '' ? 'section' : title);
  };
}

/** Anchors as MediaWiki makes them: `How to build`, for the second time, is `How_to_build_2`. */
export function wikiAnchorMaker(): AnchorMaker {
  const seen = new Map<string, number>();
  return (title) => {
    const anchor = title.trim().replace(/\s+/gu, '_');
    const times = (seen.get(anchor.toLowerCase()) ?? 0) + 1;
    seen.set(anchor.toLowerCase(), times);
    return times === 1 ? anchor : `${anchor}_${times}`;
  };
}

export interface HeadingText {
  /** Without the id. */
  readonly text: string;
  readonly customId: string | undefined;
}

/** Splits off an id written behind a heading: `Install {#setup}`, or the same in an MDX comment inside the braces. */
export function splitCustomId(heading: string): HeadingText {
  const trimmed = heading.trimEnd();
  const open = trimmed.endsWith('}') ? trimmed.lastIndexOf('{') : -1;
  const id = open < 0 ? undefined : /^\{(?:#([^\s{}]+)|\/\*\s*#([^\s{}*]+)\s*\*\/)\}$/u.exec(trimmed.slice(open));
  if (id === undefined || id === null) return { text: trimmed, customId: undefined };
  return { text: trimmed.slice(0, open).trimEnd(), customId: id[1] ?? id[2] };
}
