/** A title is stored with every chunk below it: a heading of 200,000 characters would make an index of gigabytes. */
const MOST_CHARS = 500;

export const shortTitle = (title: string): string =>
  title.length <= MOST_CHARS ? title : `${title.slice(0, MOST_CHARS).replace(/[\ud800-\udbff]$/u, '')}…`;
