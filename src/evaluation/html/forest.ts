/** Differences between presets with their intervals: right of zero the first of the two is better. */
import type { Comparison } from '../types.ts';
import { MAIN_METRIC, metricName, type PageInput } from './input.ts';
import { html, intervalText, NOTHING, pValue, signed, type Markup } from './markup.ts';
import { dotAndInterval, plot, symmetricScale } from './plot.ts';

/** Below this a difference is marked. */
export const SIGNIFICANT = 0.05;

/** Metrics whose chart is open at once; the others unfold. */
const OPEN = [MAIN_METRIC, 'mrr@10', 'quoteHit'];

export function forestSection({ evaluation: { report } }: PageInput): Markup {
  const { comparisons } = report;
  if (comparisons.length === 0) return NOTHING;
  const metrics = [...new Set(comparisons.map(({ metric }) => metric))];
  const ordered = [
    ...OPEN.filter((metric) => metrics.includes(metric)),
    ...metrics.filter((metric) => !OPEN.includes(metric)),
  ];
  const chart = (metric: string): Markup =>
    forest(
      metric,
      comparisons.filter((comparison) => comparison.metric === metric),
    );
  const marked = comparisons.filter(({ p }) => p < SIGNIFICANT).length;
  const closed = ordered.filter((metric) => !OPEN.includes(metric));
  return html`<section id="differences">
    <h2>Differences</h2>
    <p class="muted">
      First minus second, question by question, with 95 % intervals. A filled dot marks p &lt; ${SIGNIFICANT},
      two-sided, after correction for all ${comparisons.length} comparisons of this page (Holm): ${marked}
      ${marked === 1 ? 'is' : 'are'} marked.
    </p>
    ${ordered.filter((metric) => OPEN.includes(metric)).map(chart)}
    ${
      closed.length === 0
        ? null
        : html`<details>
            <summary>${closed.map(metricName).join(', ')}</summary>
            ${closed.map(chart)}
          </details>`
    }
  </section> `;
}

function forest(metric: string, comparisons: readonly Comparison[]): Markup {
  const scale = symmetricScale(
    comparisons.flatMap(({ difference, interval }) => [difference, ...interval]),
    0.02,
  );
  const zero = scale.place(0);
  const rows = comparisons.map(({ a, b, difference, interval, p }) => {
    const marked = p < SIGNIFICANT;
    return {
      name: html`<bdi>${a}</bdi> − <bdi>${b}</bdi>`,
      label: `${a} minus ${b}: ${signed(difference)}, 95 % interval ${intervalText(interval)}, ${pValue(p)}`,
      drawing: html`<line
          class="zero"
          x1="${zero}"
          x2="${zero}"
          y1="0"
          y2="100%"
        />${dotAndInterval(scale, difference, interval, marked ? 'strong' : 'weak')}`,
      figures: [
        html`${marked ? html`<strong>${signed(difference)}</strong>` : signed(difference)}<small>${pValue(p)}</small>`,
        html`<span class="wide-only">${intervalText(interval)}</span>`,
      ],
    };
  });
  return plot(metricName(metric), scale, rows, 'plot wide');
}
