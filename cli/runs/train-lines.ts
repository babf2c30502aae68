import type { StepMetrics } from "@openforgerl/trainer/loop/metrics";

/** One line a step for whoever watches: where training is, how well it goes, how long it will take. */
export function stepLine(metrics: StepMetrics, secondsLeft: number): string {
  const parts = [
    `step ${String(metrics.step).padStart(String(metrics.steps).length)}/${metrics.steps}`,
    `${metrics.episodes} episodes`,
    `level ${metrics.level}`,
    `train ${percent(metrics.trainSuccess)}`,
  ];
  if (metrics.devSuccess !== undefined && metrics.devInterval) {
    const [low, high] = metrics.devInterval;
    const levels = Object.entries(metrics.devByLevel ?? {}).sort(([a], [b]) => Number(a) - Number(b));
    const byLevel = levels.map(([level, { success }]) => ` L${level} ${percent(success)}`);
    parts.push(
      `dev ${percent(metrics.devSuccess)} [${percent(low)}, ${percent(high)}]${levels.length > 1 ? byLevel.join("") : ""}`,
    );
  }
  if (metrics.entropy !== undefined) {
    parts.push(
      `entropy ${metrics.entropy.toFixed(2)}`,
      `KL ${(metrics.kl ?? 0).toFixed(3)}`,
      `staleness ${metrics.staleness}`,
      ...(metrics.episodesPerSecond > 0 ? [`${metrics.episodesPerSecond.toFixed(1)} episodes/s`] : []),
      `${duration(secondsLeft)} left`,
    );
  }
  if (metrics.invalid > 0) parts.push(`${metrics.invalid} without a score`);
  return parts.join(" · ");
}

/** Seconds of work still ahead, from the steps done so far in this process. */
export function estimateLeft(stepsDone: number, secondsSpent: number, stepsLeft: number): number {
  return stepsDone === 0 ? Number.NaN : (secondsSpent / stepsDone) * stepsLeft;
}

/** 0.314 -> "31%"; nothing to say -> "–". */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined || Number.isNaN(share) ? "–" : `${Math.round(share * 100)}%`;
}

/** Seconds as a person says them: 42 s, 7 min, 1 h 5 min. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "…";
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
