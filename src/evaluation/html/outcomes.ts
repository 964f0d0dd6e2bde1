/** What became of the questions, whether refusals were right, and whether confidence means what it says. */
import { confidencesOf, type Confidence } from '../measures.ts';
import type { QuestionResult } from '../types.ts';
import type { PageInput } from './input.ts';
import { figure, html, intervalText, NOTHING, type Markup } from './markup.ts';
import { figuresTable, type Column } from './figures.ts';

const ABSTENTION: readonly Column[] = [
  { metric: 'answeredAnswerable', of: ({ answers }) => answers.answeredAnswerable },
  { metric: 'abstention.precision', of: ({ answers }) => answers.abstention.precision },
  { metric: 'abstention.recall', of: ({ answers }) => answers.abstention.recall },
  { metric: 'abstention.auroc', of: ({ answers }) => answers.abstention.auroc },
];

export function outcomesSection({ evaluation: { report, results } }: PageInput): Markup {
  const asked = [...results].filter(([, questions]) => questions.some(({ answer }) => answer !== null));
  if (asked.length === 0) return NOTHING;
  const names = new Set(asked.map(([name]) => name));
  const presets = Object.entries(report.presets).filter(([name]) => names.has(name));
  return html`<section id="outcomes">
      <h2>Answered or refused</h2>
      <p class="legend">
        <span class="key right"></span> right: an answer that cites a relevant document, or a refusal where there is no
        answer <span class="key wrong"></span> wrong <span class="key refused"></span> refused although there is an
        answer
      </p>
      <table class="plot wide bars">
        <thead>
          <tr>
            <th scope="col">preset</th>
            <th scope="col">answerable</th>
            <th scope="col">not answerable</th>
          </tr>
        </thead>
        <tbody>
          ${asked.map(
            ([name, questions]) =>
              html`<tr>
                <th scope="row"><bdi>${name}</bdi></th>
                <td class="drawn" data-head="answerable">${stack(answerableParts(questions))}</td>
                <td class="drawn" data-head="not answerable">${stack(unanswerableParts(questions))}</td>
              </tr> `,
          )}
        </tbody>
      </table>
      ${figuresTable(presets, ABSTENTION)}
    </section>
    ${reliability(asked, report.presets)}`;
}

interface Part {
  readonly look: 'right' | 'wrong' | 'refused';
  readonly name: string;
  readonly count: number;
}

function answerableParts(questions: readonly QuestionResult[]): Part[] {
  const answers = questions.flatMap(({ answerable, answer }) => (answerable && answer !== null ? [answer] : []));
  const answered = answers.filter(({ outcome }) => outcome === 'answered');
  const right = answered.filter(({ citesRelevant }) => citesRelevant).length;
  return [
    { look: 'right', name: 'right', count: right },
    { look: 'wrong', name: 'wrong', count: answered.length - right },
    { look: 'refused', name: 'refused', count: answers.length - answered.length },
  ];
}

function unanswerableParts(questions: readonly QuestionResult[]): Part[] {
  const answers = questions.flatMap(({ answerable, answer }) => (!answerable && answer !== null ? [answer] : []));
  const answered = answers.filter(({ outcome }) => outcome === 'answered').length;
  return [
    { look: 'right', name: 'refused', count: answers.length - answered },
    { look: 'wrong', name: 'answered', count: answered },
  ];
}

/** A bar of shares; counts stand in it where there is room, and in its label always. */
function stack(parts: readonly Part[]): Markup {
  const total = parts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return html`–`;
  let before = 0;
  const bars = parts.map(({ look, count }) => {
    const [start, share] = [(100 * before) / total, (100 * count) / total];
    before += count;
    if (count === 0) return NOTHING;
    const text =
      share < 9
        ? null
        : html`<text class="on-${look}" x="${(start + share / 2).toFixed(2)}%" y="16" text-anchor="middle"
            >${count}</text
          >`;
    return html`<rect class="${look}" x="${start.toFixed(2)}%" width="${share.toFixed(2)}%" y="2" height="20"
        ><title>${count} ${look}</title></rect
      >${text}`;
  });
  const label = parts.map(({ name, count }) => `${name} ${count}`).join(', ');
  return html`<svg width="100%" height="24" role="img" aria-label="${label} of ${total}">${bars}</svg>`;
}

