import type { Action } from "@openforgerl/contracts/action";
import type { CallRecord } from "@openforgerl/contracts/call";
import { parseToolCall } from "@openforgerl/environments/mcp/tool-call";
import { toolsOf } from "@openforgerl/environments/mcp/tools";
import { ResponseAccumulator } from "@openforgerl/proxy/accumulate";
import { WIRE_DIALECTS } from "@openforgerl/proxy/dialects/registry";
import type { ResponsePart } from "@openforgerl/proxy/messages";
import { SseReader } from "@openforgerl/proxy/sse";
import type { Store } from "@openforgerl/proxy/store";
import { describeTokens } from "@openforgerl/trainer/embedded/describe-tokens";
import { MODEL_NAME } from "@openforgerl/trainer/embedded/engine";
import type { CallView } from "./model.ts";

/** A recorded call, and the kinds of environment action that its answer asked for, in order. */
export interface ReadCall {
  view: CallView;
  actions: Action["type"][];
}

const TOOLS = toolsOf("both");

/**
 * Reads the calls of a session as the harness got them.
 * @throws ForgeError where the session or a part of it is not in the store.
 */
export async function readCalls(store: Store, sessionId: string): Promise<ReadCall[]> {
  const records = await store.readCalls(sessionId);
  return Promise.all(records.map((record) => readCall(store, record)));
}

async function readCall(store: Store, record: CallRecord): Promise<ReadCall> {
  const { responseBytes, tokens } = await store.openCall(record);
  const parts = responseBytes === null ? [] : responseParts(record, responseBytes);
  const { policyVersion } = record;
  return {
    view: {
      index: record.index,
      role: record.role,
      parts: parts.map(partView),
      tokens: tokens ? tokenViews(record.upstream.model, tokens.sampled, tokens.logprobs) : [],
      promptTokens: record.promptLength,
      policy: policyVersion === null ? null : versionText(policyVersion),
      ms: record.timing.totalMs,
      incomplete: record.complete === true ? null : record.complete,
    },
    actions: record.role === "agent" ? parts.flatMap(actionType) : [],
  };
}

/** Only the embedded policy's tokens can be read here; those of other models keep their numbers. */
function tokenViews(
  model: string,
  sampled: readonly number[],
  logprobs: readonly number[],
): CallView["tokens"] {
  const names = model === MODEL_NAME ? describeTokens(sampled) : sampled.map(String);
  return sampled.map((id, i) => [id, logprobs[i] ?? 0, names[i] ?? String(id)]);
}

/** The parts of an answer; bytes that are no answer (an error, a damaged stream) become one part of text. */
function responseParts({ dialect: name, streamed }: CallRecord, bytes: Uint8Array): ResponsePart[] {
  const dialect = WIRE_DIALECTS[name];
  const text = Buffer.from(bytes).toString("utf8");
  try {
    if (dialect === undefined) return [{ type: "text", text }];
    if (!streamed) return dialect.parseResponse(JSON.parse(text)).parts;
    const parser = dialect.streamParser();
    const answer = new ResponseAccumulator();
    for (const event of new SseReader().push(bytes)) {
      for (const canonical of parser.push(event)) answer.push(canonical);
    }
    return answer.response().parts;
  } catch {
    return [{ type: "text", text }];
  }
}

function partView(part: ResponsePart): CallView["parts"][number] {
  if (part.type === "tool_use") {
    return { kind: "tool", text: `${bareName(part.name)} ${JSON.stringify(part.input)}` };
  }
  return { kind: part.type, text: part.text };
}

/** What a tool use asks of the environment; nothing for a look, a malformed call, and other tools. */
function actionType(part: ResponsePart): Action["type"][] {
  if (part.type !== "tool_use") return [];
  // Only the kind is wanted, so any view will do.
  const call = parseToolCall(TOOLS, bareName(part.name), part.input, { width: 1, height: 1, scale: 1 });
  return call.kind === "act" ? [call.action.type] : [];
}

/** Harnesses put the server's name in front of a tool's: `mcp__env__click`. */
function bareName(name: string): string {
  return name.split("__").at(-1) ?? name;
}

function versionText({ first, last }: { first: string; last: string }): string {
  return first === last ? first : `${first}–${last}`;
}
