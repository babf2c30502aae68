import { escapeHtml } from "./html.ts";
import type { MetricsLine } from "./run-data.ts";

const WIDTH = 960;
const HEIGHT = 300;
const LEFT = 48;
const RIGHT = 16;
const TOP = 14;
const BOTTOM = 34;

/** The learning curve as SVG: training success, success on held-out tasks with its 95% interval, by step. */
export function curveSvg(metrics: readonly MetricsLine[]): string {
  const last = Math.max(1, ...metrics.map(({ step }) => step));
  const x = (step: number) => round(LEFT + (step / last) * (WIDTH - LEFT - RIGHT));
  const y = (share: number) => round(TOP + (1 - share) * (HEIGHT - TOP - BOTTOM));
  const dev = metrics.flatMap(({ step, devSuccess, devInterval }) =>
    devSuccess === undefined
      ? []
      : [{ step, mean: devSuccess, interval: devInterval ?? [devSuccess, devSuccess] }],
  );
  const train = metrics.flatMap(({ step, trainSuccess }) =>
    typeof trainSuccess === "number" ? [{ step, mean: trainSuccess }] : [],
  );
  const points = (line: readonly { step: number; mean: number }[]) =>
    line.map(({ step, mean }) => `${x(step)},${y(mean)}`).join(" ");
  const band = [
    ...dev.map(({ step, interval }) => `${x(step)},${y(interval[1])}`),
    ...dev.toReversed().map(({ step, interval }) => `${x(step)},${y(interval[0])}`),
  ].join(" ");
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(share)}" y2="${y(share)}"/>` +
      `<text class="tick" x="${LEFT - 8}" y="${y(share) + 4}" text-anchor="end">${share * 100}%</text>`,
  );
  const ticks = ticksUpTo(last).map(
    (step) => `<text class="tick" x="${x(step)}" y="${HEIGHT - 12}" text-anchor="middle">${step}</text>`,
  );
  return [
    `<svg class="curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Success by training step">`,
    ...grid,
    ...ticks,
    dev.length > 1 ? `<polygon class="band" points="${band}"/>` : "",
    `<polyline class="train" points="${points(train)}"/>`,
    `<polyline class="dev" points="${points(dev)}"/>`,
    ...dev.map(({ step, mean }) => `<circle class="dev-dot" cx="${x(step)}" cy="${y(mean)}" r="4"/>`),
    `<line class="cursor" x1="0" x2="0" y1="${TOP}" y2="${HEIGHT - BOTTOM}" visibility="hidden"/>`,
    "</svg>",
  ].join("");
}

/** What the curve's hover needs: the place of each step, and the words for it. */
export function curvePoints(metrics: readonly MetricsLine[]): { x: number; lines: string[] }[] {
  const last = Math.max(1, ...metrics.map(({ step }) => step));
  return metrics.map((line) => {
    const { step, devSuccess, devInterval } = line;
    const interval = devInterval ? ` (${share(devInterval[0])}–${share(devInterval[1])})` : "";
    return {
      x: (LEFT + (step / last) * (WIDTH - LEFT - RIGHT)) / WIDTH,
      lines: [
        `step ${step}`,
        ...(devSuccess === undefined ? [] : [`held-out ${share(devSuccess)}${interval}`]),
        ...(typeof line.trainSuccess === "number" ? [`training ${share(line.trainSuccess)}`] : []),
        ...(line.entropy === undefined ? [] : [`entropy ${line.entropy.toFixed(3)}`]),
        ...(line.kl === undefined ? [] : [`KL ${line.kl.toFixed(4)}`]),
        `${line.episodes} episodes, ${Math.round(line.wallSeconds)} s`,
      ],
    };
  });
}

/**
 * A small line of one quantity with its last value.
 * @param format digits after the point; "percent" for a share, whose line stands on a scale from 0 to 1.
 */
export function sparkline(name: string, values: readonly number[], format: number | "percent"): string {
  const [width, height] = [180, 36];
  const isShare = format === "percent";
  const low = isShare ? 0 : Math.min(...values);
  const span = isShare ? 1 : Math.max(...values) - low || 1;
  const newest = values.at(-1);
  const text = newest === undefined ? "–" : isShare ? share(newest) : newest.toFixed(format);
  const points = values
    .map((value, i) => {
      const x = (i / Math.max(1, values.length - 1)) * width;
      return `${round(x)},${round(height - 3 - ((value - low) / span) * (height - 6))}`;
    })
    .join(" ");
  return [
    `<figure class="spark"><figcaption>${escapeHtml(name)} <b>${text}</b></figcaption>`,
    `<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true"><polyline points="${points}"/></svg>`,
    "</figure>",
  ].join("");
}

/** About six round numbers from 0 to `last`. */
function ticksUpTo(last: number): number[] {
  const rough = last / 6;
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((size) => size >= rough) ?? magnitude;
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step);
}

function share(value: number): string {
  return `${Math.round(value * 100)}%`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