const BINS = 5;
const SIDE = 200;
const MARGIN = { left: 34, bottom: 34, top: 8, right: 10 };

function reliability(
  asked: readonly (readonly [string, readonly QuestionResult[]])[],
  presets: PageInput['evaluation']['report']['presets'],
): Markup {
  const charts = asked.map(([name, questions]) => {
    const confidences = confidencesOf(questions);
    const auroc = presets[name]?.answers.abstention.auroc ?? null;
    const text =
      confidences.length === 0
        ? html`<p class="muted">No confidence was fitted for this preset.</p>`
        : html`${diagram(name, binsOf(confidences))}
            <p class="muted">
              AUROC ${figure(auroc)} · ${confidences.length} answers · mean gap ${figure(meanGap(binsOf(confidences)))}
            </p>`;
    return html`<figure>
      <figcaption><bdi>${name}</bdi></figcaption>
      ${text}
    </figure>`;
  });
  return html`<section id="reliability">
    <h2>Reliability of confidence</h2>
    <p class="muted">
      Across: the confidence of answers and refusals. Up: the share that cites a relevant document, with its 95 %
      interval (Wilson). On the dashed line confidence means what it says; the size of a dot is the number of questions.
    </p>
    <div class="figures">${charts}</div>
  </section> `;
}

interface Bin {
  readonly confidence: number;
  readonly share: number;
  readonly count: number;
  readonly interval: readonly [number, number];
}

function binsOf(confidences: readonly Confidence[]): Bin[] {
  return Array.from({ length: BINS }, (_, bin) =>
    confidences.filter(({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin),
  )
    .filter((members) => members.length > 0)
    .map((members) => {
      const count = members.length;
      const right = members.filter((member) => member.right).length;
      const confidence = members.reduce((sum, member) => sum + member.confidence, 0) / count;
      return { confidence, share: right / count, count, interval: wilson(right, count) };
    });
}

/** Expected calibration error: how far share and confidence are apart, weighted by questions. */
function meanGap(bins: readonly Bin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  return bins.reduce((sum, { confidence, share, count }) => sum + (Math.abs(confidence - share) * count) / total, 0);
}

/** The score interval of a share (Wilson, 1927), 95 %. */
export function wilson(right: number, count: number): readonly [number, number] {
  const z = 1.96;
  const share = right / count;
  const middle = (share + (z * z) / (2 * count)) / (1 + (z * z) / count);
  const half = (z / (1 + (z * z) / count)) * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

function diagram(name: string, bins: readonly Bin[]): Markup {
  const width = SIDE - MARGIN.left - MARGIN.right;
  const height = SIDE - MARGIN.top - MARGIN.bottom;
  const x = (value: number): string => (MARGIN.left + value * width).toFixed(1);
  const y = (value: number): string => (MARGIN.top + (1 - value) * height).toFixed(1);
  const most = Math.max(...bins.map(({ count }) => count));
  const label = bins.map(
    ({ confidence, share, count }) => `${figure(share)} right at ${figure(confidence)} (${count})`,
  );
  return html`<svg class="square" width="${SIDE}" height="${SIDE}" role="img" aria-label="${name}: ${label.join('; ')}">
    ${[0, 0.5, 1].map((tick) => html`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${y(0)}" y2="${y(1)}" /><line class="grid" x1="${x(0)}" x2="${x(1)}" y1="${y(tick)}" y2="${y(tick)}" /><text x="${x(tick)}" y="${SIDE - 18}" text-anchor="middle">${tick}</text><text x="${MARGIN.left - 6}" y="${Number(y(tick)) + 4}" text-anchor="end">${tick}</text>`)}
    <line class="diagonal" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" />
    ${bins.map(
      ({ confidence, share, count, interval }) =>
        html`<line
            class="interval weak"
            x1="${x(confidence)}"
            x2="${x(confidence)}"
            y1="${y(interval[0])}"
            y2="${y(interval[1])}"
          /><circle
            class="dot strong"
            cx="${x(confidence)}"
            cy="${y(share)}"
            r="${(3 + 6 * Math.sqrt(count / most)).toFixed(1)}"
            ><title>
              ${count} answers: ${figure(share)} right (${intervalText(interval)}) at confidence ${figure(confidence)}
            </title></circle
          >`,
    )}
    <text x="${x(0.5)}" y="${SIDE - 3}" text-anchor="middle">confidence</text>
  </svg>`;
}
