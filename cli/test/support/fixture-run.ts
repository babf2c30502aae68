import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { ActionInput } from "@openforgerl/contracts/action";
import type { Mark } from "@openforgerl/contracts/observation";
import type { SessionReport } from "@openforgerl/contracts/session";
import { RolloutLine, Trajectory } from "@openforgerl/contracts/trajectory";
import { createRunFolder, type RunFolder } from "@openforgerl/orchestrator/run-folder";
import { BlobWriter } from "@openforgerl/proxy/store/blobs";
import { sha256 } from "@openforgerl/proxy/store/parts";
import { pagePicture } from "./page-picture.ts";
import { type RecordedModel, type Saying, startRecordedModel } from "./talking-model.ts";

export interface FixtureOptions {
  kind: "train" | "eval";
  /** Training steps written; the run is to have 40. */
  steps?: number;
  /** Gives every rollout a fault and no score. */
  allBroken?: boolean;
  /** Leaves out the trajectories. */
  withoutTrajectories?: boolean;
}

const FAMILIES = [
  { id: "board/click-colour", level: 1, ends: 0.98 },
  { id: "board/type-word", level: 2, ends: 0.92 },
  { id: "shop/add-to-cart", level: 3, ends: 0.7 },
  { id: "booking/move", level: 4, ends: 0.25 },
];
const SIZE = { width: 640, height: 400 };

/** Marks of the page that the fixture's agents see. */
const MARKS: Mark[] = [
  { id: 0, role: "heading", name: "Larder and Loom", box: { x: 24, y: 18, width: 260, height: 30 } },
  { id: 1, role: "textbox", name: "Search", box: { x: 24, y: 64, width: 300, height: 34 } },
  { id: 2, role: "button", name: "Find", box: { x: 334, y: 64, width: 70, height: 34 } },
  { id: 3, role: "button", name: "Add to cart", box: { x: 24, y: 300, width: 120, height: 36 } },
  { id: 4, role: "text", name: "Stoneware mug, 12.00", box: { x: 24, y: 260, width: 220, height: 26 } },
];

/** What the fixture's agents do, and what the model says each time. */
const MOVES: { action: ActionInput; saying: Saying; failure?: { code: "covered"; message: string } }[] = [
  {
    action: { type: "type", text: "mug", into: { by: "mark", mark: 1 }, submit: true },
    saying: {
      text: "I search for the mug first.",
      tool: { name: "mcp__env__type_text", input: { text: "mug", mark: 1, submit: true } },
      logprobs: [-0.02, -0.4, -1.2, -0.01],
    },
  },
  {
    action: { type: "click", at: { by: "mark", mark: 3 } },
    failure: { code: "covered", message: "Something lies over it." },
    saying: { tool: { name: "mcp__env__click", input: { mark: 3 } }, logprobs: [-0.1, -0.7] },
  },
  {
    action: { type: "click", at: { by: "point", x: 500, y: 200 }, count: 2 },
    saying: {
      tool: { name: "mcp__env__click_at", input: { x: 500, y: 200, double: true } },
      logprobs: [-0.3, -2.1],
    },
  },
  {
    action: { type: "drag", from: { by: "mark", mark: 4 }, to: { by: "point", x: 560, y: 120 } },
    saying: {
      tool: { name: "mcp__env__drag_at", input: { from_x: 134, from_y: 273, to_x: 560, to_y: 120 } },
      logprobs: [-0.5],
    },
  },
  {
    action: { type: "scroll", dy: 300 },
    saying: {
      tool: { name: "mcp__env__scroll", input: { direction: "down", amount: 300 } },
      logprobs: [-0.2],
    },
  },
];

/** Writes a small run in the shape of the real ones, with recordings made by the real proxy. */
export async function writeFixtureRun(dir: string, options: FixtureOptions): Promise<void> {
  const run = await createRunFolder(dir, {
    id: dir.split("/").at(-1) ?? "run",
    kind: options.kind,
    createdAt: "2026-01-15T09:30:12.000Z",
    config: {
      suite: "sites",
      harness: "builtin",
      model: "embedded",
      ...(options.kind === "train" ? { steps: 40 } : {}),
    },
    versions: { forge: "0.1.0", node: "v24.0.0" },
  });
  const model = await startRecordedModel(dir);
  try {
    if (options.kind === "eval") await writeEvaluation(run, model, options);
    else await writeTraining(run, model, options);
  } finally {
    await model.close();
    await run.close();
  }
  // Only once the run is closed: closing it makes sure that every trajectory it names is there.
  if (options.withoutTrajectories) await rm(join(dir, "trajectories"), { recursive: true });
}

async function writeEvaluation(run: RunFolder, model: RecordedModel, options: FixtureOptions): Promise<void> {
  for (const [f, family] of FAMILIES.entries()) {
    for (let i = 0; i < 5; i++) {
      await writeRollout(run, model, options, {
        id: `eval-${f}-${i}`,
        family,
        seed: i,
        labels: { phase: "eval", repeat: 0 },
        score: i / 5 < family.ends ? 1 : 0,
        isBroken: f === 2 && i === 4,
      });
    }
  }
}

