import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Action } from "@openforgerl/contracts/action";
import type { ActFailureCode, Environment, ToolStyle } from "@openforgerl/contracts/environment";
import { asForgeError, type ForgeError } from "@openforgerl/contracts/errors";
import type { Observation } from "@openforgerl/contracts/observation";
import { actionText } from "./action-text.ts";
import { observationText } from "./observation-text.ts";
import { parseToolCall } from "./tool-call.ts";
import { bareError, toolResult } from "./tool-result.ts";
import { type EnvironmentTool, toolsOf, type View } from "./tools.ts";

/** One thing that happened to the environment, and what could be seen when it had. */
export interface StepEvent {
  /** From 0, without gaps. Event 0 is the first look and has no action. */
  index: number;
  action?: Action;
  /** Present where the action failed. */
  failure?: { code: ActFailureCode; message: string };
  observation: Observation;
  /** Milliseconds since `startedAt`, when the observation was complete. */
  atMs: number;
}

/** How an environment is offered. */
export interface OfferOptions {
  style: ToolStyle;
  /** `Date.now()` at which the episode opened; defaults to the moment of the offer. */
  startedAt?: number;
  /** Actions that may be done, failed ones included. Looking and malformed calls are not actions. */
  maxSteps: number;
  /** False leaves the screenshot out of the observation after the last permitted action. Default true. */
  finalScreenshot?: boolean;
  /**
   * Told of every step, and awaited, before the agent gets its answer: the first look, every action, and a
   * later look that saw something new (a page that changed by itself). An offer whose `onStep` fails is broken.
   */
  onStep(step: StepEvent): void | Promise<void>;
  /** Told once, after the step event of the last permitted action. Later actions are answered with an error. */
  onLimit?(): void;
  /** Told once, when the environment (or `onStep`) failed for good. Later calls are answered with an error. */
  onBroken?(error: ForgeError): void;
}

// Until something has been seen there is nothing to aim at; this only sizes a blind scroll.
const UNSEEN: View = { width: 1280, height: 720, scale: 1 };

