/** A section for each question: what every preset found and answered, and how. */
import type { Candidate, FoundDocument, Sighting } from './sighting.ts';
import {
  best,
  MAIN_METRIC,
  mainFigure,
  metricName,
  spread,
  type PageInput,
  type PagePreset,
  type Row,
  type View,
} from './input.ts';
import { figure, html, milliseconds, NOTHING, type Markup } from './markup.ts';

/** Sections, and explanations, that a page of a few megabytes has room for. */
export const MOST_QUESTIONS = 500;
export const EXPLANATION_CHARS = 2_500_000;

export const viewId = (row: Row, { preset }: View): string =>
  `q${row.index}-${row.views.findIndex((view) => view.preset === preset)}`;

export const confidenceOf = ({ result: { answer } }: View): string => answer?.confidence?.toFixed(2) ?? '';

/** `answered 0.82`: an outcome with its confidence. */
export function outcomeOf(view: View): string {
  const { answer } = view.result;
  if (answer === null) return '';
  return `${answer.outcome === 'insufficient-context' ? 'refused' : answer.outcome} ${confidenceOf(view)}`.trimEnd();
}

/** The rank of the first relevant document; for a question without one, whether it was refused. */
export function rankChip({ result, sighting: { firstRelevant: rank } }: View): Markup {
  if (!result.answerable) {
    if (result.answer === null) return html`<span class="chip none">–</span>`;
    return result.answer.outcome === 'answered'
      ? html`<span class="chip miss">answered</span>`
      : html`<span class="chip top">refused</span>`;
  }
  if (rank === null) return html`<span class="chip miss">not found</span>`;
  return html`<span class="chip ${rank === 1 ? 'top' : rank <= 5 ? 'near' : 'far'}">rank ${rank}</span>`;
}

/** The questions that get a section: those on which presets differ first, then those that went worst. */
export function shownQuestions(rows: readonly Row[]): ReadonlySet<number> {
  const ordered = [...rows].sort(byInterest);
  return new Set(ordered.slice(0, MOST_QUESTIONS).map(({ index }) => index));
}

const byInterest = (a: Row, b: Row): number => spread(b) - spread(a) || best(a) - best(b) || a.index - b.index;

export function questionsSection(input: PageInput, rows: readonly Row[], shown: ReadonlySet<number>): Markup {
  const explanations = explain(rows.filter(({ index }) => shown.has(index)));
  const kinds = [...new Set(rows.flatMap(({ views }) => views[0]?.result.kind ?? []))].sort();
  const hidden = rows.length - shown.size;
  return html`<section id="questions">
    <h2>Questions</h2>
    <form class="filters" id="filters" hidden>
      <label>Find <input type="search" id="find" placeholder="words of a question" /></label>
      <label
        >Kind
        <select id="kind">
          <option value="">all</option>
          ${kinds.map((kind) => html`<option>${kind}</option>`)}
        </select></label
      >
      <label
        >Show
        <select id="which">
          <option value="">all</option>
          ${input.presets.length > 1 ? html`<option value="differs">where presets differ</option>` : null}
          <option value="missed">where no preset has rank 1</option>
        </select></label
      >
      <label
        >Order
        <select id="order">
          <option value="file">as in the file</option>
          ${input.presets.length > 1 ? html`<option value="spread">largest difference first</option>` : null}
          <option value="worst">worst first</option>
        </select></label
      >
      <output id="shown"></output>
    </form>
    ${hidden > 0 ? html`<p class="muted">${shown.size} of ${rows.length} questions have a section: those on which presets differ most, then those that went worst.</p>` : null}
    ${explanations.left > 0 ? html`<p class="muted">${explanations.left} explanations are left out to keep this page small: of questions on which presets agree most. The command shows each.</p>` : null}
    <div id="list">
      ${rows.filter(({ index }) => shown.has(index)).map((row) => questionDetails(row, input.presets, explanations.of))}
    </div>
  </section> `;
}

/** Explanations while there is room, for the questions of most interest first. */
function explain(rows: readonly Row[]): { readonly of: ReadonlyMap<View, Markup>; readonly left: number } {
  const made = new Map<View, Markup>();
  let chars = 0;
  let left = 0;
  for (const row of [...rows].sort(byInterest)) {
    for (const view of row.views) {
      if (view.sighting.stages.length === 0) continue;
      const explanation = chars < EXPLANATION_CHARS ? explanationOf(view) : null;
      if (explanation === null) left += 1;
      else made.set(view, explanation);
      chars += explanation?.markup.length ?? 0;
    }
  }
  return { of: made, left };
}

