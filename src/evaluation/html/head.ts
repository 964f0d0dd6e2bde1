/** The top of the page: what was measured, on what, and what came out in a sentence. */
import { basename } from 'node:path';
import type { Comparison } from '../types.ts';
import { MAIN_METRIC, metricName, SIGNIFICANT, type PageInput } from './input.ts';
import { figure, html, intervalText, NOTHING, pValue, signed, type Markup } from './markup.ts';

export function head(input: PageInput): Markup {
  const { report } = input.evaluation;
  const kinds = new Set(Object.values(report.presets).flatMap((preset) => Object.keys(preset.byKind))).size;
  const facts: readonly (readonly [string, string | number])[] = [
    ['questions', report.questions],
    ['answerable', report.answerable],
    ['not answerable', report.questions - report.answerable],
    ...(kinds > 0 ? [['kinds', kinds] as const] : []),
    [input.presets.length === 1 ? 'preset' : 'presets', input.presets.length],
  ];
  return html`<header>
    <p class="eyebrow">Footnote ${input.version} · evaluation</p>
    <h1><bdi>${basename(input.target)}</bdi></h1>
    <p class="muted">
      <span class="path"><bdi>${input.target}</bdi></span
      >, measured on <time datetime="${input.date.toISOString()}">${dateText(input.date)}</time>
    </p>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
    ${verdict(input)}
  </header> `;
}

const dateText = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The best preset, and which of the others it is really ahead of. */
function verdict({ evaluation: { report } }: PageInput): Markup {
  const figures = Object.entries(report.presets)
    .flatMap(([name, { retrieval }]) => {
      const value = retrieval[MAIN_METRIC];
      return value === null ? [] : [{ name, value }];
    })
    .sort((a, b) => b.value - a.value);
  const [first, ...others] = figures;
  if (first === undefined) return NOTHING;
  const interval = report.presets[first.name]?.intervals[MAIN_METRIC];
  const range = interval === undefined ? '' : ` (95 % interval ${intervalText(interval)})`;
  const what = `${others.length === 0 ? 'reaches' : 'is best by'} ${metricName(MAIN_METRIC)}`;
  const opening = html`<strong><bdi>${first.name}</bdi></strong> ${what}: ${figure(first.value)}${range}.`;
  const leads = others.flatMap(({ name }) => leadOver(report.comparisons, first.name, name) ?? []);
  const ahead = leads.filter(({ p }) => p < SIGNIFICANT);
  const close = leads.filter(({ p }) => p >= SIGNIFICANT);
  return html`<p class="verdict">
    ${opening}${ahead.length === 0 ? null : html` It is ahead of ${listOf(ahead)}.`}${
      close.length === 0 ? null : html` Its lead over ${listOf(close)} may be chance.`
    }
  </p>`;
}

interface Lead {
  readonly name: string;
  readonly difference: number;
  readonly p: number;
}

const listOf = (leads: readonly Lead[]): Markup[] =>
  leads.map(({ name, difference, p }, index) => {
    const joint = index === 0 ? '' : index === leads.length - 1 ? ' and ' : ', ';
    return html`${joint}<bdi>${name}</bdi> (${signed(difference)}, ${pValue(p)})`;
  });

function leadOver(comparisons: readonly Comparison[], first: string, name: string): Lead | null {
  const found = comparisons.find(
    ({ a, b, metric }) => metric === MAIN_METRIC && ((a === first && b === name) || (a === name && b === first)),
  );
  if (found === undefined) return null;
  return { name, difference: found.a === first ? found.difference : -found.difference, p: found.p };
}

export function warnings({ evaluation: { report } }: PageInput): Markup {
  if (report.warnings.length === 0) return NOTHING;
  return html`<section id="warnings">
    <h2>Warnings</h2>
    <ul class="warnings">
      ${report.warnings.map(
        ({ message, hint }) =>
          html`<li>${message}${hint === undefined ? null : html` <span class="muted">${hint}</span>`}</li>`,
      )}
    </ul>
  </section> `;
}

export function gate({ evaluation: { report } }: PageInput): Markup {
  if (report.gate === undefined) return NOTHING;
  const { name, passed, checks } = report.gate;
  return html`<section id="gate">
    <h2>Gate</h2>
    <p><span class="${passed ? 'pass' : 'fail'}">${passed ? 'Passed' : 'Failed'}</span> against <bdi>${name}</bdi></p>
    <div class="scroll" tabindex="0">
      <table class="data sortable">
        <thead>
          <tr>
            <th scope="col">preset</th>
            <th scope="col">metric</th>
            <th scope="col">baseline</th>
            <th scope="col">now</th>
            <th scope="col">tolerance</th>
            <th scope="col">result</th>
          </tr>
        </thead>
        <tbody>
          ${checks.map(
            (check) =>
              html`<tr>
                <th scope="row"><bdi>${check.preset}</bdi></th>
                <td>${metricName(check.metric)}</td>
                <td class="num">${figure(check.baseline)}</td>
                <td class="num">${figure(check.now)}</td>
                <td class="num">${figure(check.tolerance)}</td>
                <td>
                  <span class="${check.passed ? 'pass' : 'fail'}">${check.passed ? 'passed' : 'failed'}</span
                  >${check.message === null ? null : html` ${check.message}`}
                </td>
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
  </section> `;
}

export function presetsAndIndexes({ presets }: PageInput): Markup {
  const rows = presets.map(
    ({ name, index }) =>
      html`<tr>
        <th scope="row"><bdi>${name}</bdi></th>
        <td class="num">${index?.documents ?? '–'}</td>
        <td class="num">${index?.chunks ?? '–'}</td>
        <td><bdi>${index?.model ?? '–'}</bdi></td>
        <td class="path"><bdi>${index?.folder ?? '–'}</bdi></td>
      </tr> `,
  );
  return html`<section id="presets">
    <h2>Presets and indexes</h2>
    <div class="scroll" tabindex="0">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">preset</th>
            <th scope="col" class="num">documents</th>
            <th scope="col" class="num">chunks</th>
            <th scope="col">model</th>
            <th scope="col">index</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${differingSettings(presets)}
  </section> `;
}

/** Only what differs: the rest explains nothing. */
function differingSettings(presets: PageInput['presets']): Markup {
  if (presets.length < 2) return NOTHING;
  const flat = presets.map(({ settings }) => flatten(settings));
  const keys = [...new Set(flat.flatMap((values) => [...values.keys()]))].filter((key) => key !== 'preset');
  const differing = keys.filter((key) => new Set(flat.map((values) => values.get(key))).size > 1);
  if (differing.length === 0) return html`<p class="muted">All settings are the same.</p>`;
  return html`<details>
    <summary>
      ${differing.length === 1 ? 'One setting that differs' : `${differing.length} settings that differ`}
    </summary>
    <div class="scroll" tabindex="0">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">setting</th>
            ${presets.map(({ name }) => html`<th scope="col"><bdi>${name}</bdi></th>`)}
          </tr>
        </thead>
        <tbody>
          ${differing.map(
            (key) =>
              html`<tr>
                <th scope="row"><code>${key}</code></th>
                ${flat.map((values) => html`<td><code>${values.get(key) ?? '–'}</code></td>`)}
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
  </details> `;
}

/** Dotted key → JSON of its value; lists are values. */
function flatten(value: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(value).flatMap(([key, inner]: [string, unknown]): (readonly [string, string])[] =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? [...flatten(inner, `${prefix}${key}.`)]
        : [[`${prefix}${key}`, JSON.stringify(inner)]],
    ),
  );
}
