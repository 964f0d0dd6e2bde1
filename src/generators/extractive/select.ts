/** The best units, each with what it needs around it, until the answer is long enough. */
import type { Document, Span } from '../../core/types.ts';
import type { ScoredUnit } from './score.ts';
import { countWords } from './score.ts';

export interface Statement {
  readonly label: number;
  readonly document: Document;
  /** In the order of the document. */
  readonly spans: readonly Span[];
}

/** A unit this much worse than the best one is left out. */
const WORTH = 0.62;
const MAX_STATEMENTS = 6;
/** A sentence takes its paragraph along up to this length; a step takes its neighbours. */
const PARAGRAPH_WORDS = 70;

export function selectStatements(units: readonly ScoredUnit[], maxWords: number): Statement[] {
  const ranked = units
    .filter(({ words }) => words > 0)
    .sort((a, b) => b.score - a.score || a.rank - b.rank || a.span.start - b.span.start);
  const best = ranked[0]?.score ?? 0;
  const taken = new Set<string>();
  const statements: Statement[] = [];
  let left = maxWords;
  for (const unit of ranked) {
    if (statements.length >= MAX_STATEMENTS || left <= 0 || unit.score < best * WORTH) break;
    if (taken.has(key(unit))) continue;
    const group = around(unit, units, taken, Math.min(left, PARAGRAPH_WORDS));
    const words = group.reduce((sum, member) => sum + member.words, 0);
    if (statements.length > 0 && words > left) continue;
    for (const member of group) {
      taken.add(key(member));
      for (const { start } of member.with) taken.add(placeKey(member.document, start));
    }
    const spans = joined(unit.document, group);
    left -= spans.reduce((sum, span) => sum + countWords(unit.document.text.slice(span.start, span.end)), 0);
    statements.push({ label: unit.label, document: unit.document, spans });
  }
  return statements;
}

const placeKey = (document: Document, start: number): string => `${document.id}:${String(start)}`;
const key = (unit: ScoredUnit): string => placeKey(unit.document, unit.span.start);

/** The unit and its neighbours of the same paragraph or list, or what it introduces, nearest first, while there is room. */
function around(
  unit: ScoredUnit,
  units: readonly ScoredUnit[],
  taken: ReadonlySet<string>,
  room: number,
): ScoredUnit[] {
  const group = [unit];
  let words = unit.words;
  const siblings = units.filter(
    (other) =>
      other !== unit &&
      other.document === unit.document &&
      other.words > 0 &&
      belongs(unit, other) &&
      !taken.has(key(other)),
  );
  // What follows explains more often than what stands before.
  const distance = (other: ScoredUnit): number =>
    Math.abs(other.span.start - unit.span.start) * (other.span.start < unit.span.start ? 1.5 : 1);
  for (const other of siblings.sort((a, b) => distance(a) - distance(b))) {
    if (words + other.words > room) break;
    group.push(other);
    words += other.words;
  }
  return group;
}

function belongs(unit: ScoredUnit, other: ScoredUnit): boolean {
  if (other.with.some(({ start }) => start === unit.span.start)) return true;
  if (other.kind !== unit.kind) return false;
  if (unit.kind === 'sentence') return other.block === unit.block;
  if (unit.kind === 'list-item') return sameList(unit, other);
  return false;
}

/** Items with only items between them are of one list. */
function sameList(unit: ScoredUnit, other: ScoredUnit): boolean {
  const [from, to] = [Math.min(unit.block, other.block), Math.max(unit.block, other.block)];
  return unit.document.blocks.slice(from, to + 1).every(({ kind }) => kind === 'list-item');
}

/** The group's places and what comes along, in document order; places with only white space between become one. */
function joined(document: Document, group: readonly ScoredUnit[]): Span[] {
  const spans = group.flatMap((unit) => [...unit.with, unit.span]).sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last !== undefined && span.start <= last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else if (last !== undefined && document.text.slice(last.end, span.start).trim() === '')
      merged[merged.length - 1] = { start: last.start, end: span.end };
    else merged.push(span);
  }
  return merged;
}