function questionDetails(row: Row, presets: readonly PagePreset[], explanations: ReadonlyMap<View, Markup>): Markup {
  const [first] = row.views;
  if (first === undefined) return NOTHING;
  const { query, kind, id } = first.result;
  return html`<details
    class="question"
    id="q${row.index}"
    data-kind="${kind ?? ''}"
    data-spread="${spread(row).toFixed(3)}"
    data-worst="${worst(row).toFixed(3)}"
    data-missed="${missed(row) ? 1 : 0}"
  >
    <summary>
      <span class="query"><bdi>${query}</bdi></span>
      <span class="chips"
        >${kind === null ? null : html`<span class="kind"><bdi>${kind}</bdi></span>`}${row.views.map((view) => html`<span class="by"><bdi>${view.preset}</bdi> ${rankChip(view)}</span>`)}</span
      >
    </summary>
    <p class="muted"><bdi>${id}</bdi></p>
    ${labelsOf(first.sighting, first.result.answerable)}
    <div class="views">${row.views.map((view) => viewOf(row, view, presets, explanations.get(view)))}</div>
  </details> `;
}

const worst = ({ views }: Row): number => Math.min(...views.map((view) => mainFigure(view) ?? 1));

const missed = ({ views }: Row): boolean =>
  views.every(({ result, sighting }) =>
    result.answerable ? sighting.firstRelevant !== 1 : result.answer?.outcome === 'answered',
  );

function labelsOf({ labels, quotes }: Sighting, answerable: boolean): Markup {
  if (!answerable) return html`<p>The documents do not answer it.</p>`;
  return html`<p>
      Relevant:
      ${labels.map(
        ({ label, indexed }, index) =>
          html`${index === 0 ? '' : ', '}<span class="path"><bdi>${label}</bdi></span
            >${indexed ? null : html` <span class="fail">not indexed</span>`}`,
      )}
    </p>
    ${quotes.map((quote) => html`<blockquote><bdi>${quote}</bdi></blockquote>`)}`;
}

function viewOf(row: Row, view: View, presets: readonly PagePreset[], explanation: Markup | undefined): Markup {
  const { result, sighting } = view;
  const facts = [
    ...(result.retrieval === null
      ? []
      : [`${metricName(MAIN_METRIC)} ${figure(mainFigure(view))}`, `MRR@10 ${figure(result.retrieval['mrr@10'])}`]),
    ...(result.answer?.quoteHit == null ? [] : [result.answer.quoteHit === 1 ? 'quote hit' : 'quote missed']),
    milliseconds(result.latencyMs),
  ];
  const command = presets.find(({ name }) => name === view.preset)?.command(result.query);
  return html`<article id="${viewId(row, view)}" tabindex="-1">
    <h3><bdi>${view.preset}</bdi> ${rankChip(view)}</h3>
    <p class="muted">${facts.join(' · ')}</p>
    <ol class="found">
      ${sighting.documents.map(documentItem)}
    </ol>
    ${answerOf(view)} ${explanation ?? null}
    ${command === undefined ? null : html`<pre class="command"><code>${command}</code></pre>`}
  </article>`;
}

const documentItem = ({ name, relevant }: FoundDocument): Markup =>
  html`<li class="path${relevant ? ' right' : ''}">
    <bdi>${name}</bdi>${relevant ? html` <span class="mark">relevant</span>` : null}
  </li>`;

function answerOf(view: View): Markup {
  const { answer } = view.sighting;
  if (answer === null) return NOTHING;
  return html`<p class="outcome">
      ${outcomeOf(view)}${answer.cites.length === 0 ? null : html`, cites ${answer.cites.map(({ name, relevant }, index) => html`${index === 0 ? '' : ', '}<span class="path${relevant ? ' right' : ''}"><bdi>${name}</bdi></span>`)}`}
    </p>
    ${view.result.answer?.outcome === 'answered' ? html`<p class="answer"><bdi>${answer.text}</bdi></p>` : null}`;
}

function explanationOf({ sighting: { stages, ranking, candidates } }: View): Markup {
  return html`<details class="explanation">
    <summary>how it was found</summary>
    <dl class="stages">
      ${stages.map(
        ({ stage, milliseconds: time, detail }) =>
          html`<div>
            <dt>${stage} <span class="muted">${time.toFixed(1)} ms</span></dt>
            <dd>${detail}</dd>
          </div>`,
      )}
    </dl>
    ${
      candidates.length === 0
        ? null
        : html`<div class="scroll" tabindex="0">
            <table class="data candidates">
              <thead>
                <tr>
                  <th scope="col">candidate</th>
                  ${ranking.map((stage) => html`<th scope="col" class="num">${stage}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${candidates.map(candidateRow)}
              </tbody>
            </table>
          </div>`
    }
  </details>`;
}

const candidateRow = ({ name, section, relevant, reasons, ranks }: Candidate): Markup =>
  html`<tr ${relevant ? RIGHT : ''}>
    <td>
      ${name}${section === '' ? null : html` <i>${section}</i>`}${reasons.map((text) => html`<small>${text}</small>`)}
    </td>
    ${ranks.map((rank) => (rank === null ? html`<td>–</td>` : html`<td>${rank[0]} <i>${rank[1].toPrecision(3)}</i></td>`))}
  </tr>`;

const RIGHT: Markup = html`class="right"`;
