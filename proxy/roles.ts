import { createHash } from "node:crypto";
import { CallRole } from "@openforgerl/contracts/call";
import type { ScannedBody } from "./store/request-encoder.ts";

/**
 * Tells what a call is for. The rule, in order: the session's own `role` label; the tools of the session's
 * first call that has any (before that, any call) mark the agent; other tools, a sub-agent; no tools but an
 * instruction to summarise, compaction; no tools, a background call. A label only: training goes by tokens.
 */
export class RoleClassifier {
  readonly #declared: CallRole | undefined;
  /** Digest of the tools of the session's first call that had any. */
  #agentTools: string | undefined;

  constructor(metadata: Record<string, string | number>) {
    this.#declared = CallRole.safeParse(metadata.role).data;
  }

  classify(body: ScannedBody): CallRole {
    if (this.#declared !== undefined) return this.#declared;
    const entry = body.entries.findLast(({ key }) => key === "tools");
    const tools = entry && body.bytes.subarray(entry.start, entry.end);
    const hasTools = tools !== undefined && tools.length > 2 && tools[0] === 0x5b;
    if (hasTools) {
      const digest = createHash("sha256").update(tools).digest("hex");
      this.#agentTools ??= digest;
      return digest === this.#agentTools ? "agent" : "subagent";
    }
    if (this.#agentTools === undefined) return "agent";
    return isSummary(body) ? "compaction" : "background";
  }
}

function isSummary(body: ScannedBody): boolean {
  const system = body.entries.findLast(({ key }) => key === "system");
  const places = [
    system && body.bytes.subarray(system.start, system.end),
    body.messages[0],
    body.messages.at(-1),
  ];
  return places.some(
    (text) => text !== undefined && /\bsummar(y|i[sz])/i.test(text.toString("utf8", 0, 4096)),
  );
}
