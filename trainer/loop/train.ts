import type { Engine } from "@openforgerl/contracts/engine";
import type { Split, Task } from "@openforgerl/contracts/task";
import type { RolloutLine } from "@openforgerl/contracts/trajectory";
import type { RolloutPlan, RolloutSetting } from "@openforgerl/orchestrator/rollout";
import { runRollouts } from "@openforgerl/orchestrator/run-rollouts";
import type { RolloutServices } from "@openforgerl/orchestrator/services";
import { type LoopState, loadCheckpoint, saveCheckpoint } from "./checkpoint.ts";
import type { TrainConfig } from "./config.ts";
import { chooseTasks, type Lesson, observeGroups, startCurriculum } from "./curriculum.ts";
import { type Batch, buildBatch } from "./groups.ts";
import { type LearnMetrics, learn } from "./learn.ts";
import { meanScore, type RateEstimator, type StepMetrics, successBy } from "./metrics.ts";

/** Where tasks come from; a benchmark suite has this shape. */
export interface TaskSource {
  families(): Lesson[];
  task(family: string, seed: number, split: Split): Task;
}

/** What a training run works with; all of it is owned and closed by the caller. */
export interface TrainContext {
  services: RolloutServices;
  engine: Engine;
  tasks: TaskSource;
  /** Harness, model name and judge of every rollout. */
  setting: RolloutSetting;
  signal: AbortSignal;
  estimateRate: RateEstimator;
  /** Called after each step, with what was appended to metrics.jsonl. */
  onStep?(metrics: StepMetrics): void;
  /** Rollouts done within the current step or evaluation, for a live line. */
  onRollout?(done: number, of: number, phase: "train" | "dev"): void;
}

/**
 * GRPO, from sealed recordings to new weights, step by step (DESIGN.md 5). A run that was killed goes on from
 * its newest checkpoint and the rollouts already finished, and ends as it would have ended.
 */
export async function train(context: TrainContext, config: TrainConfig): Promise<LoopState> {
  const { services, engine } = context;
  const lessons = chooseLessons(context.tasks, config);
  let state: LoopState | undefined = await loadCheckpoint(services.run.dir, engine);
  // A checkpoint that could not be written leaves its step's line behind.
  await services.run.trimMetrics(state?.step ?? -1);
  if (!state) {
    state = {
      schemaVersion: 1,
      step: 0,
      episodes: 0,
      wallSeconds: 0,
      policyVersion: await engine.saveWeightsForSampler(),
      curriculum: startCurriculum(config.seed),
    };
    const dev = await evaluateDev(context, config, lessons, state);
    state = { ...state, wallSeconds: dev.seconds };
    await record(context, config, state, { dev });
  }

  while (state.step < config.steps) {
    const step: number = state.step + 1;
    const began = performance.now();

    // 1. Roll out: groups of episodes of the same task, all under the published policy version.
    const chosen = chooseTasks(state.curriculum, lessons, config.groupsPerStep, config.groupSize);
    const known = services.run.finished.size;
    const groups = await rollOut(context, config, state, chosen.tasks, step);
    const fresh = services.run.finished.size - known;
    const rolledOut = performance.now();

    // 2. Learn from what the proxy recorded and the judge scored.
    const batch = await buildBatch(services.proxy.store, groups, state.policyVersion, config.maxStaleness);
    const learnt = await learn(engine, batch, config, (step - 1) / Math.max(1, config.steps - 1));

    // 3. Publish the new weights; the next step's calls are answered by them.
    const policyVersion = await engine.saveWeightsForSampler();
    const learned = performance.now();

    const finished = groups.flat();
    state = {
      ...state,
      step,
      episodes: state.episodes + finished.length,
      policyVersion,
      curriculum: observeGroups(chosen.state, lessons, groupSuccess(groups)),
    };

    // 4. Evaluate on held-out tasks now and then.
    const dev = isEvalStep(config, step) ? await evaluateDev(context, config, lessons, state) : undefined;
    state = { ...state, wallSeconds: state.wallSeconds + (performance.now() - began) / 1000 };
    await record(context, config, state, {
      learnt,
      finished,
      fresh,
      batch,
      seconds: { rollouts: (rolledOut - began) / 1000, learning: (learned - rolledOut) / 1000 },
      dev,
    });
  }
  return state;
}

function chooseLessons(tasks: TaskSource, config: TrainConfig): Lesson[] {
  const wanted = config.families;
  return tasks
    .families()
    .filter(({ id, level }) => (wanted ? wanted.includes(id) : level <= config.maxLevel));
}

function isEvalStep(config: TrainConfig, step: number): boolean {
  return step === config.steps || (config.evalEvery > 0 && step % config.evalEvery === 0);
}

