/** The page's style. Colours are told apart by people who see no red or no green; nothing is said by colour alone. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --panel: #f6f7f8; --ink: #1a1f24; --muted: #59636e; --line: #dde1e6; --grid: #e9ecef;
  --right: #1f66c1; --wrong: #b9540b; --refused: #9aa3ad; --on-bar: #fff; --on-refused: #1a1f24; --link: #175cb5;
  --shade: 31 102 193; --good: #17703a; --bad: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --panel: #1c2024; --ink: #e7eaed; --muted: #9da7b1; --line: #30363d; --grid: #262b30;
    --right: #6cabf7; --wrong: #f0964f; --refused: #59626c; --on-bar: #10151a; --on-refused: #e7eaed; --link: #84b9fa;
    --shade: 108 171 247; --good: #5fc98a; --bad: #ff8a80;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 3.5rem; }
body { margin: 0 auto; padding: 0 1rem 4rem; max-width: 72rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 0 0 .4rem; font-size: 1.2rem; }
h3 { margin: 0; font-size: 1rem; }
p { margin: .3rem 0 .8rem; max-width: 60rem; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
code, pre, .path { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; font-size: .86em; overflow-wrap: anywhere; }
header { padding: 2rem 0 .5rem; }
section { margin-top: 2.4rem; }
nav { position: sticky; top: 0; z-index: 1; margin: 0 -1rem; padding: .5rem 1rem; background: var(--paper); border-bottom: 1px solid var(--line);
  display: flex; gap: 1.1rem; overflow-x: auto; white-space: nowrap; }
nav a { text-decoration: none; color: var(--muted); }
nav a:hover { color: var(--ink); text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.eyebrow { margin: 0; color: var(--muted); }
.muted, small, i { color: var(--muted); font-style: normal; }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 2.2rem; margin: 1rem 0; }
.facts div { display: flex; flex-direction: column-reverse; }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; font-size: 1.6rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.2; }
.verdict { padding: .7rem 1rem; background: var(--panel); border-radius: 6px; }
.warnings { padding-left: 1.2rem; }
.pass { color: var(--good); font-weight: 600; }
.fail { color: var(--bad); font-weight: 600; }
.win { color: var(--right); }
.loss { color: var(--wrong); }
.scroll { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: .4rem 0; }
.data { min-width: 100%; }
.data th, .data td { padding: .35rem .7rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
.data thead th { color: var(--muted); vertical-align: bottom; min-width: 4.6rem; }
.data td.path { min-width: 14rem; }
.data .num { text-align: right; }
.data tbody .num { white-space: nowrap; }
.data td small, .plot td small { display: block; font-size: .78rem; white-space: nowrap; }
.data tbody tr:hover { background: var(--panel); }
th button { all: unset; cursor: pointer; }
th button:focus-visible { outline: 2px solid var(--link); }
th[aria-sort=ascending] button::after { content: ' ↑'; }
th[aria-sort=descending] button::after { content: ' ↓'; }
.heat td.num, .heat th.num { padding-right: .6rem; padding-left: .6rem; }
.shade0 { background: rgb(var(--shade) / 0); } .shade1 { background: rgb(var(--shade) / .06); } .shade2 { background: rgb(var(--shade) / .12); }
.shade3 { background: rgb(var(--shade) / .19); } .shade4 { background: rgb(var(--shade) / .27); } .shade5 { background: rgb(var(--shade) / .36); }
.heat td small { color: var(--ink); opacity: .8; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: .8rem 2.5rem; }
.plot { width: 100%; table-layout: fixed; margin-bottom: .6rem; }
.plot th { width: 8rem; text-align: left; font-weight: 400; padding: .1rem .6rem .1rem 0; overflow-wrap: anywhere; line-height: 1.3; }
.plot thead th { color: var(--muted); font-size: .85rem; vertical-align: bottom; width: auto; padding-left: .4rem; }
.plot thead th:first-child { width: 8rem; padding-left: 0; }
.plot .drawn { padding: 0 .4rem; }
.plot .num { width: 4.2rem; text-align: right; white-space: nowrap; }
.plot.wide th:first-child { width: 13rem; }
.plot.wide .num { width: 7.5rem; }
.plot svg { display: block; overflow: visible; }
svg text { fill: var(--muted); font-size: 12px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--grid); } .zero { stroke: var(--muted); } .diagonal { stroke: var(--muted); stroke-dasharray: 4 4; }
.interval { stroke: var(--muted); stroke-width: 2; } .interval.strong { stroke: var(--right); }
.end { stroke: var(--right); stroke-width: 2; } .tick { stroke: var(--muted); }
.dot { fill: var(--muted); } .dot.strong { fill: var(--right); } .dot.weak { fill: var(--paper); stroke: var(--muted); stroke-width: 2; }
rect.right, rect.win { fill: var(--right); } rect.wrong, rect.loss { fill: var(--wrong); } rect.refused { fill: var(--refused); }
text.on-right, text.on-wrong { fill: var(--on-bar); } text.on-refused { fill: var(--on-refused); }
.key { display: inline-block; width: .8rem; height: .8rem; margin-left: .8rem; vertical-align: -1px; border-radius: 2px; }
.key.right { background: var(--right); margin-left: 0; } .key.wrong { background: var(--wrong); } .key.refused { background: var(--refused); }
.figures { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; }
figure { margin: 0; max-width: 240px; } figcaption { font-weight: 600; overflow-wrap: anywhere; } figure p { font-size: .85rem; }
.waterfall { display: block; margin: .6rem 0; }
details { margin: .3rem 0; }
summary { cursor: pointer; padding: .3rem 0; }
.pair > summary { font-weight: 600; } .score { font-weight: 400; } .score span { margin-left: .7rem; }
.duels td:nth-child(2) { min-width: 16rem; }
.chip { display: inline-block; padding: 0 .45rem; border-radius: 4px; border: 1px solid var(--line); font-size: .82rem; white-space: nowrap; color: var(--ink); }
.chip.top { background: rgb(var(--shade) / .3); border-color: transparent; } .chip.near { background: rgb(var(--shade) / .13); border-color: transparent; }
.chip.far { border-style: dashed; border-color: var(--muted); } .chip.miss { color: var(--bad); border-color: currentColor; }
.filters { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: .6rem 0; }
.filters[hidden] { display: none; }
.filters label { display: flex; flex-direction: column; font-size: .85rem; color: var(--muted); }
input, select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: 4px; padding: .25rem .4rem; max-width: 100%; }
output { color: var(--muted); padding: .3rem 0; }
.question { border-bottom: 1px solid var(--line); margin: 0; content-visibility: auto; contain-intrinsic-size: auto 2.6rem; }
.question[open] { padding-bottom: 1rem; content-visibility: visible; }
.question > summary { display: flex; gap: .2rem 1rem; justify-content: space-between; flex-wrap: wrap; padding: .45rem 0; }
.query { flex: 1 1 24rem; overflow-wrap: anywhere; }
.question[open] > summary .query { font-weight: 600; }
.chips { display: flex; flex-wrap: wrap; gap: .2rem .9rem; align-items: baseline; font-size: .85rem; color: var(--muted); }
.views { display: grid; grid-auto-flow: dense; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; }
article { background: var(--panel); border-radius: 6px; padding: .7rem .9rem; min-width: 0; scroll-margin-top: 14rem; }
article:target { outline: 2px solid var(--link); }
article:has(.explanation[open]) { grid-column: 1 / -1; }
.found { margin: .2rem 0 .6rem; padding-left: 1.6rem; }
.right.path { font-weight: 600; }
.mark { color: var(--right); font-family: system-ui, sans-serif; font-weight: 400; }
blockquote { margin: .3rem 0 .8rem; padding-left: .8rem; border-left: 3px solid var(--line); color: var(--muted); }
.outcome { margin-bottom: .2rem; } .answer { font-size: .92rem; overflow-wrap: anywhere; }
.command { margin: .4rem 0 0; padding: .5rem .6rem; background: var(--paper); border-radius: 4px; white-space: pre-wrap; }
.stages { margin: .3rem 0; font-size: .86rem; } .stages div { display: grid; grid-template-columns: 9rem 1fr; gap: .6rem; padding: .1rem 0; } .stages dd { margin: 0; overflow-wrap: anywhere; }
.candidates { font-size: .86rem; } .candidates i, .candidates small { unicode-bidi: isolate; } .candidates td:not(:first-child) { text-align: right; white-space: nowrap; }
.candidates td:first-child { min-width: 15rem; overflow-wrap: anywhere; } .candidates .right td:first-child { font-weight: 600; } .candidates .right td:first-child::before { content: '✓ '; }
footer { margin-top: 3rem; color: var(--muted); border-top: 1px solid var(--line); padding-top: .8rem; }
@media (max-width: 40rem) {
  .plot th, .plot thead th:first-child { width: 5.6rem; }
  .plot.wide, .plot.wide tbody, .plot.wide thead, .plot.wide tfoot, .plot.wide caption { display: block; }
  .plot.wide tr { display: grid; grid-template-columns: 1fr auto auto; column-gap: .8rem; }
  .plot.wide tfoot td:not(.drawn), .bars thead { display: none; }
  .plot.wide .drawn { order: 1; grid-column: 1 / -1; padding: 0; }
  .plot.wide .num, .plot.wide th:first-child { width: auto; padding: 0; }
  .bars td.drawn::before { content: attr(data-head); font-size: .8rem; color: var(--muted); }
  .stages div { grid-template-columns: 1fr; gap: 0; }
  .facts { gap: .4rem 1.4rem; } .facts dd { font-size: 1.3rem; }
}
@media print {
  :root { --paper: #fff; --panel: #f6f7f8; --ink: #000; --muted: #444; --line: #ccc; --grid: #e9ecef; --right: #1f66c1; --wrong: #b9540b;
    --refused: #9aa3ad; --on-bar: #fff; --on-refused: #000; --link: #000; --shade: 31 102 193; --good: #17703a; --bad: #b3261e; }
  body { max-width: none; font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav, .filters { display: none; }
  .scroll { overflow: visible; }
  tr, figure, article { break-inside: avoid; } h2 { break-after: avoid; }
  .question { content-visibility: visible; }
}
`;
