/** One line on stderr that is drawn over and over, with rate and time left; nothing when stderr is no terminal. */
import { printableLine } from '../text/printable.ts';
import { clip } from './output.ts';

const MIN_INTERVAL_MS = 100;
/** Some terminals say that they have no column at all. */
const MIN_COLUMNS = 40;

export interface Progress {
  readonly update: (label: string, done: number, total?: number) => void;
  /** Wipes the line, so that messages begin on an empty one. */
  readonly clear: () => void;
}

export function terminalProgress(stream: NodeJS.WriteStream = process.stderr, now: () => number = Date.now): Progress {
  if (!stream.isTTY) return { update: () => undefined, clear: () => undefined };
  let label: string | undefined;
  let start = 0;
  let drawn = 0;
  return {
    update(current, done, total) {
      const time = now();
      if (current !== label) {
        label = current;
        start = time;
        drawn = 0;
      }
      if (time - drawn < MIN_INTERVAL_MS && done !== total) return;
      drawn = time;
      stream.write(
        `\r\u001b[K${clip(progressLine(current, done, total, time - start), Math.max(MIN_COLUMNS, stream.columns) - 1)}`,
      );
    },
    clear() {
      stream.write('\r\u001b[K');
    },
  };
}

/** `docs: 120 of 607, 98/s, 5 s left` */
export function progressLine(label: string, done: number, total: number | undefined, elapsedMs: number): string {
  const parts = [total === undefined ? String(done) : `${done} of ${total}`];
  // The first second says nothing about the rate.
  if (elapsedMs >= 1000 && done > 0) {
    const perSecond = done / (elapsedMs / 1000);
    parts.push(`${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`);
    if (total !== undefined) parts.push(`${duration((total - done) / perSecond)} left`);
  }
  return `${printableLine(label)}: ${parts.join(', ')}`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
