import { glob } from "node:fs/promises";
import { ForgeError, inputError } from "@openforgerl/contracts/errors";
import { PACKAGES } from "./checkout.ts";
import { runNode } from "./run-node.ts";

/** A program that measures a hot path. */
export interface Benchmark {
  /** `<package>/<file without its ending>`. */
  name: string;
  /** Relative to the checkout's root. */
  file: string;
}

/** Every program directly in a package's `bench` folder, by name. */
export async function listBenchmarks(root: string): Promise<Benchmark[]> {
  const files: string[] = [];
  for await (const file of glob(`{${PACKAGES.join(",")}}/bench/*.ts`, { cwd: root })) files.push(file);
  return files.sort().map((file) => ({ name: file.replace("/bench/", "/").replace(/\.ts$/, ""), file }));
}

/**
 * The benchmark of that name.
 * @throws ForgeError `input/bad_input` where there is none.
 */
export function findBenchmark(benchmarks: readonly Benchmark[], name: string): Benchmark {
  const found = benchmarks.find((benchmark) => benchmark.name === name);
  if (found) return found;
  throw inputError("no such benchmark", name, `Give one of ${benchmarks.map((one) => one.name).join(", ")}.`);
}

/**
 * Runs a benchmark to its end.
 * @param isCollected whether its lines are returned; else they go to standard output as they come.
 * @throws ForgeError `runtime/benchmark_failed`; and whatever `signal` was aborted with.
 */
export async function runBenchmark(
  { name, file }: Benchmark,
  {
    root,
    args,
    isCollected,
    signal,
  }: { root: string; args: readonly string[]; isCollected: boolean; signal: AbortSignal },
): Promise<string> {
  const { code, output } = await runNode({
    root,
    args: ["--conditions=openforgerl", file, ...args],
    output: isCollected ? "collect" : "pass",
    signal,
  });
  signal.throwIfAborted();
  if (code === 0) return output;
  throw new ForgeError({
    boundary: "runtime",
    code: "benchmark_failed",
    message: `The benchmark ${name} ended with status ${code}.${output === "" ? "" : `\n${output}`}`,
    advice: "Mend what it says above, and run it again.",
  });
}
