import { ForgeError } from "@openforgerl/contracts/errors";
import type { Suite } from "../suite.ts";
import { sitesSuite } from "./sites.ts";

const SUITES: readonly Suite[] = [sitesSuite];

/** All suites. */
export function listSuites(): readonly Suite[] {
  return SUITES;
}

/**
 * The suite of that name.
 * @throws ForgeError input/bad_input that names the suites there are.
 */
export function getSuite(name: string): Suite {
  const suite = SUITES.find((candidate) => candidate.name === name);
  if (suite) return suite;
  throw new ForgeError({
    boundary: "input",
    code: "bad_input",
    message: `There is no suite "${name}".`,
    advice: `Choose one of: ${SUITES.map((candidate) => candidate.name).join(", ")}.`,
  });
}
