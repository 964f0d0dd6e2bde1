/**
 * Charts as tables: a row has a name, a drawing and its figures as text, so that nothing is known from the drawing
 * alone. Places are percentages: a drawing is as wide as its column, and its text is never scaled.
 */
import { html, type Markup, type Value } from './markup.ts';

export interface Scale {
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  /** Percent of the width, with room for a dot at both ends. */
  place(value: number): string;
}

const ROOM = 4;

const percent = (share: number): string => `${(ROOM + Math.min(1, Math.max(0, share)) * (100 - 2 * ROOM)).toFixed(2)}%`;

/** From about the lowest to about the highest value at round ticks, and at least `atLeast` wide. */
export function linearScale(
  values: readonly number[],
  { atLeast, within }: { readonly atLeast: number; readonly within: readonly [number, number] },
): Scale {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const middle = (low + high) / 2;
  const half = Math.max(high - low, atLeast) / 2;
  const step = roundStep(half / 2);
  let start = Math.max(within[0], Math.floor((middle - half) / step + 1e-9) * step);
  let end = Math.min(within[1], Math.ceil((middle + half) / step - 1e-9) * step);
  if (end - start < atLeast) [start, end] = start <= within[0] ? [start, start + atLeast] : [end - atLeast, end];
  return scaleOf(start, end, step);
}

/** The same to both sides of 0. */
export function symmetricScale(values: readonly number[], atLeast: number): Scale {
  const most = Math.max(atLeast, ...values.map(Math.abs));
  const step = roundStep(most / 2);
  const end = Math.ceil(most / step - 1e-9) * step;
  return scaleOf(-end, end, step);
}

function scaleOf(start: number, end: number, step: number): Scale {
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const count = Math.round((end - start) / step);
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => {
      const at = start + index * step;
      return { at, label: Math.abs(at) < step / 1e3 ? '0' : at.toFixed(digits).replace('-', '−') };
    }),
    place: (value) => percent((value - start) / (end - start)),
  };
}

/** 1, 2 or 5 times a power of ten, not below `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= least * 0.999) ?? 10;
  return factor * power;
}

/** Times: each tick is 1, 2 or 5 times a power of ten; thinned out to at most six. */
export function logScale(values: readonly number[]): Scale {
  const low = Math.max(0.1, Math.min(...values));
  const high = Math.max(low * 2, ...values);
  const all: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high * 10; power *= 10) {
    all.push(power, 2 * power, 5 * power);
  }
  const from = all.findLastIndex((tick) => tick <= low * 1.001);
  const to = all.findIndex((tick) => tick >= high * 0.999);
  const ticks = all.slice(Math.max(0, from), to + 1);
  const [start, end] = [Math.log(ticks[0] as number), Math.log(ticks.at(-1) as number)];
  const every = Math.ceil(ticks.length / 5);
  return {
    ticks: ticks
      .filter((_, index) => index % every === 0)
      .map((at) => ({ at, label: at >= 1000 ? `${at / 1000} s` : `${Number(at.toPrecision(1))} ms` })),
    place: (value) => percent((Math.log(Math.max(value, 0.1)) - start) / (end - start)),
  };
}

export interface PlotRow {
  readonly name: Value;
  /** What the drawing says, for who cannot see it. */
  readonly label: string;
  readonly drawing: Markup;
  readonly figures: readonly Value[];
}

/** A chart: its caption, its rows, and the axis below them. */
export function plot(caption: Value, scale: Scale, rows: readonly PlotRow[], kind = 'plot'): Markup {
  const grid = scale.ticks.map(
    ({ at }) => html`<line class="grid" x1="${scale.place(at)}" x2="${scale.place(at)}" y1="0" y2="100%" />`,
  );
  return html`<table class="${kind}">
    <caption>
      ${caption}
    </caption>
    <tbody>
      ${rows.map(
        ({ name, label, drawing, figures }) =>
          html`<tr>
            <th scope="row">${name}</th>
            <td class="drawn">
              <svg width="100%" height="26" role="img" aria-label="${label}">${grid}${drawing}</svg>
            </td>
            ${figures.map((text) => html`<td class="num">${text}</td>`)}
          </tr> `,
      )}
    </tbody>
    <tfoot aria-hidden="true">
      <tr>
        <td></td>
        <td class="drawn">
          <svg width="100%" height="18">
            ${scale.ticks.map(
              ({ at, label }) => html`<text x="${scale.place(at)}" y="13" text-anchor="middle">${label}</text>`,
            )}
          </svg>
        </td>
        ${(rows[0]?.figures ?? []).map(() => html`<td></td>`)}
      </tr>
    </tfoot>
  </table> `;
}

/** A dot on its interval. */
export function dotAndInterval(
  scale: Scale,
  value: number,
  interval: readonly [number, number] | undefined,
  look: 'plain' | 'strong' | 'weak',
): Markup {
  const line =
    interval === undefined
      ? null
      : html`<line
          class="interval ${look}"
          x1="${scale.place(interval[0])}"
          x2="${scale.place(interval[1])}"
          y1="13"
          y2="13"
        />`;
  return html`${line}<circle class="dot ${look}" cx="${scale.place(value)}" cy="13" r="5" />`;
}
