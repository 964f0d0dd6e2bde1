/** Kinds of question apart: kinds down, presets across, the shade by the figure. */
import type { KindReport } from '../types.ts';
import { metricName, type PageInput } from './input.ts';
import { figure, html, intervalText, NOTHING, type Markup } from './markup.ts';

type KindMetric = Exclude<keyof KindReport, 'questions' | 'intervals'>;

const METRICS: readonly KindMetric[] = ['ndcg@10', 'mrr@10', 'recall@30', 'quoteHit', 'citesRelevant', 'refused'];

export function kindsSection({ evaluation: { report } }: PageInput): Markup {
  const presets = Object.entries(report.presets);
  const counts = new Map(
    presets.flatMap(([, { byKind }]) =>
      Object.entries(byKind).map(([kind, { questions }]) => [kind, questions] as const),
    ),
  );
  if (counts.size === 0) return NOTHING;
  const kinds = [...counts].sort(([, a], [, b]) => b - a);
  const tables = METRICS.filter((metric) =>
    presets.some(([, { byKind }]) => Object.values(byKind).some((kind) => kind[metric] !== null)),
  );
  const table = (metric: KindMetric): Markup =>
    html`<div class="scroll" tabindex="0">
      <table class="data sortable heat">
        <caption>
          ${captionOf(metric)}
        </caption>
        <thead>
          <tr>
            <th scope="col">kind</th>
            <th scope="col" class="num">questions</th>
            ${presets.map(([name]) => html`<th scope="col" class="num"><bdi>${name}</bdi></th>`)}
          </tr>
        </thead>
        <tbody>
          ${kinds.map(
            ([kind, questions]) =>
              html`<tr>
                <th scope="row"><bdi>${kind}</bdi></th>
                <td class="num">${questions}</td>
                ${presets.map(([, { byKind }]) => cell(byKind[kind], metric))}
              </tr> `,
          )}
        </tbody>
      </table>
    </div> `;
  const [first, ...rest] = tables;
  if (first === undefined) return NOTHING;
  return html`<section id="kinds">
    <h2>Kinds of question</h2>
    ${table(first)}
    ${rest.map(
      (metric) =>
        html`<details>
          <summary>${captionOf(metric)}</summary>
          ${table(metric)}
        </details>`,
    )}
  </section> `;
}

const captionOf = (metric: KindMetric): string =>
  metric === 'refused' ? 'refused (share of the questions; right where they are not answerable)' : metricName(metric);

function cell(kind: KindReport | undefined, metric: KindMetric): Markup {
  const value = kind?.[metric] ?? null;
  if (value === null) return html`<td class="num">–</td>`;
  const interval = kind?.intervals[metric];
  const shade = metric === 'refused' ? '' : ` shade${Math.round(value * 5)}`;
  return html`<td class="num${shade}" data-value="${value}">
    ${figure(value)}${interval === undefined ? null : html`<small>${intervalText(interval)}</small>`}
  </td>`;
}
