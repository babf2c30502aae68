import type { RateSummary } from "@openforgerl/benchmarks/summary";
import { CLIENT_SOURCE } from "./client/kit.ts";
import { curvePoints, curveSvg, sparkline } from "./curve.ts";
import { type FamilyRow, familyRows } from "./families.ts";
import { type Headline, headlines, shortcoming } from "./headlines.ts";
import { count, escapeHtml, percent, percentRange, scriptJson } from "./html.ts";
import type { ReportModel } from "./model.ts";
import type { MetricsLine, RunData } from "./run-data.ts";
import { STYLE } from "./style.ts";

/** The whole report as one HTML document that needs nothing else, except what a `served` model fetches. */
export function reportPage(run: RunData, model: ReportModel): string {
  const { header } = run;
  const title = `${header.id} · OpenForgeRL`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${heading(run)}
<dl class="headlines">${headlines(run).map(headline).join("")}</dl>
${curve(run.metrics)}
${families(familyRows(run.rollouts))}
${rollouts(run, model)}
${making(run)}
</main>
<script type="application/json" id="model">${scriptJson(model)}</script>
<script>${CLIENT_SOURCE}</script>
</body>
</html>
`;
}

function heading(run: RunData): string {
  const { id, kind, createdAt, config } = run.header;
  const what = ["suite", "harness", "model"]
    .map((key) => config[key])
    .filter((value) => typeof value === "string");
  const when = createdAt.slice(0, 16).replace("T", " ");
  const problem = shortcoming(run);
  return [
    `<div class="kicker">OpenForgeRL · ${kind === "train" ? "training run" : "evaluation"}</div>`,
    `<h1>${escapeHtml(id)}</h1>`,
    `<p class="sub">${escapeHtml([...what, `${when} UTC`].join(" · "))}</p>`,
    problem === undefined ? "" : `<p class="notice">${escapeHtml(problem)}</p>`,
  ].join("\n");
}

function headline({ name, value, note, isWarning }: Headline): string {
  return [
    `<div${isWarning ? ' class="warning"' : ""}>`,
    `<dt>${escapeHtml(name)}</dt><dd class="value num">${escapeHtml(value)}</dd>`,
    `<dd class="note num">${escapeHtml(note)}</dd></div>`,
  ].join("");
}

function curve(metrics: readonly MetricsLine[]): string {
  if (metrics.length < 2) return "";
  const values = (key: "entropy" | "kl" | "staleness" | "episodesPerSecond") =>
    metrics.flatMap((line) => (line[key] === undefined ? [] : [line[key]]));
  const sparks = [
    sparkline("entropy", values("entropy"), 3),
    sparkline("KL", values("kl"), 4),
    sparkline("staleness", values("staleness"), 0),
    // 0 where none was run: at step 0, or in a step whose episodes were there from before an interruption.
    sparkline(
      "episodes a second",
      values("episodesPerSecond").filter((rate) => rate > 0),
      1,
    ),
  ];
  const levels = [...new Set(metrics.flatMap(({ devByLevel }) => Object.keys(devByLevel ?? {})))].sort();
  const byLevel = levels.map((level) => {
    const shares = metrics.flatMap(({ devByLevel }) => devByLevel?.[level]?.success ?? []);
    return sparkline(`level ${level}, held out`, shares, "percent");
  });
  return `<h2>Learning curve</h2>
<div class="card">
<p class="legend"><span style="color: var(--accent)"><i></i>held-out tasks</span><span><i class="band-key"></i>95% interval</span><span style="color: var(--faint)"><i></i>training episodes of the step</span></p>
<div class="curve-box">${curveSvg(metrics)}</div>
${byLevel.length < 2 ? "" : `<div class="sparks">${byLevel.join("")}</div>`}
<div class="sparks">${sparks.join("")}</div>
</div>
<script type="application/json" id="curve-points">${scriptJson(curvePoints(metrics))}</script>`;
}

function families(rows: readonly FamilyRow[]): string {
  if (rows.length === 0) return "";
  const hasFirst = rows.some(({ first }) => first !== null);
  const first = hasFirst ? "<th>first</th>" : "";
  const lines = rows.map(({ family, level, first: before, last }) => {
    const beforeCell = hasFirst
      ? `<td class="num" style="text-align: left">${before ? rate(before, "bar first") : ""}</td>`
      : "";
    const invalid = Object.entries(last.invalid);
    const faults = invalid.length === 0 ? "" : invalid.map(([reason, n]) => `${n} ${reason}`).join(", ");
    return [
      `<tr><td><span class="level num">${level}</span></td><td>${escapeHtml(family)}</td>${beforeCell}`,
      `<td class="num" style="text-align: left">${rate(last, "bar")}</td>`,
      `<td class="num muted">${last.scored.n === 0 ? "–" : percentRange(last.scored.interval)}</td>`,
      `<td class="num">${count(last.scored.n)}</td><td class="faults">${escapeHtml(faults)}</td></tr>`,
    ].join("");
  });
  return `<h2>Success by family</h2>
<div class="card scroll"><table>
<thead><tr><th>level</th><th>family</th>${first}<th>${hasFirst ? "last" : "success"}</th><th class="num">95% interval</th><th class="num">scored</th><th class="faults">without a score</th></tr></thead>
<tbody>${lines.join("\n")}</tbody>
</table></div>`;
}

function rate({ scored }: RateSummary, bar: string): string {
  const width = scored.n === 0 ? 0 : scored.mean * 100;
  return `<span class="${bar}"><i style="width: ${width.toFixed(1)}%"></i></span>${percent(scored.mean)}`;
}

function rollouts(run: RunData, model: ReportModel): string {
  const note =
    model.rollouts.length === 0
      ? run.rollouts.length === 0
        ? "There are none yet."
        : "The run's folder holds no trajectories, so there is nothing to step through."
      : model.mode === "served"
        ? "Every rollout of the run, newest first."
        : "A selection from the last evaluation: of each family one that succeeded and one that failed, where there are such. “forge view” shows all.";
  const sub = `<h2 id="rollouts">Rollouts, step by step</h2>\n<p class="sub" style="margin: -6px 0 14px">${note}`;
  if (model.rollouts.length === 0) return `${sub}</p>`;
  return `${sub} <kbd>←</kbd> <kbd>→</kbd> move through the steps.</p>
<div class="rollouts">
<div class="side"><div class="filters" id="filters"></div><p class="meta num" id="count" style="margin: 0 0 6px"></p><nav class="list" id="list" aria-label="Rollouts"></nav></div>
<section class="card viewer" id="viewer" aria-live="polite"><p class="empty">Choose a rollout.</p></section>
</div>`;
}

function making({ header }: RunData): string {
  const text = JSON.stringify({ config: header.config, versions: header.versions }, null, 2);
  return `<h2>How it was made</h2>
<details class="card" style="margin: 0"><summary>Configuration and versions</summary><pre>${escapeHtml(text)}</pre></details>`;
}
