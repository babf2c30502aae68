import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ForgeError } from "@openforgerl/contracts/errors";

/** The packages, each after those it imports from. */
export const PACKAGES = [
  "contracts",
  "environments",
  "harness-adapters",
  "proxy",
  "orchestrator",
  "benchmarks",
  "trainer",
  "cli",
] as const;

/**
 * Root of the git checkout this program runs from.
 * @throws ForgeError `runtime/no_checkout` where it runs from an installed package.
 */
export function checkoutRoot(): string {
  let at = dirname(fileURLToPath(import.meta.url));
  while (dirname(at) !== at) {
    if (existsSync(join(at, "forge")) && existsSync(join(at, "package-lock.json"))) return at;
    at = dirname(at);
  }
  throw new ForgeError({
    boundary: "runtime",
    code: "no_checkout",
    message: "This command works on a checkout of the OpenForgeRL repository.",
    advice: "Clone the repository and run ./forge there.",
  });
}
