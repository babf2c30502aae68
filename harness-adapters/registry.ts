import { inputError } from "@openforgerl/contracts/errors";
import type { HarnessAdapter } from "@openforgerl/contracts/harness";
import { builtinAdapter } from "./builtin/adapter.ts";
import { claudeCodeAdapter } from "./claude-code/adapter.ts";

const ADAPTERS: readonly HarnessAdapter[] = [builtinAdapter, claudeCodeAdapter];

/** Every harness there is an adapter for, in the order they are shown to people. */
export function listHarnesses(): readonly HarnessAdapter[] {
  return ADAPTERS;
}

/**
 * The adapter of a harness by its name.
 * @throws ForgeError `input/bad_input` that lists the names and the nearest one.
 */
export function getHarness(name: string): HarnessAdapter {
  const found = ADAPTERS.find((adapter) => adapter.name === name);
  if (found) return found;
  const names = ADAPTERS.map((adapter) => adapter.name);
  const nearest = names.toSorted((a, b) => editDistance(name, a) - editDistance(name, b))[0]!;
  throw inputError(
    "There is no harness of that name",
    name,
    `Did you mean "${nearest}"? The harnesses are ${names.join(", ")}.`,
  );
}

/** Levenshtein distance, ignoring case. */
function editDistance(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, substitution));
    }
    row = next;
  }
  return row[b.length]!;
}
