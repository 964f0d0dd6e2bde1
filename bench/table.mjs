/** The figures of one size as a Markdown table, each target of the design beside what was measured. */

/** Targets were set for this many chunks; one of them for a million. */
const TARGET_CHUNKS = 100_000;
const MILLION = 1_000_000;

/** @returns `{ label, footnote, target, met, sqlite, langchain }`; `met` is undefined where there is no target */
function rowsOf({ chunks, results, fresh }) {
  const one = results['footnote-1'];
  const two = results['footnote-2'];
  const sqlite = results['sqlite-vec'];
  const langchain = results.langchain;
  const at = (size) => chunks === size;
  const targets = at(TARGET_CHUNKS);
  const rows = [];
  const add = (label, footnote, others = {}, target = undefined) => {
    const known = target !== undefined && target.value !== undefined;
    rows.push({
      label,
      footnote: footnote ?? '',
      target: target?.text ?? '',
      ...(known ? { met: target.met(target.value) } : {}),
      sqlite: others.sqlite ?? '',
      langchain: others.langchain ?? '',
    });
  };
  const atMost = (limit, value, unit = '', when = targets) =>
    when ? { text: `≤ ${limit}${unit}`, value, met: (measured) => measured <= limit } : undefined;
  const atLeast = (limit, value, unit = '', when = targets) =>
    when ? { text: `≥ ${limit}${unit}`, value, met: (measured) => measured >= limit } : undefined;

  const each = (show) => ({ sqlite: show(sqlite), langchain: show(langchain) });
  const scanned = chunks > TARGET_CHUNKS ? `${size(TARGET_CHUNKS)} of them` : size(chunks);
  add(`X: exact float32 scan of ${scanned}, CPU ms`, x(one ?? two), each(x));
  if (chunks > TARGET_CHUNKS) add(`the same over all ${size(chunks)}`, xOfAll(one ?? two), each(xOfAll));

  const speed = (subject) => subject && (chunks / subject.build.wall) * 1000;
  const building = (subject) =>
    subject && `${thousands(speed(subject))} (${thousands((chunks / subject.build.cpu) * 1000)})`;
  add('build, chunks per second (per CPU second)', building(one), each(building), atLeast(4000, speed(one)));
  add('… two vectors a chunk', building(two));
  const disk = (subject) => subject?.build.bytes && thousands(subject.build.bytes / 1e6);
  add('on disk, MB', disk(one), each(disk));
  add('… two vectors a chunk', disk(two));
  const memory = (subject) => subject && thousands(subject.query.peakBytes / 1e6);
  add('peak memory of a query process, MB', memory(one), each(memory));
  add('… two vectors a chunk', memory(two));

  const leg = (name) => (subject) => {
    const measured = subject?.query.legs[name];
    return measured && `${fixed(measured.cpu)} (${fixed(measured.ratio)} X)`;
  };
  const ratio = (subject, name) => subject?.query.legs[name]?.ratio;
  const recall = (name) => (subject) => subject && subject.query.recall[name].toFixed(4);
  const filtered = (name) => (subject) => subject && fixed(ratio(subject, name) / ratio(subject, 'dense'));
  add('dense, CPU ms', leg('dense')(one), each(leg('dense')), denseTarget(ratio(one, 'dense')));
  add('dense, recall@30', recall('dense')(one), each(recall('dense')), recallTarget('dense'));
  for (const [name, share] of [
    ['dense10', '10 %'],
    ['dense05', '0.5 %'],
  ]) {
    const value = one && ratio(one, name) / ratio(one, 'dense');
    add(`dense, filter keeps ${share}: ÷ unfiltered`, filtered(name)(one), each(filtered(name)), atMost(1.2, value));
    add(`dense, filter keeps ${share}: recall@30`, recall(name)(one), each(recall(name)), recallTarget(name));
  }
  add('BM25, CPU ms', leg('keyword')(one), each(leg('keyword')), atMost(0.3, ratio(one, 'keyword'), ' X'));
  add('hybrid, CPU ms', leg('hybrid')(one), each(leg('hybrid')), atMost(1, ratio(one, 'hybrid'), ' X'));
  add('… two vectors a chunk', leg('hybrid')(two), {}, atMost(1.6, ratio(two, 'hybrid'), ' X'));
  add('… two vectors, lists of 100 (the default preset)', leg('hybridDeep')(two));

  const times = (peer, name) => peer && one && ratio(peer, name) / ratio(one, name);
  const [overSqlite, overLangchain] = [times(sqlite, 'hybrid'), times(langchain, 'dense')];
  add('hybrid: times as fast as sqlite-vec + FTS5', overSqlite?.toFixed(1), {}, atLeast(15, overSqlite));
  add('dense: times as fast as LangChain.js', overLangchain?.toFixed(1), {}, atLeast(30, overLangchain));

  const start = (name) => fresh[name] && `${Math.round(fresh[name].wall)} (${Math.round(fresh[name].cpu)})`;
  const startTarget = (name) => atMost(300, fresh[name]?.wall, ' ms');
  add('empty Node process, ms (CPU)', start('empty'));
  const overEmpty = fresh.help && fresh.help.cpu / fresh.empty.cpu;
  const help = fresh.help && `${start('help')}, ${overEmpty.toFixed(2)} × empty`;
  add('footnote --help, ms (CPU)', help, {}, atMost(1.5, overEmpty, ' × empty'));
  const peerStart = { sqlite: start('sqlite-vec') };
  add('fresh process → first hybrid result, ms (CPU)', start('footnote-1'), peerStart, startTarget('footnote-1'));
  add('… two vectors a chunk', start('footnote-2'), {}, startTarget('footnote-2'));
  add('… and the model, through the engine', start('engine'), {}, startTarget('engine'));

  const replacing = (subject) =>
    subject?.replace &&
    `${fixed(subject.replace.wall)} (CPU ${fixed(subject.replace.cpu)}, mean ${fixed(subject.replace.mean)}, longest ${fixed(subject.replace.highest)})`;
  add('replace one document of 20 chunks, ms', replacing(one), each(replacing), atMost(10, one?.replace.wall, ' ms'));
  add('… two vectors a chunk', replacing(two), {}, atMost(10, two?.replace.wall, ' ms'));
  return rows;

  function denseTarget(value) {
    return at(MILLION) ? atMost(5, value, ' X', true) : atMost(0.7, value, ' X');
  }
  function recallTarget(name) {
    return atLeast(0.999, one?.query.recall[name], '', targets || at(MILLION));
  }
}

const x = (subject) => subject && fixed(subject.query.x);
const xOfAll = (subject) => subject && fixed(subject.query.xOfAll);

export function toMarkdown(measured) {
  const rows = rowsOf(measured);
  const met = ({ met: value }) => (value === undefined ? '' : value ? 'yes' : '**no**');
  const lines = rows
    .filter(({ footnote, sqlite, langchain }) => footnote !== '' || sqlite !== '' || langchain !== '')
    .map(
      (row) => `| ${row.label} | ${row.footnote} | ${row.target} | ${met(row)} | ${row.sqlite} | ${row.langchain} |`,
    );
  return [
    `### ${size(measured.chunks)} chunks (load average ${measured.load.toFixed(1)})`,
    '',
    '| | Footnote | target | met | sqlite-vec + FTS5 | LangChain.js memory |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** The rows that have a target and were measured. */
export const targetRows = (measured) => rowsOf(measured).filter(({ met }) => met !== undefined);

const size = (chunks) => (chunks >= 1e6 ? `${chunks / 1e6} M` : `${chunks / 1e3} k`);
const thousands = (value) => Math.round(value).toLocaleString('en-US');
const fixed = (value) => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
