import { homedir } from "node:os";
import { join } from "node:path";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { HarnessInstallation } from "@openforgerl/contracts/harness";
import { claudeCodeAdapter } from "@openforgerl/harness-adapters/claude-code/adapter";

/** The real CLI, installed by the adapter; a sentence where it can't be (no registry, say). */
export async function installClaudeCode(): Promise<HarnessInstallation | string> {
  const cacheDir = process.env.OPENFORGERL_CACHE ?? join(homedir(), ".cache/openforgerl");
  try {
    return await claudeCodeAdapter.install(cacheDir, AbortSignal.timeout(600_000));
  } catch (thrown) {
    if (thrown instanceof ForgeError && thrown.code === "install_failed") return thrown.message;
    throw thrown;
  }
}
