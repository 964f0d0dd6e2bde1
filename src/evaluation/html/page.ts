/**
 * One self-contained page about an evaluation. Its policy forbids every request and every script and style but its
 * own two, named by their hash, so that not even a mistake in escaping could run or fetch anything.
 */
import { createHash } from 'node:crypto';
import { answersSection, latencySection, retrievalSection } from './figures.ts';
import { forestSection } from './forest.ts';
import { gate, head, presetsAndIndexes, warnings } from './head.ts';
import { rowsOf, type PageInput } from './input.ts';
import { kindsSection } from './kinds.ts';
import { html, type Markup } from './markup.ts';
import { outcomesSection } from './outcomes.ts';
import { pairsSection } from './pairs.ts';
import { questionsSection, shownQuestions } from './questions.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

const NAMES: Readonly<Record<string, string>> = {
  warnings: 'Warnings',
  gate: 'Gate',
  retrieval: 'Retrieval',
  charts: 'Charts',
  differences: 'Differences',
  kinds: 'Kinds',
  answers: 'Answers',
  outcomes: 'Refusals',
  reliability: 'Reliability',
  latency: 'Latency',
  presets: 'Presets',
  pairs: 'Wins and losses',
  questions: 'Questions',
};

/** A whole HTML document. Same input, same bytes. */
export function evaluationPage(input: PageInput): string {
  const rows = rowsOf(input);
  const shown = shownQuestions(rows);
  const sections = [
    warnings(input),
    gate(input),
    retrievalSection(input),
    forestSection(input),
    kindsSection(input),
    answersSection(input),
    outcomesSection(input),
    latencySection(input),
    presetsAndIndexes(input),
    pairsSection(input, rows, shown),
    questionsSection(input, rows, shown),
  ];
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy()}" />
        <meta name="referrer" content="no-referrer" />
        <title>Evaluation of ${input.target}</title>
        ${inline('style', STYLE)}
      </head>
      <body>
        ${head(input)}${navigation(sections)}
        <main>${sections}</main>
        <footer>Made by <code>footnote eval --html</code>. This page loads nothing.</footer>
        ${inline('script', SCRIPT)}
      </body>
    </html> `;
  return page.markup;
}

/** As it is, to the byte: the policy names its hash. */
const inline = (element: 'style' | 'script', text: string): Markup => ({ markup: `<${element}>${text}</${element}>` });

function navigation(sections: readonly Markup[]): Markup {
  const ids = sections.flatMap(({ markup }) =>
    [...markup.matchAll(/<section id="(\w+)">/g)].map((match) => match[1] ?? ''),
  );
  return html`<nav aria-label="Sections">${ids.map((id) => html`<a href="#${id}">${NAMES[id] ?? id}</a>`)}</nav> `;
}

function policy(): string {
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return `default-src 'none'; style-src ${hash(STYLE)}; script-src ${hash(SCRIPT)}; base-uri 'none'; form-action 'none'`;
}
