import type { HarnessAdapter } from "@openforgerl/contracts/harness";
import { runLoop } from "./loop.ts";

const VERSION = "1";

/** The built-in harness: a plain tool loop inside this process, speaking Anthropic Messages. */
export const builtinAdapter: HarnessAdapter = {
  interfaceVersion: 1,
  name: "builtin",
  version: VERSION,
  capabilities: {
    dialect: "anthropic-messages",
    imageInput: true,
    mcp: true,
    ownBrowser: false,
    maxTurns: true,
    systemPrompt: false,
    toolRestriction: true,
    subagents: false,
    compaction: false,
    inProcess: true,
  },
  install: async () => ({ version: VERSION }),
  run: (_installation, run) => runLoop(run),
};
