/** The figures of each preset: tables with intervals, and dots on their intervals. */
import { RETRIEVAL_METRICS, type PresetReport } from '../types.ts';
import { metricName, type PageInput } from './input.ts';
import { figure, html, intervalText, milliseconds, NOTHING, type Markup } from './markup.ts';
import { dotAndInterval, linearScale, logScale, plot, type Scale } from './plot.ts';

type Presets = readonly (readonly [name: string, preset: PresetReport])[];

export interface Column {
  readonly metric: string;
  readonly of: (preset: PresetReport) => number | null;
}

const RETRIEVAL: readonly Column[] = RETRIEVAL_METRICS.map((metric) => ({
  metric,
  of: ({ retrieval }) => retrieval[metric],
}));

const ANSWERS: readonly Column[] = [
  { metric: 'quoteHit', of: ({ answers }) => answers.quoteHit },
  { metric: 'keywordRecall', of: ({ answers }) => answers.keywordRecall },
  { metric: 'citesRelevant', of: ({ answers }) => answers.citesRelevant },
  { metric: 'citationPrecision', of: ({ answers }) => answers.citationPrecision },
  { metric: 'citationRecall', of: ({ answers }) => answers.citationRecall },
];

const CHARTED = ['ndcg@10', 'mrr@10', 'recall@30', 'hit@1', 'quoteHit', 'citesRelevant'];

export function retrievalSection({ evaluation: { report } }: PageInput): Markup {
  const presets = Object.entries(report.presets);
  return html`<section id="retrieval">
      <h2>Retrieval</h2>
      <p class="muted">
        Means over ${report.answerable} answerable questions; below each its 95 % bootstrap interval. The best of a
        column is bold.
      </p>
      ${figuresTable(presets, RETRIEVAL)}
    </section>
    <section id="charts">
      <h2>Metrics by preset</h2>
      <p class="muted">
        A dot is the mean, the line its 95 % interval: what other questions of the same kind might have given. Each
        chart has its own axis.
      </p>
      <div class="charts">
        ${CHARTED.flatMap((metric) => [...RETRIEVAL, ...ANSWERS].filter((column) => column.metric === metric)).map((column) => chart(presets, column))}
      </div>
    </section> `;
}

