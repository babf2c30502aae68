import type { Dialect } from "./call.ts";
import type { StopReason } from "./stop-reason.ts";
import type { Limits } from "./task.ts";

/** What a harness can do; a need it lacks is an error before anything starts. */
export interface HarnessCapabilities {
  dialect: Dialect;
  imageInput: boolean;
  mcp: boolean;
  ownBrowser: boolean;
  maxTurns: boolean;
  systemPrompt: boolean;
  toolRestriction: boolean;
  subagents: boolean;
  compaction: boolean;
  /** Runs inside our process: no child, no install. */
  inProcess: boolean;
}

/** Where an installed harness is. */
export interface HarnessInstallation {
  version: string;
  /** Absolute path of the executable; absent for an in-process harness. */
  executable?: string;
}

/** One episode as a harness sees it: two addresses, words, and bounds. */
export interface HarnessRun {
  /** What the agent is asked to do, in plain words. The adapter wraps it with `taskPrompt`. */
  instruction: string;
  /** Base URL of the proxy session (no `/v1`), its bearer token, and the model's name. */
  model: { baseUrl: string; token: string; name: string };
  /** Streamable-HTTP MCP endpoint of the environment and its bearer token. */
  mcp: { url: string; token: string };
  /** DevTools address, for harnesses with their own browser tools. */
  cdpUrl?: string;
  /** An empty directory: HOME, configuration, transcripts. */
  scratchDir: string;
  limits: Limits;
  /** Aborted on deadline or cancellation; the adapter must then stop its process group and return. */
  signal: AbortSignal;
}

/** How a harness ended, before the orchestrator weighs in with limits it enforced itself. */
export interface HarnessOutcome {
  stopReason: StopReason;
  /** The agent's final words. */
  answer?: string;
  exitCode?: number | null;
  /** Files worth keeping with the trajectory, absolute paths. */
  transcripts: string[];
  /** One sentence where the outcome is an error. */
  detail?: string;
}

/** Plugin interface, version 1. The caller owns the lifecycle; one folder an implementation. */
export interface HarnessAdapter {
  readonly interfaceVersion: 1;
  readonly name: string;
  /** Pinned version. */
  readonly version: string;
  readonly capabilities: HarnessCapabilities;
  /**
   * Makes sure the harness is there; idempotent, safe to call from several processes.
   * @throws ForgeError boundary `harness`, code `install_failed`.
   */
  install(cacheDir: string, signal: AbortSignal): Promise<HarnessInstallation>;
  /** Runs one episode to its end and returns how it ended; rejects only for a fault of ours. */
  run(installation: HarnessInstallation, run: HarnessRun): Promise<HarnessOutcome>;
}

/**
 * The user message every harness is given. The tags let a reader of the request (a person, a judge, the
 * embedded policy's chat template) find the task inside whatever the harness puts around it.
 */
export function taskPrompt(instruction: string): string {
  return [
    "You are operating a web browser through the tools you have been given.",
    "Look at the screen with the screenshot tool, act, and look again until the task is done.",
    "When it is done, stop calling tools and say so in one short sentence; if the task asks a question, reply with the answer alone.",
    "",
    `<task>${instruction}</task>`,
  ].join("\n");
}
