import type { Dialect } from "@openforgerl/contracts/call";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { WireDialect } from "./dialect.ts";
import { openaiChat } from "./openai-chat.ts";

/** The wire formats the proxy speaks, by name. The route selects one; a new one is added here. */
export const WIRE_DIALECTS: Partial<Record<Dialect, WireDialect>> = {
  "anthropic-messages": anthropicMessages,
  "openai-chat": openaiChat,
};