async function writeTraining(run: RunFolder, model: RecordedModel, options: FixtureOptions): Promise<void> {
  const steps = options.steps ?? 40;
  for (let step = 0; step <= steps; step++) {
    const reached = 1 - Math.exp(-step / 12);
    const devSuccess = 0.06 + 0.66 * reached;
    const isEvaluated = step % 10 === 0;
    await run.appendMetrics({
      step,
      steps: 40,
      episodes: step * 128,
      wallSeconds: step * 6.4,
      trainSuccess: step === 0 ? null : devSuccess - 0.05 + 0.09 * Math.sin(step * 1.7),
      ...(isEvaluated
        ? { devSuccess, devInterval: [Math.max(0, devSuccess - 0.09), devSuccess + 0.08] }
        : {}),
      entropy: 2.4 - 1.6 * reached + 0.1 * Math.sin(step),
      kl: 0.004 + 0.003 * Math.cos(step),
      staleness: step % 2,
      episodesPerSecond: 19.5 + Math.sin(step / 3),
      byFamily: {},
    });
    if (!isEvaluated) continue;
    for (const [f, family] of FAMILIES.entries()) {
      for (let i = 0; i < 4; i++) {
        await writeRollout(run, model, options, {
          id: `dev-${step}-${f}-${i}`,
          family,
          seed: i,
          labels: { phase: "dev", step, policyVersion: String(step) },
          score: (i + 0.5) / 4 < family.ends * reached ? 1 : 0,
          isBroken: step === 40 && f === 3 && i === 3,
        });
      }
    }
  }
}

interface Plan {
  id: string;
  family: (typeof FAMILIES)[number];
  seed: number;
  labels: Record<string, string | number>;
  score: number;
  isBroken: boolean;
}

async function writeRollout(
  run: RunFolder,
  model: RecordedModel,
  options: FixtureOptions,
  plan: Plan,
): Promise<void> {
  const { family, seed, score } = plan;
  const fault =
    plan.isBroken || options.allBroken
      ? {
          boundary: "environment" as const,
          code: "browser_crashed",
          message: "The browser went away in the middle of the episode.",
          advice: "Try again: the browser is started anew for the next episode.",
          retryable: true,
          causes: [],
        }
      : undefined;
  const moves = fault ? MOVES.slice(0, 1) : MOVES.slice(0, score === 1 ? 5 : 3);
  const recorded = await model.record([
    { tool: { name: "mcp__env__screenshot", input: {} }, logprobs: [-0.05] },
    ...moves.map(({ saying }) => saying),
    ...(fault ? [] : [{ text: "The mug is in the cart.", logprobs: [-0.9, -0.2] }]),
  ]);
  const session: SessionReport = {
    calls: recorded.calls,
    completeCalls: recorded.calls,
    sequences: recorded.calls,
    mergeRatio: 1,
    sampledTokens: recorded.sampled,
    deliveredTokens: recorded.sampled,
    promptTokensAdded: 3,
    promptTokensTotal: 3 * recorded.calls,
    breaks: [],
  };
  const bytes = await pagePicture(MARKS, SIZE);
  const address = sha256(bytes);
  await new BlobWriter(run.dir).put({ sha256: address, bytes });
  const screenshot = { sha256: address, size: bytes.length, mediaType: "image/png", ...SIZE, scale: 1 };
  const look = {
    screenshot,
    marks: MARKS,
    url: "http://127.0.0.1:4000/shop?q=<mug>",
    title: "Larder & Loom",
  };
  const judge = { id: "site-state", version: "1" };
  const trajectory = Trajectory.parse({
    schemaVersion: 1,
    rolloutId: plan.id,
    task: {
      schemaVersion: 1,
      id: `${family.id}@dev-${seed}`,
      benchmark: "sites",
      family: family.id,
      level: family.level,
      split: "dev",
      instruction: 'Put the "Stoneware mug" into the cart & leave <everything> else alone.',
      environment: {
        kind: "browser",
        viewport: SIZE,
        start: { at: "site", site: "shop", family: family.id, seed, split: "dev" },
      },
      limits: { maxSteps: 12, maxCalls: 16, deadlineSeconds: 120 },
      judge,
    },
    seed,
    attempt: 1,
    startedAt: "2026-01-15T09:31:00.000Z",
    endedAt: "2026-01-15T09:31:02.400Z",
    stopReason: fault ? "environment_error" : "answered",
    ...(fault ? {} : { answer: "The mug is in the cart." }),
    steps: [
      { index: 0, ...look, atMs: 40 },
      ...moves.map(({ action, failure }, i) => ({
        index: i + 1,
        action,
        failure,
        ...look,
        atMs: 90 * (i + 1),
      })),
    ],
    sessionId: recorded.sessionId,
    session,
    ...(fault
      ? { fault }
      : {
          verdict: {
            score,
            reason: score === 1 ? "The cart holds what was asked for." : "The cart is empty.",
            evidence: { cart: score === 1 ? ["Stoneware mug"] : [], expected: ["Stoneware mug"] },
            judge,
          },
        }),
    versions: {
      forge: "0.1.0",
      harness: { name: "builtin", version: "1" },
      model: { name: "embedded", policyVersion: String(plan.labels.policyVersion ?? "12") },
      browser: "156.0",
      node: "v24.0.0",
    },
  });
  const line = RolloutLine.parse({
    schemaVersion: 1,
    rolloutId: plan.id,
    taskId: trajectory.task.id,
    family: family.id,
    level: family.level,
    split: "dev",
    seed,
    attempt: 1,
    stopReason: trajectory.stopReason,
    score: fault ? null : score,
    fault: fault ?? null,
    steps: moves.length,
    calls: recorded.calls,
    wallMs: 2400,
    sessionId: recorded.sessionId,
    labels: plan.labels,
  });
  await run.finish(trajectory, line);
}
