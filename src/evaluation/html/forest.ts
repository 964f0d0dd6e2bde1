/** Differences between presets with their intervals: right of zero the first of the two is better. */
import type { Comparison } from '../types.ts';
import { comparedPairs, MAIN_METRIC, metricName, SIGNIFICANT, type PageInput, type Pair } from './input.ts';
import { html, intervalText, NOTHING, pValue, signed, type Markup, type Value } from './markup.ts';
import { dotAndInterval, plot, symmetricScale } from './plot.ts';

/** Charts that are open at once; the others unfold. */
const OPEN = [MAIN_METRIC, 'mrr@10', 'quoteHit', 'citesRelevant'];

/** Up to so many pairs have a chart each, with a row for every metric; more share a chart for each metric. */
const FEW_PAIRS = 2;

export function forestSection({ evaluation: { report } }: PageInput): Markup {
  const { comparisons } = report;
  if (comparisons.length === 0) return NOTHING;
  const pairs = comparedPairs(comparisons);
  const charts =
    pairs.length <= FEW_PAIRS ? pairs.map((pair) => chartsOfPair(pair, comparisons)) : chartsByMetric(comparisons);
  const marked = comparisons.filter(({ p }) => p < SIGNIFICANT).length;
  return html`<section id="differences">
    <h2>Differences</h2>
    <p class="muted">
      First minus second, question by question, with 95 % intervals. A filled dot marks p &lt; ${SIGNIFICANT},
      two-sided, after correction for all ${comparisons.length} comparisons of this page (Holm): ${marked}
      ${marked === 1 ? 'is' : 'are'} marked. Below it stands the p of the one test alone.
    </p>
    ${charts}
  </section> `;
}

/** Groups of a like size of effect: an axis that holds refusals would flatten everything else. */
const GROUPS: readonly (readonly [name: string, has: (metric: string) => boolean])[] = [
  ['retrieval', (metric) => metric.includes('@')],
  ['answers', (metric) => !metric.includes('@') && !isRefusal(metric)],
  ['refusals', (metric) => isRefusal(metric)],
];

const isRefusal = (metric: string): boolean => metric === 'answeredAnswerable' || metric.startsWith('abstention.');

function chartsOfPair([a, b]: Pair, comparisons: readonly Comparison[]): Markup[] {
  const own = comparisons.filter((comparison) => comparison.a === a && comparison.b === b);
  return GROUPS.flatMap(([name, has]) => {
    const rows = own.filter(({ metric }) => has(metric));
    const caption = html`${pairName({ a, b })}, ${name}`;
    if (rows.length === 0) return [];
    return [
      forest(
        caption,
        rows.map((comparison) => ({ comparison, name: metricName(comparison.metric) })),
      ),
    ];
  });
}

function chartsByMetric(comparisons: readonly Comparison[]): Markup[] {
  const metrics = [...new Set(comparisons.map(({ metric }) => metric))];
  const chart = (metric: string): Markup =>
    forest(
      metricName(metric),
      comparisons
        .filter((comparison) => comparison.metric === metric)
        .map((comparison) => ({ comparison, name: pairName(comparison) })),
    );
  const closed = metrics.filter((metric) => !OPEN.includes(metric));
  return [
    ...OPEN.filter((metric) => metrics.includes(metric)).map(chart),
    html`<details>
      <summary>${closed.map(metricName).join(', ')}</summary>
      ${closed.map(chart)}
    </details>`,
  ];
}

const pairName = ({ a, b }: Pick<Comparison, 'a' | 'b'>): Markup => html`<bdi>${a}</bdi> − <bdi>${b}</bdi>`;

function forest(
  caption: Value,
  compared: readonly { readonly comparison: Comparison; readonly name: Value }[],
): Markup {
  const scale = symmetricScale(
    compared.flatMap(({ comparison: { difference, interval } }) => [difference, ...interval]),
    0.02,
  );
  const zero = scale.place(0);
  const rows = compared.map(({ name, comparison: { a, b, metric, difference, interval, p, pRaw } }) => {
    const marked = p < SIGNIFICANT;
    return {
      name,
      label: `${metricName(metric)}, ${a} minus ${b}: ${signed(difference)}, 95 % interval ${intervalText(interval)}, ${pValue(p)}`,
      drawing: html`<line
          class="zero"
          x1="${zero}"
          x2="${zero}"
          y1="0"
          y2="100%"
        />${dotAndInterval(scale, difference, interval, marked ? 'strong' : 'weak')}`,
      figures: [
        html`${marked ? html`<strong>${signed(difference)}</strong>` : signed(difference)}<small
            >${intervalText(interval)}</small
          >`,
        html`${marked ? html`<strong>${pValue(p)}</strong>` : pValue(p)}<small>alone ${pValue(pRaw)}</small>`,
      ],
    };
  });
  return plot(caption, scale, rows, 'plot wide');
}
