import { summarise } from "@openforgerl/benchmarks/summary";
import { judgedLines, lastEvaluation } from "./families.ts";
import { count, duration, percent, percentRange } from "./html.ts";
import type { RunData } from "./run-data.ts";

/** A figure at the top of the report. */
export interface Headline {
  name: string;
  value: string;
  /** What it rests on. */
  note: string;
  /** Rollouts without a score ask for attention. */
  isWarning?: boolean;
}

/** The figures a reader wants first. */
export function headlines(run: RunData): Headline[] {
  return run.header.kind === "train" ? trainHeadlines(run) : evalHeadlines(run);
}

/** Why the run is not what it set out to be, as a sentence; undefined when it is. */
export function shortcoming({ header, metrics, rollouts }: RunData): string | undefined {
  if (rollouts.length === 0) return "No rollout has finished yet.";
  if (rollouts.every(({ score }) => score === null)) {
    return "No rollout has a score: every one ended in a fault. The reasons stand with the rollouts below.";
  }
  const last = metrics.at(-1);
  const planned = last?.steps ?? (typeof header.config.steps === "number" ? header.config.steps : undefined);
  if (header.kind === "train" && planned !== undefined && (last?.step ?? 0) < planned) {
    return `This run stands at step ${last?.step ?? 0} of ${planned}. “forge resume” carries it on.`;
  }
  return undefined;
}

function trainHeadlines({ metrics, rollouts }: RunData): Headline[] {
  const last = metrics.at(-1);
  const evaluated = metrics.filter(({ devSuccess }) => devSuccess !== undefined);
  const [first, newest] = [evaluated[0], evaluated.at(-1)];
  const judged = summarise(lastEvaluation(rollouts)).scored;
  const success = newest?.devSuccess ?? judged.mean;
  const interval = newest?.devInterval ?? judged.interval;
  const from =
    first && first !== newest ? `from ${percent(first.devSuccess)} at step\u00a0${first.step}` : "";
  const n = judged.n > 0 ? `${count(judged.n)} rollouts` : "";
  return [
    {
      name: "Success on held-out tasks",
      value: percent(success),
      note: joined(Number.isNaN(success) ? "" : `95% interval ${percentRange(interval)}`, n, from),
    },
    {
      name: "Training episodes",
      value: count(last?.episodes ?? rollouts.filter(({ labels }) => labels.phase === "train").length),
      note: joined(
        `${last?.step ?? 0} steps`,
        !last?.episodesPerSecond ? "" : `${last.episodesPerSecond.toFixed(1)} a second`,
      ),
    },
    { name: "Time", value: duration(last?.wallSeconds ?? 0), note: "of work" },
    withoutScore(rollouts),
  ];
}

function evalHeadlines({ rollouts }: RunData): Headline[] {
  const lines = judgedLines(rollouts);
  const { mean, interval, n } = summarise(lines).scored;
  const scored = lines.filter(({ score }) => score !== null);
  const steps = scored.reduce((sum, line) => sum + line.steps, 0) / Math.max(1, scored.length);
  const seconds = scored.reduce((sum, line) => sum + line.wallMs, 0) / 1000 / Math.max(1, scored.length);
  const tasks = new Set(lines.map(({ taskId }) => taskId)).size;
  return [
    {
      name: "Success",
      value: percent(mean),
      note:
        n === 0
          ? "nothing could be scored"
          : joined(`95% interval ${percentRange(interval)}`, `${count(n)} scored`),
    },
    { name: "Tasks", value: count(tasks), note: `${count(lines.length)} rollouts` },
    {
      name: "Actions",
      value: scored.length === 0 ? "–" : steps.toFixed(1),
      note: joined("a rollout", scored.length === 0 ? "" : `${seconds.toFixed(1)}\u00a0s`),
    },
    withoutScore(rollouts),
  ];
}

function withoutScore(rollouts: RunData["rollouts"]): Headline {
  const { invalid } = summarise(rollouts);
  const total = Object.values(invalid).reduce((sum, n) => sum + n, 0);
  const reasons = Object.entries(invalid)
    .sort(([, a], [, b]) => b - a)
    .map(([reason, n]) => `${count(n)} ${reason}`);
  return {
    name: "Without a score",
    value: count(total),
    note: total === 0 ? `of ${count(rollouts.length)} rollouts` : reasons.join(" · "),
    isWarning: total > 0,
  };
}

function joined(...parts: string[]): string {
  return parts.filter(Boolean).join(" · ");
}
