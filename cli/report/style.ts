/** The report's style sheet: quiet, readable in light and in dark, without any file from elsewhere. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2024, #e6e8ea);
  --soft: light-dark(#5f6770, #9aa3ac);
  --faint: light-dark(#8b939b, #727b84);
  --line: light-dark(#e2e5e8, #2b3138);
  --page: light-dark(#fbfbfa, #14171a);
  --card: light-dark(#ffffff, #1b1f23);
  --well: light-dark(#f1f3f4, #101316);
  --accent: light-dark(#0b7285, #4fc3d7);
  --accent-soft: light-dark(#0b728522, #4fc3d72b);
  --good: light-dark(#2b7a4b, #63c48a);
  --bad: light-dark(#b3422f, #ef8a76);
  --warn: light-dark(#9a6200, #e5b054);
  --draw: #ff3d6e;
}
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 40px 28px 80px; }
h1 { font-size: 26px; line-height: 1.2; font-weight: 650; margin: 2px 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 16px; font-weight: 650; margin: 44px 0 12px; }
a { color: var(--accent) }
.kicker { color: var(--soft); font-size: 13px; }
.sub { color: var(--soft); margin: 0; }
.notice { margin: 20px 0 0; padding: 10px 14px; border-left: 3px solid var(--warn); background: var(--card); border-radius: 0 6px 6px 0; }
.muted { color: var(--soft) }
.num { font-variant-numeric: tabular-nums; }

.headlines { display: grid; grid-template-columns: 1.75fr 1fr 1fr 1.1fr; gap: 1px; margin-top: 26px; background: var(--line); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.headlines > div { background: var(--card); padding: 16px 18px; }
.headlines dt { color: var(--soft); font-size: 13px; }
.headlines dd { margin: 0; }
.headlines .value { font-size: 30px; line-height: 1.25; font-weight: 600; letter-spacing: -0.02em; }
.headlines > div:first-child .value { color: var(--accent); font-size: 40px; line-height: 1.1; padding: 2px 0 4px; }
.headlines .note { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.headlines .warning .value { color: var(--warn); }
dl { margin: 0; }
@media (max-width: 800px) { .headlines { grid-template-columns: 1fr 1fr; } }

.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; }
.curve-box { position: relative; }
.curve { display: block; width: 100%; height: auto; overflow: visible; }
.curve .grid { stroke: var(--line); }
.curve .tick { fill: var(--faint); font: 12px system-ui, sans-serif; }
.curve polyline { fill: none; stroke-linejoin: round; stroke-linecap: round; }
.curve .train { stroke: var(--faint); stroke-width: 1.25; opacity: 0.75; }
.curve .dev { stroke: var(--accent); stroke-width: 2.5; }
.curve .dev-dot { fill: var(--accent); stroke: var(--card); stroke-width: 2; }
.curve .band { fill: var(--accent-soft); }
.curve .cursor { stroke: var(--faint); stroke-dasharray: 2 3; }
.tip { position: absolute; top: 8px; pointer-events: none; background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 6px 10px; font-size: 13px; line-height: 1.45; white-space: nowrap; font-variant-numeric: tabular-nums; }
.tip :first-child { font-weight: 600 }
.legend { display: flex; gap: 20px; color: var(--soft); font-size: 13px; margin: 0 0 8px; flex-wrap: wrap; }
.legend i { display: inline-block; width: 18px; border-top: 2.5px solid; vertical-align: middle; margin-right: 6px; }
.legend .band-key { height: 10px; border: 0; background: var(--accent-soft); }
.sparks { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr)); gap: 24px; margin-top: 16px; padding-top: 14px; border-top: 1px solid var(--line); }
.spark { margin: 0; }
.spark figcaption { color: var(--soft); font-size: 13px; display: flex; justify-content: space-between; }
.spark b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.spark svg { width: 100%; height: 36px; }
.spark polyline { fill: none; stroke: var(--soft); stroke-width: 1.25; vector-effect: non-scaling-stroke; }

table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 500; color: var(--soft); font-size: 13px; padding: 0 12px 6px 0; border-bottom: 1px solid var(--line); }
td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); vertical-align: middle; }
tr:last-child td { border-bottom: 0; }
td.num, th.num { text-align: right; white-space: nowrap; }
.scroll { overflow-x: auto; }
.bar { display: inline-block; vertical-align: middle; position: relative; width: 150px; height: 8px; background: var(--well); border-radius: 4px; overflow: hidden; margin-right: 8px; }
.bar i { position: absolute; inset: 0 auto 0 0; background: var(--accent); }
.bar.first i { background: var(--faint); opacity: 0.7; }
.bar.first { width: 70px; }
.level { display: inline-block; min-width: 22px; text-align: center; color: var(--soft); border: 1px solid var(--line); border-radius: 5px; font-size: 12px; }
.faults { color: var(--warn); }
td.faults, th.faults { padding-left: 18px; }
th.faults { color: var(--soft); }

.rollouts { display: grid; grid-template-columns: 290px minmax(0, 1fr); gap: 18px; align-items: start; }
@media (max-width: 900px) { .rollouts { grid-template-columns: 1fr; } .list { max-height: 260px !important; position: static !important; } }
.side { min-width: 0; position: sticky; top: 16px; }
.filters { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 8px; }
select, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 3px 8px; }
select { max-width: 100%; font-size: 13px; }
button { cursor: pointer; }
button:hover:not(:disabled) { border-color: var(--accent); }
button:disabled { opacity: 0.4; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.list { max-height: 72vh; overflow-y: auto; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.list a { display: grid; grid-template-columns: 14px 1fr auto; gap: 8px; padding: 7px 12px; color: inherit; text-decoration: none; border-bottom: 1px solid var(--line); font-size: 14px; line-height: 1.35; }
.list a:last-child { border-bottom: 0; }
.list a:hover { background: var(--well); }
.list a[aria-current] { background: var(--accent-soft); }
.list small { color: var(--soft); display: block; font-size: 12px; }
.list .more { width: 100%; border: 0; border-radius: 0; padding: 8px; color: var(--accent); }
.dot { width: 9px; height: 9px; border-radius: 50%; margin-top: 5px; background: var(--faint); }
.dot.good { background: var(--good) } .dot.bad { background: var(--bad) } .dot.none { background: none; border: 2px solid var(--warn) }
.empty { padding: 18px; color: var(--soft); }

.viewer { min-width: 0; padding: 0; overflow: hidden; }
.viewer header { padding: 14px 18px 12px; border-bottom: 1px solid var(--line); }
.instruction { font-size: 17px; line-height: 1.4; font-weight: 550; margin: 0; overflow-wrap: anywhere; }
.meta { color: var(--soft); font-size: 13px; margin: 4px 0 0; }
.score { font-weight: 600; } .score.good { color: var(--good) } .score.bad { color: var(--bad) } .score.none { color: var(--warn) }
.steps { display: flex; align-items: center; gap: 8px; padding: 8px 18px; border-bottom: 1px solid var(--line); }
.track { display: flex; gap: 4px; flex: 1; flex-wrap: wrap; }
.track button { padding: 0; width: 24px; height: 24px; border-radius: 6px; font-size: 12px; font-variant-numeric: tabular-nums; }
.track button[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--page); }
.track button.failed:not([aria-current]) { color: var(--bad); border-color: var(--bad); }
.title { padding: 12px 18px 10px; margin: 0; font-size: 16px; font-weight: 550; overflow-wrap: anywhere; }
.title .failure { display: block; color: var(--bad); font-weight: 400; font-size: 14px; }
.url { padding: 0 18px 8px; margin: -6px 0 0; color: var(--faint); font: 12px ui-monospace, monospace; overflow-wrap: anywhere; }
.stage { background: var(--well); padding: 18px; display: flex; justify-content: center; border-block: 1px solid var(--line); }
.shot { position: relative; line-height: 0; box-shadow: 0 0 0 1px var(--line), 0 2px 12px #0002; }
.shot img { display: block; width: 100%; height: auto; }
.shot svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
.shot .box { fill: #ff3d6e1f; stroke: var(--draw); stroke-width: 2; vector-effect: non-scaling-stroke; }
.shot .ring { fill: none; stroke: var(--draw); stroke-width: 2.5; vector-effect: non-scaling-stroke; }
.shot .point { fill: var(--draw); stroke: #fff; stroke-width: 1; vector-effect: non-scaling-stroke; }
.shot .halo { fill: none; stroke: #fff; stroke-width: 5; opacity: 0.8; vector-effect: non-scaling-stroke; }
.shot .arrow { stroke: var(--draw); stroke-width: 3; vector-effect: non-scaling-stroke; }
.shot .head { fill: var(--draw); }
.shot .label { position: absolute; transform: translateY(3px); max-width: 60%; background: var(--draw); color: #fff; font: 12px/1.4 system-ui, sans-serif; padding: 1px 6px; border-radius: 4px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.nothing { color: var(--soft); padding: 30px; line-height: 1.5; }
.below { padding: 4px 18px 18px; }
.below h3 { font-size: 13px; font-weight: 600; color: var(--soft); margin: 16px 0 6px; }
.call { border-top: 1px solid var(--line); padding: 8px 0 10px; }
.call:first-of-type { border-top: 0; padding-top: 0; }
.call-head { color: var(--soft); font-size: 12px; margin: 0 0 4px; }
.say { margin: 0 0 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
.say.tool { font: 13px/1.5 ui-monospace, monospace; background: var(--well); border-radius: 6px; padding: 6px 10px; }
.say.thinking { color: var(--soft); border-left: 2px solid var(--line); padding-left: 10px; }
.tokens { display: flex; flex-wrap: wrap; gap: 3px; margin-top: 6px; }
.tokens span { font: 11px/1 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 4px; padding: 3px 5px; background: color-mix(in srgb, var(--accent) calc(var(--p) * 45%), transparent); }
.tokens span small { color: var(--soft); margin-left: 5px; font-size: 10px; }
.pairs { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 14px; font-size: 13px; margin: 0; }
.pairs dt { color: var(--soft); } .pairs dd { margin: 0; overflow-wrap: anywhere; }
.stale { color: var(--warn); font-size: 13px; margin: 12px 0 0; }
.reason { margin: 0 0 6px; }
details { margin-top: 14px; } summary { cursor: pointer; color: var(--soft); font-size: 13px; }
pre { font: 12px/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; margin: 8px 0 0; }
kbd { font: 11px ui-monospace, monospace; border: 1px solid var(--line); border-radius: 4px; padding: 1px 5px; color: var(--soft); }
`;
