/** Wins and losses, question by question, for each pair of presets. */
import { allPairs } from '../compare.ts';
import {
  best,
  comparedPairs,
  MAIN_METRIC,
  mainFigure,
  metricName,
  type PageInput,
  type Pair,
  type Row,
  type View,
} from './input.ts';
import { html, NOTHING, signed, type Markup } from './markup.ts';
import { confidenceOf, outcomeOf, rankChip, viewId } from './questions.ts';

/** More pairs than this are not listed question by question: their differences are in the charts. */
const MOST_PAIRS = 21;
const MOST_ROWS = 200;

interface Duel {
  readonly row: Row;
  readonly a: View;
  readonly b: View;
  readonly difference: number;
}

/** `shown` are the questions that have a section of their own. */
export function pairsSection(input: PageInput, rows: readonly Row[], shown: ReadonlySet<number>): Markup {
  const pairs = pairsOf(input);
  if (pairs.length === 0) return NOTHING;
  const listed = pairs.slice(0, MOST_PAIRS);
  const left = pairs.length - listed.length;
  return html`<section id="pairs">
    <h2>Wins and losses</h2>
    <p class="muted">
      By the difference of ${metricName(MAIN_METRIC)}, first minus second; also listed are questions that one of the two
      answered and the other refused. A rank is that of the first relevant document, and links to the explanation of its
      search.
    </p>
    ${listed.map((pair, index) => pairDetails(pair, rows, shown, index === 0))}
    ${left > 0 ? html`<p class="muted">${left} more pairs are not listed here.</p>` : null}
  </section> `;
}

/** Those that were compared; where there is nothing to compare by, each with each. */
function pairsOf({ evaluation: { report }, presets }: PageInput): Pair[] {
  const compared = comparedPairs(report.comparisons);
  return compared.length > 0 ? compared : allPairs(presets.map(({ name }) => name));
}

function pairDetails([nameA, nameB]: Pair, rows: readonly Row[], shown: ReadonlySet<number>, open: boolean): Markup {
  const duels = rows.flatMap((row) => duelOf(row, nameA, nameB) ?? []);
  const wins = duels.filter(({ difference }) => difference > 0).length;
  const losses = duels.filter(({ difference }) => difference < 0).length;
  const differing = duels
    .filter(({ a, b, difference }) => difference !== 0 || a.result.answer?.outcome !== b.result.answer?.outcome)
    .sort((x, y) => y.difference - x.difference || best(y.row) - best(x.row) || x.row.index - y.row.index);
  const listed = middleLeftOut(differing);
  return html`<details class="pair" ${open ? 'open' : ''}>
    <summary>
      <bdi>${nameA}</bdi> against <bdi>${nameB}</bdi>
      <span class="score"
        ><span class="win">${wins} better</span> <span class="loss">${losses} worse</span>
        <span class="muted">${duels.length - wins - losses} equal</span></span
      >
    </summary>
    ${waterfall(duels, nameA, nameB)}
    ${differing.length === 0 ? html`<p class="muted">No question differs.</p>` : duelTable(listed, nameA, nameB, shown)}
    ${listed.length < differing.length ? html`<p class="muted">The ${listed.length} largest of ${differing.length} differences are listed.</p>` : null}
  </details> `;
}

function duelOf(row: Row, nameA: string, nameB: string): Duel | null {
  const [a, b] = [nameA, nameB].map((name) => row.views.find(({ preset }) => preset === name));
  if (a === undefined || b === undefined) return null;
  return { row, a, b, difference: (mainFigure(a) ?? 0) - (mainFigure(b) ?? 0) };
}

function middleLeftOut(sorted: readonly Duel[]): readonly Duel[] {
  const half = MOST_ROWS / 2;
  return sorted.length <= MOST_ROWS ? sorted : [...sorted.slice(0, half), ...sorted.slice(-half)];
}

/** A bar a question, wins first: how much of the mean difference a few questions carry is seen at once. */
function waterfall(duels: readonly Duel[], nameA: string, nameB: string): Markup {
  const sorted = duels.map(({ difference }) => difference).filter((difference) => difference !== 0);
  if (sorted.length === 0) return NOTHING;
  sorted.sort((x, y) => y - x);
  const width = 100 / sorted.length;
  const bars = sorted.map((difference, index) => {
    const height = Math.max(1, Math.abs(difference) * 38);
    const top = difference > 0 ? 40 - height : 40;
    return html`<rect
      class="${difference > 0 ? 'win' : 'loss'}"
      x="${(index * width).toFixed(2)}%"
      width="${(width * 0.86).toFixed(2)}%"
      y="${top.toFixed(1)}"
      height="${height.toFixed(1)}"
    />`;
  });
  return html`<svg
    class="waterfall"
    width="100%"
    height="80"
    role="img"
    aria-label="Differences by question: above the line ${nameA} is better, below it ${nameB}"
  >
    ${bars}
    <line class="zero" x1="0" x2="100%" y1="40" y2="40" />
  </svg>`;
}

function duelTable(duels: readonly Duel[], nameA: string, nameB: string, shown: ReadonlySet<number>): Markup {
  return html`<div class="scroll" tabindex="0">
    <table class="data sortable duels">
      <thead>
        <tr>
          <th scope="col" class="num">difference</th>
          <th scope="col">question</th>
          <th scope="col">kind</th>
          <th scope="col" class="num"><bdi>${nameA}</bdi></th>
          <th scope="col" class="num"><bdi>${nameB}</bdi></th>
        </tr>
      </thead>
      <tbody>
        ${duels.map(
          ({ row, a, b, difference }) =>
            html`<tr>
              <td class="num ${difference > 0 ? 'win' : difference < 0 ? 'loss' : 'muted'}" data-value="${difference}">
                ${signed(difference)}
              </td>
              <td>
                ${shown.has(row.index) ? html`<a href="#q${row.index}"><bdi>${a.result.query}</bdi></a>` : html`<bdi>${a.result.query}</bdi>`}
              </td>
              <td><bdi>${a.result.kind ?? ''}</bdi></td>
              ${[a, b].map((view) => side(row, view, shown))}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
}

function side(row: Row, view: View, shown: ReadonlySet<number>): Markup {
  const rank = view.sighting.firstRelevant;
  const chip = rankChip(view);
  const linked = shown.has(row.index)
    ? html`<a href="#${viewId(row, view)}" title="${view.preset}: how this was found">${chip}</a>`
    : chip;
  return html`<td class="num" data-value="${rank ?? 99}">
    ${linked}<small>${view.result.answerable ? outcomeOf(view) : confidenceOf(view)}</small>
  </td>`;
}
