import type { BrowserSpec, Environment } from "@openforgerl/contracts/environment";
import type { Observation } from "@openforgerl/contracts/observation";
import { Split } from "@openforgerl/contracts/task";
import { getFamily } from "./families.ts";
import type { GeneratedTask, Policy, TaskFamily, TaskInstance } from "./types.ts";

/** What is checked of a family (closed set). */
export type CheckName = "oracle" | "idle" | "wrong" | "screenshot" | "instructions" | "splits";

/** One finding; `seed` where it is about one task. */
export interface CheckResult {
  check: CheckName;
  ok: boolean;
  /** One sentence: what was found. */
  detail: string;
  seed?: number;
  seconds: number;
}

export interface FamilyCheck {
  family: string;
  level: number;
  ok: boolean;
  seconds: number;
  checks: CheckResult[];
}

export interface CheckOptions {
  /** Family id. */
  family: string;
  /** Seeds of the train split to play. */
  seeds: readonly number[];
  openEnvironment(spec: BrowserSpec): Promise<Environment>;
  /** Stops between episodes. */
  signal?: AbortSignal;
}

/** Tasks drawn from each split to see that none is in two. */
const DRAWN_PER_SPLIT = 50;
const CLOCK = "2026-01-15T09:00:00.000Z";

interface Episode {
  first: Observation;
  score: number;
  reason: string;
  steps: number;
}

/**
 * Proves a family sound in a real browser: for each seed the oracle scores 1 within the steps allowed, doing
 * nothing scores 0, the wrong attempt scores 0, and the same seed gives the same first screenshot byte for
 * byte; over the seeds, instructions vary; and no task is in two splits.
 * @throws ForgeError input/bad_input for an unknown family, and whatever `openEnvironment` throws.
 */
export async function checkFamily(options: CheckOptions): Promise<FamilyCheck> {
  const family = getFamily(options.family);
  const started = performance.now();
  const checks: CheckResult[] = [];
  for (const seed of options.seeds) {
    checks.push(...(await checkSeed(family, seed, options)));
  }
  checks.push(checkInstructions(family, options.seeds), checkSplits(family));
  return {
    family: family.id,
    level: family.level,
    ok: checks.every(({ ok }) => ok),
    seconds: secondsSince(started),
    checks,
  };
}

async function checkSeed(
  family: TaskFamily,
  seed: number,
  { openEnvironment, signal }: CheckOptions,
): Promise<CheckResult[]> {
  const instance = family.instantiate(seed, "train");
  const results: CheckResult[] = [];

  /** Plays one episode and notes whether it scored as it should. */
  async function expectScore(check: CheckName, wanted: number, policy: Policy | undefined) {
    signal?.throwIfAborted();
    const started = performance.now();
    const played = await play(instance, policy, openEnvironment);
    const ok = "score" in played && played.score === wanted && played.steps <= instance.task.maxSteps;
    const detail =
      "score" in played ? `Scored ${played.score} in ${played.steps} steps. ${played.reason}` : played.broke;
    results.push({ check, ok, detail, seed, seconds: secondsSince(started) });
    return "first" in played ? played.first : undefined;
  }

  const one = await expectScore("idle", 0, undefined);
  const two = await expectScore("oracle", 1, instance.oracle());
  await expectScore("wrong", 0, instance.wrong());
  results.push({ ...compareScreenshots(one, two), seed });
  return results;
}

/** Plays one episode of a task; a policy that finds no way on is reported, not thrown. */
async function play(
  instance: TaskInstance,
  policy: Policy | undefined,
  openEnvironment: CheckOptions["openEnvironment"],
): Promise<Episode | { broke: string; first?: Observation }> {
  const env = await openEnvironment(specOf(instance.task));
  try {
    const first = await env.observe({ screenshot: true, marks: true });
    let look = first;
    let steps = 0;
    let answer: string | undefined;
    while (policy) {
      const next = nextAction(policy, look);
      if ("broke" in next) return { broke: next.broke, first };
      if (next.type === "answer") answer = next.text;
      if (next.type === "answer" || next.type === "done") break;
      if (steps === instance.task.maxSteps) return { broke: `Not done after ${steps} steps.`, first };
      steps += 1;
      const result = await env.act(next);
      if (!result.ok) return { broke: `Step ${steps} (${next.type}) failed: ${result.message}`, first };
      look = await env.observe({ screenshot: false, marks: true });
    }
    const found = await env.probe({ type: "site_verdict", answer });
    if (!found.ok) return { broke: found.message, first };
    const { score, reason } = found.value as { score: number; reason: string };
    return { first, score, reason, steps };
  } finally {
    await env.close();
  }
}

function nextAction(policy: Policy, look: Observation): ReturnType<Policy> | { broke: string } {
  try {
    return policy(look);
  } catch (error) {
    return { broke: error instanceof Error ? error.message : String(error) };
  }
}

function specOf({ site, family, seed, split, viewport, toolStyle }: GeneratedTask): BrowserSpec {
  return {
    kind: "browser",
    viewport,
    locale: "en-US",
    timeZone: "UTC",
    toolStyle,
    determinism: { seed, clock: CLOCK },
    start: { at: "site", site, family, seed, split },
  };
}

function compareScreenshots(
  one: Observation | undefined,
  two: Observation | undefined,
): Omit<CheckResult, "seed"> {
  const started = performance.now();
  const [a, b] = [one?.screenshot?.bytes, two?.screenshot?.bytes];
  const ok = a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
  const detail = ok
    ? "Two worlds of the seed look alike, byte for byte."
    : "Two worlds of the seed look different.";
  return { check: "screenshot", ok, detail, seconds: secondsSince(started) };
}

/** A family of few words repeats itself over many seeds, but not over all. */
function checkInstructions(family: TaskFamily, seeds: readonly number[]): CheckResult {
  const started = performance.now();
  const tasks = seeds.map((seed) => family.instantiate(seed, "train").task);
  const distinct = new Set(tasks.map(({ instruction }) => instruction)).size;
  return {
    check: "instructions",
    ok: distinct >= Math.ceil(Math.min(seeds.length, 8) / 2),
    detail: `${distinct} distinct instructions over ${seeds.length} seeds.`,
    seconds: secondsSince(started),
  };
}

function checkSplits(family: TaskFamily): CheckResult {
  const started = performance.now();
  const owners = new Map<string, Split>();
  const shared = new Set<string>();
  for (const split of Split.options) {
    for (let seed = 0; seed < DRAWN_PER_SPLIT; seed++) {
      const { key } = family.instantiate(seed, split).task;
      if ((owners.get(key) ?? split) !== split) shared.add(key);
      owners.set(key, split);
    }
  }
  return {
    check: "splits",
    ok: shared.size === 0,
    detail: `${owners.size} distinct tasks drawn, ${shared.size} of them in more than one split.`,
    seconds: secondsSince(started),
  };
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}