async function rollOut(
  context: TrainContext,
  config: TrainConfig,
  state: LoopState,
  tasks: ReadonlyArray<{ family: string; seed: number }>,
  step: number,
): Promise<RolloutLine[][]> {
  const labels = { phase: "train", step, policyVersion: state.policyVersion };
  const plans: RolloutPlan[] = tasks.flatMap(({ family, seed }, group) => {
    const task = context.tasks.task(family, seed, "train");
    return Array.from({ length: config.groupSize }, (_, member) => ({
      rolloutId: `train-${pad(step)}-${pad(group)}-${pad(member)}`,
      task,
      seed: rolloutSeed(config.seed, step, group, member),
      labels: { ...labels, group, member },
    }));
  });
  const lines = await runPlans(context, config, state, plans, config.temperature, "train");
  return tasks.map((_, group) => lines.slice(group * config.groupSize, (group + 1) * config.groupSize));
}

async function evaluateDev(
  context: TrainContext,
  config: TrainConfig,
  lessons: readonly Lesson[],
  state: LoopState,
): Promise<{ lines: RolloutLine[]; seconds: number }> {
  const began = performance.now();
  const labels = { phase: "dev", step: state.step, policyVersion: state.policyVersion };
  const plans: RolloutPlan[] = lessons.flatMap(({ id }, family) =>
    Array.from({ length: config.evalPerFamily }, (_, i) => ({
      rolloutId: `dev-${pad(state.step)}-${pad(family)}-${pad(i)}`,
      task: context.tasks.task(id, i, "dev"),
      seed: rolloutSeed(config.seed, state.step, family, i),
      labels,
    })),
  );
  const lines = await runPlans(context, config, state, plans, config.evalTemperature, "dev");
  return { lines, seconds: (performance.now() - began) / 1000 };
}

function runPlans(
  context: TrainContext,
  config: TrainConfig,
  state: LoopState,
  plans: RolloutPlan[],
  temperature: number,
  phase: "train" | "dev",
): Promise<RolloutLine[]> {
  let done = 0;
  const setting = { ...context.setting, temperature, policyVersion: state.policyVersion };
  return runRollouts(context.services, setting, plans, {
    concurrency: config.concurrency,
    signal: context.signal,
    onRollout: () => context.onRollout?.(++done, plans.length, phase),
  });
}

interface StepOutcome {
  learnt?: LearnMetrics;
  finished?: RolloutLine[];
  /** How many of these were run now, not taken from before an interruption. */
  fresh?: number;
  batch?: Batch;
  seconds?: { rollouts: number; learning: number };
  dev: { lines: RolloutLine[]; seconds: number } | undefined;
}

/** Metrics first, checkpoint last: a step counts as done when its checkpoint is there. */
async function record(
  context: TrainContext,
  config: TrainConfig,
  state: LoopState,
  { learnt, finished = [], fresh = 0, batch, seconds, dev }: StepOutcome,
): Promise<void> {
  const { run } = context.services;
  const rate = dev && context.estimateRate(dev.lines);
  const metrics: StepMetrics = {
    step: state.step,
    steps: config.steps,
    episodes: state.episodes,
    wallSeconds: state.wallSeconds,
    seconds: { rollouts: 0, learning: 0, ...seconds, evaluation: dev?.seconds ?? 0 },
    policyVersion: state.policyVersion,
    level: state.curriculum.level,
    trainSuccess: meanScore(finished),
    ...(dev && rate
      ? {
          devSuccess: rate.mean,
          devInterval: rate.interval,
          devByFamily: successBy("family", dev.lines),
          devByLevel: successBy("level", dev.lines),
        }
      : {}),
    ...learnt,
    staleness: batch?.staleness ?? 0,
    episodesPerSecond: seconds ? fresh / seconds.rollouts : 0,
    uniformGroups: batch?.uniformGroups ?? 0,
    tokens: batch?.tokens ?? 0,
    invalid: [...finished, ...(dev?.lines ?? [])].filter((line) => line.score === null).length,
    byFamily: successBy("family", finished),
  };
  await run.appendMetrics({ ...metrics });
  await run.sync();
  await saveCheckpoint(run.dir, context.engine, state);
  context.onStep?.(metrics);
}

function groupSuccess(
  groups: ReadonlyArray<readonly RolloutLine[]>,
): Array<{ family: string; success: number }> {
  return groups.flatMap((group) => {
    const success = meanScore(group);
    const family = group[0]?.family;
    return success === null || family === undefined ? [] : [{ family, success }];
  });
}

/** A 31-bit seed for one rollout, from its place in the run alone (FNV-1a over the numbers). */
function rolloutSeed(...parts: number[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    for (let shift = 0; shift < 32; shift += 8) {
      hash = Math.imul(hash ^ ((part >>> shift) & 0xff), 0x01000193);
    }
  }
  return hash >>> 1;
}

function pad(number: number): string {
  return String(number).padStart(4, "0");
}
