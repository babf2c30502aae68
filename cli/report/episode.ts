import type { Action } from "@openforgerl/contracts/action";
import { asForgeError } from "@openforgerl/contracts/errors";
import type { Step, Trajectory } from "@openforgerl/contracts/trajectory";
import { actionText } from "@openforgerl/environments/mcp/action-text";
import { openStore } from "@openforgerl/proxy/store";
import { type ReadCall, readCalls } from "./calls.ts";
import { drawingsOf } from "./drawings.ts";
import type { CallView, EpisodeView, Frame, Picture } from "./model.ts";
import { readTrajectory } from "./run-data.ts";

/**
 * Reads one rollout with its recorded calls; undefined where the run has no trajectory of it. Calls that
 * can't be read leave their reason in `callsMissing`.
 */
export async function readEpisode(dir: string, rolloutId: string): Promise<EpisodeView | undefined> {
  const trajectory = await readTrajectory(dir, rolloutId);
  if (trajectory === undefined) return undefined;
  let calls: ReadCall[] = [];
  let callsMissing: string | null = null;
  try {
    if (trajectory.sessionId !== "") calls = await readCalls(openStore(dir), trajectory.sessionId);
  } catch (thrown) {
    const advice = "The rollout itself is whole; only its model calls can't be shown.";
    callsMissing = asForgeError(thrown, { boundary: "proxy", code: "calls_unreadable", advice }).message;
  }
  return episodeView(trajectory, calls, callsMissing);
}

/** Joins a trajectory and its calls, frame by frame. */
export function episodeView(
  trajectory: Trajectory,
  calls: readonly ReadCall[],
  callsMissing: string | null,
): EpisodeView {
  const { verdict, fault } = trajectory;
  return {
    id: trajectory.rolloutId,
    task: trajectory.task.id,
    instruction: trajectory.task.instruction,
    stop: trajectory.stopReason,
    answer: trajectory.answer ?? null,
    score: verdict?.score ?? null,
    reason: verdict?.reason ?? fault?.message ?? "",
    evidence: verdict
      ? Object.entries(verdict.evidence).map(([name, value]) => ({ name, value: shown(value) }))
      : [{ name: "advice", value: fault?.advice ?? "" }],
    facts: facts(trajectory),
    frames: frames(trajectory, calls),
    callsMissing,
  };
}

function frames(trajectory: Trajectory, calls: readonly ReadCall[]): Frame[] {
  const waiting = calls.map(({ view, actions }) => ({ view, actions: [...actions], isShown: false }));
  const made: Frame[] = [];
  let seen: Step | undefined;
  let isStale = false;
  for (const step of trajectory.steps) {
    const { action } = step;
    if (action) {
      const picture = pictureOf(seen);
      const view = picture ?? trajectory.task.environment.viewport;
      made.push({
        title: actionText(action, seen?.marks, seen?.screenshot?.scale ?? 1),
        kind: "action",
        failure: step.failure ? `${step.failure.message} (${step.failure.code})` : null,
        picture,
        isStale,
        drawings: drawingsOf(action, seen?.marks, view),
        url: seen?.url ?? step.url,
        atMs: step.atMs,
        calls: takeUntil(waiting, action.type),
      });
    }
    if (step.screenshot || !seen) seen = step;
    isStale = seen !== step;
  }
  made.push({
    title: ending(trajectory),
    kind: "end",
    failure: null,
    picture: pictureOf(seen),
    isStale,
    drawings: [],
    url: trajectory.steps.at(-1)?.url ?? "",
    atMs: trajectory.steps.at(-1)?.atMs ?? 0,
    calls: waiting.filter(({ isShown }) => !isShown).map(({ view }) => view),
  });
  return made;
}

/** A call that no action of the trajectory has been matched to yet, or not all that it asked for. */
interface WaitingCall extends ReadCall {
  isShown: boolean;
}

/**
 * Takes the calls that led to an action off the front of the queue: looks, and the call that asked for it. An
 * answer that asked for several actions stands with each of them.
 */
function takeUntil(waiting: WaitingCall[], type: Action["type"]): CallView[] {
  const at = waiting.findIndex(({ actions }) => actions.includes(type));
  const call = waiting[at];
  if (call === undefined) return [];
  call.actions.splice(0, call.actions.indexOf(type) + 1);
  const taken = waiting.splice(0, at + 1).filter(({ isShown }) => !isShown);
  if (call.isShown) taken.push(call);
  call.isShown = true;
  if (call.actions.length > 0) waiting.unshift(call);
  return taken.map(({ view }) => view);
}

function pictureOf(step: Step | undefined): Picture | null {
  if (!step?.screenshot) return null;
  const { sha256, mediaType, width, height, scale } = step.screenshot;
  return { sha256, mediaType, width: width / scale, height: height / scale };
}

/** How it ended, as a sentence. */
function ending({ stopReason, answer, fault }: Trajectory): string {
  switch (stopReason) {
    case "answered":
      return answer ? `Ended with “${answer}”.` : "Ended without a word.";
    case "gave_up":
      return "Gave up: it reported the task as infeasible.";
    case "max_steps":
      return "Stopped: all permitted actions are used up.";
    case "max_calls":
      return "Stopped: all permitted model calls are used up.";
    case "max_tokens":
      return "Stopped: the model ran out of tokens.";
    case "deadline":
      return "Stopped: the time was up.";
    case "cancelled":
      return "The run was cancelled.";
    default:
      return `Broke off: ${fault?.boundary ?? stopReason} fault.`;
  }
}

function facts({ task, seed, attempt, session, verdict, versions, startedAt, endedAt }: Trajectory) {
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
  const { model, harness, browser, forge, node } = versions;
  const policy = model.policyVersion === undefined ? "" : `, policy ${model.policyVersion}`;
  const rows: [string, string][] = [
    ["task", `${task.id}, level ${task.level}, ${task.split}`],
    ["rollout seed", `${seed}, attempt ${attempt}`],
    ["time", `${seconds.toFixed(1)} s from ${startedAt}`],
    ["model", `${model.name}${policy}`],
    ["harness", `${harness.name} ${harness.version}`],
    [
      "calls",
      `${session.calls} (${session.completeCalls} complete) in ${session.sequences} sequences, ${session.deliveredTokens} tokens to train on`,
    ],
    ["judge", verdict ? `${verdict.judge.id} ${verdict.judge.version}` : `${task.judge.id} (gave no score)`],
    ["browser", browser ?? "unknown"],
    ["forge", `${forge} on Node ${node}`],
  ];
  return rows.map(([name, value]) => ({ name, value }));
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}
