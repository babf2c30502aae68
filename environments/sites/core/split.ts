import type { Split } from "@openforgerl/contracts/task";
import { hash32 } from "./rng.ts";

/**
 * The split a parameter combination belongs to: 80 % train, 10 % dev, 10 % test, by hash. A combination is
 * in exactly one split whatever seed draws it, so no dev or test task can be met in training.
 */
export function splitOf(family: string, key: string): Split {
  const bucket = hash32(`${family}\n${key}`) % 10;
  return bucket < 8 ? "train" : bucket === 8 ? "dev" : "test";
}