export function answersSection({ evaluation: { report, results } }: PageInput): Markup {
  const asked = (name: string): boolean => results.get(name)?.some(({ answer }) => answer !== null) === true;
  const presets = Object.entries(report.presets).filter(([name]) => asked(name));
  if (presets.length === 0) return NOTHING;
  return html`<section id="answers">
    <h2>Answers</h2>
    ${figuresTable(presets, ANSWERS)}
    <div class="scroll" tabindex="0">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">preset</th>
            <th scope="col" class="num">words p50</th>
            <th scope="col" class="num">words p95</th>
            <th scope="col" class="num">from a cache</th>
            <th scope="col" class="num">citations equal to their source</th>
          </tr>
        </thead>
        <tbody>
          ${presets.map(
            ([name, { answerWords, cacheHitRate, answers }]) =>
              html`<tr>
                <th scope="row"><bdi>${name}</bdi></th>
                <td class="num">${whole(answerWords.p50)}</td>
                <td class="num">${whole(answerWords.p95)}</td>
                <td class="num">${figure(cacheHitRate)}</td>
                <td class="num">${exact(answers.citationsExact)}</td>
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
  </section> `;
}

const whole = (value: number | null): string => value?.toFixed(0) ?? '–';

function exact(counts: PresetReport['answers']['citationsExact']): Markup {
  if (counts === null) return html`–`;
  const { checked, equal } = counts;
  return equal === checked ? html`${equal} of ${checked}` : html`<span class="fail">${equal} of ${checked}</span>`;
}

/** Presets down, metrics across. */
export function figuresTable(presets: Presets, columns: readonly Column[]): Markup {
  const shown = columns.filter(({ of }) => presets.some(([, preset]) => of(preset) !== null));
  const best = new Map(shown.map(({ metric, of }) => [metric, highest(presets.map(([, preset]) => of(preset)))]));
  return html`<div class="scroll" tabindex="0">
    <table class="data sortable">
      <thead>
        <tr>
          <th scope="col">preset</th>
          ${shown.map(({ metric }) => html`<th scope="col" class="num">${metricName(metric)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${presets.map(
          ([name, preset]) =>
            html`<tr>
              <th scope="row"><bdi>${name}</bdi></th>
              ${shown.map(({ metric, of }) => {
                const value = of(preset);
                const interval = preset.intervals[metric];
                const isBest = presets.length > 1 && value !== null && figure(value) === best.get(metric);
                return html`<td class="num" data-value="${value ?? -1}">
                  ${isBest ? html`<strong>${figure(value)}</strong>` : figure(value)}${interval === undefined ? null : html`<small>${intervalText(interval)}</small>`}
                </td>`;
              })}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `;
}

/** As it is shown: what looks equal is equally good. */
function highest(values: readonly (number | null)[]): string | null {
  const measured = values.flatMap((value) => value ?? []);
  return measured.length === 0 ? null : figure(Math.max(...measured));
}

function chart(presets: Presets, { metric, of }: Column): Markup {
  const measured = presets.flatMap(([name, preset]) => {
    const value = of(preset);
    return value === null ? [] : [{ name, value, interval: preset.intervals[metric] }];
  });
  if (measured.length === 0) return NOTHING;
  const values = measured.flatMap(({ value, interval }) => [value, ...(interval ?? [])]);
  const scale = linearScale(values, { atLeast: 0.2, within: [0, 1] });
  const best = Math.max(...measured.map(({ value }) => value));
  const rows = measured.map(({ name, value, interval }) => ({
    name: html`<bdi>${name}</bdi>`,
    label: `${name}: ${figure(value)}${interval === undefined ? '' : `, 95 % interval ${intervalText(interval)}`}`,
    drawing: dotAndInterval(scale, value, interval, measured.length > 1 && value === best ? 'strong' : 'plain'),
    figures: [figure(value)],
  }));
  return plot(metricName(metric), scale, rows);
}

export function latencySection({ evaluation: { report, results } }: PageInput): Markup {
  const times = [...results].map(([name, questions]) => ({
    name,
    values: questions.map(({ latencyMs }) => latencyMs),
  }));
  if (times.every(({ values }) => values.length === 0)) return NOTHING;
  const scale = logScale(times.flatMap(({ values }) => values));
  const rows = times.map(({ name, values }) => {
    const { p50, p95 } = report.presets[name]?.latencyMs ?? { p50: null, p95: null };
    return {
      name: html`<bdi>${name}</bdi>`,
      label: `${name}: half of the questions within ${milliseconds(p50 ?? 0)}, 95 % within ${milliseconds(p95 ?? 0)}`,
      drawing: html`${ticksOf(values, scale)}<line
          class="interval strong"
          x1="${scale.place(p50 ?? 0)}"
          x2="${scale.place(p95 ?? 0)}"
          y1="13"
          y2="13"
        /><circle class="dot strong" cx="${scale.place(p50 ?? 0)}" cy="13" r="5" /><line
          class="end"
          x1="${scale.place(p95 ?? 0)}"
          x2="${scale.place(p95 ?? 0)}"
          y1="7"
          y2="19"
        />`,
      figures: [milliseconds(p50 ?? 0), milliseconds(p95 ?? 0)],
    };
  });
  return html`<section id="latency">
    <h2>Latency</h2>
    <p class="muted">
      Each tick is a question, on a logarithmic axis; the dot is the median, the bar ends at the 95th percentile. The
      two figures are p50 and p95.
    </p>
    ${plot('Time of a question', scale, rows, 'plot wide')}
  </section> `;
}

/** Questions that would be drawn at the same place are one darker tick. */
function ticksOf(values: readonly number[], scale: Scale): Markup[] {
  const counts = new Map<string, number>();
  for (const value of values) {
    const place = `${Math.round(parseFloat(scale.place(value)) * 2) / 2}%`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts].map(
    ([place, count]) =>
      html`<line
        class="tick"
        x1="${place}"
        x2="${place}"
        y1="4"
        y2="22"
        opacity="${Math.min(0.9, 0.2 + count * 0.1).toFixed(1)}"
      />`,
  );
}
