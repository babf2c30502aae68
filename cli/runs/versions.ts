import { readFileSync } from "node:fs";
import type { HarnessAdapter } from "@openforgerl/contracts/harness";
import type { Versions } from "@openforgerl/contracts/trajectory";
import type { OpenModel } from "./model.ts";

/** Version of this package. */
export const FORGE_VERSION: string = readPackageVersion();

/** What a trajectory says about how it was made. */
export function versionsOf(harness: HarnessAdapter, model: OpenModel, browser: string): Versions {
  return {
    forge: FORGE_VERSION,
    harness: { name: harness.name, version: harness.version },
    model: {
      name: model.name,
      ...(model.policyVersion === undefined ? {} : { policyVersion: model.policyVersion }),
    },
    browser,
    node: process.version,
  };
}

function readPackageVersion(): string {
  // From source this file is cli/runs/, when built cli/dist/runs/.
  for (const path of ["../package.json", "../../package.json"]) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
      if (name === "@openforgerl/cli") return version;
    } catch {
      // Not at this depth.
    }
  }
  return "unknown";
}