/** One episode's environment as tools: parses calls, acts, observes, counts steps. One call at a time. */
export class OfferedEnvironment {
  readonly tools: ReadonlyMap<string, EnvironmentTool>;
  readonly #environment: Environment;
  readonly #options: OfferOptions;
  readonly #startedAt: number;
  #view = UNSEEN;
  #latest: Observation | undefined;
  #nextIndex = 0;
  #actions = 0;
  #broken: ForgeError | undefined;
  #infeasible: string | undefined;
  #closed = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(environment: Environment, options: OfferOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#startedAt = options.startedAt ?? Date.now();
    this.tools = toolsOf(options.style);
  }

  /** Why the environment can't be used any more, if so. */
  get broken(): ForgeError | undefined {
    return this.#broken;
  }

  /** The agent's reason, once it has called `report_infeasible`. */
  get infeasible(): string | undefined {
    return this.#infeasible;
  }

  /** Actions done so far. */
  get steps(): number {
    return this.#actions;
  }

  /** Answers a tool call. Never rejects. */
  call(name: string, input: unknown): Promise<CallToolResult> {
    const answer = this.#queue.then(() => this.#answer(name, input));
    this.#queue = answer;
    return answer;
  }

  close(): void {
    this.#closed = true;
  }

  async #answer(name: string, input: unknown): Promise<CallToolResult> {
    if (this.#closed) return bareError("closed", "The episode is over.");
    if (this.#broken) return bareError(this.#broken.code, this.#broken.message);
    try {
      const isFirst = this.#latest === undefined;
      // Acting before looking would leave marks undefined and the record without its start, so we look.
      const before = this.#latest ?? (await this.#firstLook());
      const call = parseToolCall(this.tools, name, input, this.#view);
      if (call.kind === "invalid") return this.#refuse(before, "invalid_action", call.message);
      if (call.kind === "look") return this.#show(isFirst ? before : await this.#lookAgain(before));
      if (call.action.type === "infeasible") return await this.#giveUp(call.action, before);
      if (this.#actions >= this.#options.maxSteps) {
        const limit = `All ${this.#options.maxSteps} permitted actions are used up. Stop here and answer.`;
        return this.#refuse(before, "step_limit", limit);
      }
      return await this.#act(call.action, before);
    } catch (thrown) {
      return this.#break(thrown);
    }
  }

  async #act(action: Action, before: Observation): Promise<CallToolResult> {
    const scale = this.#view.scale;
    const result = await this.#environment.act(action);
    this.#actions += 1;
    const isLast = this.#actions >= this.#options.maxSteps;
    const seen = await this.#observe(!isLast || this.#options.finalScreenshot !== false);
    const failure = result.ok ? undefined : { code: result.code, message: result.message };
    await this.#emit(seen, { action, ...(failure ? { failure } : {}) });
    if (isLast) this.#options.onLimit?.();
    // A failed action is data, not a tool error: harnesses drop the picture of an answer that is marked as one
    // (Claude Code 2.1 does), and leave the agent blind just when it has to look again.
    if (!result.ok) return this.#show(seen, `Error (${result.code}): ${result.message}`);
    const done = actionText(action, before.marks, scale);
    return this.#show(seen, result.note === undefined ? done : `${done} ${result.note}`);
  }

  async #giveUp(action: Action & { type: "infeasible" }, before: Observation): Promise<CallToolResult> {
    this.#infeasible = action.reason;
    await this.#emit(before, { action });
    return this.#show(before, actionText(action, before.marks, this.#view.scale));
  }

  async #firstLook(): Promise<Observation> {
    const seen = await this.#observe(true);
    await this.#emit(seen, {});
    return seen;
  }

  async #lookAgain(before: Observation): Promise<Observation> {
    const seen = await this.#observe(true);
    if (!looksTheSame(before, seen)) await this.#emit(seen, {});
    return seen;
  }

  async #observe(screenshot: boolean): Promise<Observation> {
    const { capabilities } = this.#environment;
    const seen = await this.#environment.observe({
      screenshot: screenshot && capabilities.screenshot,
      marks: this.#options.style !== "pixels" && capabilities.marks,
    });
    this.#latest = seen;
    if (seen.screenshot) {
      const { width, height, scale } = seen.screenshot;
      this.#view = { width, height, scale };
    }
    return seen;
  }

  async #emit(observation: Observation, what: Pick<StepEvent, "action" | "failure">): Promise<void> {
    const atMs = Math.max(0, Date.now() - this.#startedAt);
    await this.#options.onStep({ index: this.#nextIndex++, ...what, observation, atMs });
  }

  #show(observation: Observation, headline?: string): CallToolResult {
    return toolResult(observation, {
      isError: false,
      scale: this.#view.scale,
      ...(headline === undefined ? {} : { headline }),
    });
  }

  #refuse(observation: Observation, code: string, message: string): CallToolResult {
    const headline = `Error (${code}): ${message}`;
    return toolResult(observation, { isError: true, scale: this.#view.scale, headline });
  }

  #break(thrown: unknown): CallToolResult {
    const error = asForgeError(thrown, {
      boundary: "runtime",
      code: "step_failed",
      advice: "This is a fault of ours, in the tool server or in what listens to its steps.",
    });
    // Closing an environment breaks the call that was in flight; that is how an episode is cut short.
    if (!this.#closed) {
      this.#broken = error;
      this.#options.onBroken?.(error);
    }
    return bareError(error.code, error.message);
  }
}

/** Whether an agent that saw one could tell the other apart; screenshots are compared byte for byte. */
function looksTheSame(a: Observation, b: Observation): boolean {
  return (
    observationText(a, { scale: 1 }) === observationText(b, { scale: 1 }) &&
    (a.screenshot === undefined) === (b.screenshot === undefined) &&
    (!a.screenshot || !b.screenshot || Buffer.compare(a.screenshot.bytes, b.screenshot.bytes) === 0)
  );
}
