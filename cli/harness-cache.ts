import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HarnessAdapter } from "@openforgerl/contracts/harness";

/**
 * Whether a harness can start without a download. An adapter that installs something leaves a file
 * `complete` in `<cacheDir>/harnesses/<name>-<version>` when it is done.
 */
export function isInstalled({ name, version, capabilities }: HarnessAdapter, cacheDir: string): boolean {
  return capabilities.inProcess || existsSync(join(cacheDir, "harnesses", `${name}-${version}`, "complete"));
}
