import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { checkImports } from "./check-imports.ts";
import { runNode } from "./run-node.ts";

/** How one part of `forge test` went. */
export interface CheckOutcome {
  name: string;
  passed: number;
  failed: number;
  skipped: number;
  seconds: number;
  /** What to show of a part that failed. */
  detail: string;
}

/** A part of `forge test`. */
export interface Check {
  name: string;
  run(context: CheckContext): Promise<Omit<CheckOutcome, "name" | "seconds">>;
}

export interface CheckContext {
  root: string;
  /** Leave out what opens a browser or starts other programs. */
  fast: boolean;
  /** Only test files whose path has one of these in it. */
  filters: readonly string[];
  signal: AbortSignal;
}

/** Everything `forge test` does, cheap checks first. */
export const CHECKS: readonly Check[] = [
  {
    name: "types",
    run: (context) => tool(context, "typescript/bin/tsc", ["--noEmit", "-p", "tsconfig.json"]),
  },
  { name: "lint and format", run: (context) => tool(context, "@biomejs/biome/bin/biome", ["check", "."]) },
  { name: "import table", run: ({ root }) => imports(root) },
  { name: "tests", run: vitest },
];

async function imports(root: string): Promise<Omit<CheckOutcome, "name" | "seconds">> {
  const { ok, problems } = await checkImports(root);
  return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, detail: problems.join("\n") };
}

async function tool(
  { root, signal }: CheckContext,
  script: string,
  args: readonly string[],
): Promise<Omit<CheckOutcome, "name" | "seconds">> {
  const program = [join(root, "node_modules", script), ...args];
  const { code, output } = await runNode({ root, args: program, output: "collect", signal });
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0, detail: output };
}

/** The part of vitest's JSON report that is counted. */
const VitestReport = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(
    z.object({ name: z.string(), status: z.string(), assertionResults: z.array(z.unknown()) }),
  ),
});

async function vitest(context: CheckContext): Promise<Omit<CheckOutcome, "name" | "seconds">> {
  const { root, fast, filters, signal } = context;
  const folder = await mkdtemp(join(tmpdir(), "forge-test-"));
  try {
    const report = join(folder, "report.json");
    const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...filters];
    const env = fast ? { OPENFORGERL_TEST: "fast" } : {};
    const script = join(root, "node_modules/vitest/vitest.mjs");
    const { code } = await runNode({ root, args: [script, ...args], output: "show", signal, env });
    if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, detail: `vitest ended with ${code}` };
    const counts = VitestReport.parse(JSON.parse(await readFile(report, "utf8")));
    // A file that could not be loaded has no tests in it that could fail.
    const unloaded = counts.testResults.filter(
      ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
    );
    const failed = counts.numFailedTests + unloaded.length;
    const seen = counts.numPassedTests + failed;
    return {
      passed: counts.numPassedTests,
      // vitest also fails for an error outside of any test, or when it found no test.
      failed: failed === 0 && (code !== 0 || seen === 0) ? 1 : failed,
      skipped: counts.numPendingTests + counts.numTodoTests,
      detail: unloaded.map(({ name }) => `${name} could not be loaded`).join("\n"),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
