import type { HarnessOutcome } from "@openforgerl/contracts/harness";
import { z } from "zod";
import type { ProcessResult } from "../process/run-process.ts";
import { SERVER_NAME } from "./configure.ts";

const Init = z.looseObject({
  type: z.literal("system"),
  subtype: z.literal("init"),
  mcp_servers: z.array(z.looseObject({ name: z.string(), status: z.string() })),
});
const Content = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  name: z.string().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().nullish(),
});
const Message = z.looseObject({
  type: z.enum(["assistant", "user"]),
  message: z.looseObject({ content: z.union([z.string(), z.array(Content)]) }),
  /** On messages that the CLI wrote in the model's place. */
  error: z.string().optional(),
});
const Result = z.looseObject({
  type: z.literal("result"),
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.string().optional(),
  terminal_reason: z.string().nullish(),
});

/** What the CLI's stream of JSON lines says about a run. */
export interface StreamFacts {
  /** How the environment's MCP server fared, once the session began. */
  serverStatus?: string;
  /** Messages of the model itself. */
  modelMessages: number;
  /** `report_infeasible` was called and accepted. */
  gaveUp: boolean;
  /** The CLI's name for the error that ended the model calls. */
  modelError?: string;
  result?: z.infer<typeof Result>;
}

/** Reads the lines of `--output-format stream-json`; lines of other kinds are passed over. */
export async function readStream(lines: AsyncIterable<string> | Iterable<string>): Promise<StreamFacts> {
  const facts: StreamFacts = { modelMessages: 0, gaveUp: false };
  const gaveUpCalls = new Set<string | undefined>();
  for await (const line of lines) {
    let event: unknown;
    try {
      event = JSON.parse(line);
    } catch {
      continue;
    }
    const init = Init.safeParse(event).data;
    if (init) {
      facts.serverStatus =
        init.mcp_servers.find((server) => server.name === SERVER_NAME)?.status ?? "missing";
      continue;
    }
    const result = Result.safeParse(event).data;
    if (result) facts.result = result;
    const message = Message.safeParse(event).data;
    if (!message) continue;
    if (message.error !== undefined) facts.modelError = message.error;
    else if (message.type === "assistant") facts.modelMessages += 1;
    if (typeof message.message.content === "string") continue;
    for (const block of message.message.content) {
      if (block.name === `mcp__${SERVER_NAME}__report_infeasible`) gaveUpCalls.add(block.id);
      if (block.type === "tool_result" && gaveUpCalls.has(block.tool_use_id) && !block.is_error) {
        facts.gaveUp = true;
      }
    }
  }
  return facts;
}

/** Decides how a run ended. An exit that claims success without a trace of work is an error of the harness. */
export function outcomeOf(
  facts: StreamFacts,
  ended: ProcessResult,
  stderr: string,
): Omit<HarnessOutcome, "transcripts"> {
  const { exitCode } = ended;
  const { result } = facts;
  if (ended.aborted) return { stopReason: "cancelled", exitCode };
  if (facts.serverStatus !== undefined && facts.serverStatus !== "connected") {
    const detail = `Claude Code could not use the environment's tools: the MCP server is ${facts.serverStatus}.`;
    return { stopReason: "environment_error", exitCode, detail };
  }
  const answer = result?.result?.trim();
  const spoken = answer === undefined || result?.is_error ? {} : { answer };
  if (facts.gaveUp) return { stopReason: "gave_up", exitCode, ...spoken };
  if (!result) {
    const how = exitCode === null ? `was ended by ${ended.endedBy}` : `exited with ${exitCode}`;
    return harnessError(exitCode, `${how} without a result`, stderr);
  }
  if (result.subtype === "error_max_turns") return { stopReason: "max_calls", exitCode };
  if (facts.modelError === "max_output_tokens") return { stopReason: "max_tokens", exitCode };
  if (result.is_error && (facts.modelError !== undefined || result.terminal_reason === "api_error")) {
    return { stopReason: "model_error", exitCode, detail: answer ?? `model error ${facts.modelError}` };
  }
  if (result.is_error || result.subtype !== "success" || exitCode !== 0) {
    return harnessError(exitCode, `exited with ${exitCode} and ${result.subtype}`, answer ?? stderr);
  }
  if (facts.modelMessages === 0) return harnessError(exitCode, "ended without asking the model", stderr);
  return { stopReason: "answered", exitCode, ...spoken };
}

function harnessError(exitCode: number | null, what: string, words: string) {
  const last = words.trim().split("\n").at(-1)?.slice(0, 300);
  const detail = `Claude Code ${what}${last ? `: ${last}` : "."}`;
  return { stopReason: "harness_error" as const, exitCode, detail };
}
