/** What came of teaching the built-in model, in one line. */
import type { AdaptationReport } from '../core/results.ts';
import { counted } from './output.ts';

export function formatAdaptation(report: AdaptationReport): string {
  const { outcome, model, pairs, heldBack, milliseconds } = report;
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`;
  const measured = `MRR ${figure(report.without)} without, ${figure(report.with)} with it on ${counted(heldBack, 'pair')} held back`;
  switch (outcome) {
    case 'kept':
      return `adapted to this index: ${model}; ${measured}; ${seconds}`;
    case 'not-better':
      return `tried, not used: ${measured}; ${seconds}`;
    case 'too-small':
      return `not tried: ${counted(pairs, 'heading or sentence', 'headings and sentences')} are too few to learn from`;
    case 'no-simd':
      return 'not tried: this machine has no wasm SIMD';
    case 'stopped':
      return 'stopped: the index is complete without it, and the next footnote ingest tries again';
  }
}

const figure = (value: number | null): string => (value ?? 0).toFixed(3);
