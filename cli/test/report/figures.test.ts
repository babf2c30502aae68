import { RolloutLine } from "@openforgerl/contracts/trajectory";
import type { RunHeader } from "@openforgerl/orchestrator/run-folder";
import { describe, expect, it } from "vitest";
import { familyRows } from "../../report/families.ts";
import { headlines, shortcoming } from "../../report/headlines.ts";
import { chooseShown } from "../../report/rows.ts";

let made = 0;
function line(family: string, score: number | null, labels: Record<string, string | number>): RolloutLine {
  return RolloutLine.parse({
    schemaVersion: 1,
    rolloutId: `r${made++}`,
    taskId: `${family}@${made}`,
    family,
    level: family === "easy" ? 1 : 3,
    split: "dev",
    seed: 0,
    attempt: 1,
    stopReason: score === null ? "environment_error" : "answered",
    score,
    fault:
      score === null
        ? { boundary: "environment", code: "browser_crashed", message: "m", advice: "a", retryable: true }
        : null,
    steps: 2,
    calls: 3,
    wallMs: 1000,
    sessionId: "s",
    labels,
  });
}
const header = (kind: RunHeader["kind"], config = {}): RunHeader => ({
  schemaVersion: 1,
  id: "run",
  kind,
  createdAt: "2026-01-15T00:00:00Z",
  config,
  versions: {},
});
const run = (kind: RunHeader["kind"], rollouts: RolloutLine[]) => ({
  dir: "",
  header: header(kind),
  rollouts,
  metrics: [],
});

describe("success by family", () => {
  it("compares the first evaluation with the last and leaves training episodes out", () => {
    const rows = familyRows([
      line("hard", 0, { phase: "dev", step: 0 }),
      line("easy", 0, { phase: "dev", step: 0 }),
      line("easy", 0, { phase: "train", step: 1 }),
      line("hard", 0, { phase: "dev", step: 10 }),
      line("easy", 1, { phase: "dev", step: 10 }),
      line("easy", 1, { phase: "dev", step: 10 }),
      line("easy", null, { phase: "dev", step: 10 }),
    ]);
    expect(rows.map(({ family }) => family)).toEqual(["easy", "hard"]);
    expect(rows[0]).toMatchObject({
      first: { scored: { n: 1, mean: 0 } },
      last: { rollouts: 3, scored: { n: 2, mean: 1 }, invalid: { "environment/browser_crashed": 1 } },
    });
  });

  it("has one column for an evaluation", () => {
    const rows = familyRows([line("easy", 1, { phase: "eval" }), line("easy", 0, { phase: "eval" })]);
    expect(rows).toMatchObject([{ first: null, last: { scored: { n: 2, mean: 0.5 } } }]);
  });

  it("falls back on training episodes where nothing was evaluated", () => {
    const lines = [0, 1, 2, 3, 4].map((step) => line("easy", step < 2 ? 0 : 1, { phase: "train", step }));
    expect(familyRows(lines)).toMatchObject([
      { first: { scored: { n: 2, mean: 0 } }, last: { scored: { n: 2, mean: 1 } } },
    ]);
  });
});

describe("headlines", () => {
  it("keep rollouts without a score out of the rate and in a column of their own", () => {
    const figures = headlines(
      run("eval", [
        line("easy", 1, { phase: "eval" }),
        line("easy", 0, { phase: "eval" }),
        line("easy", null, { phase: "eval" }),
      ]),
    );
    expect(figures[0]).toMatchObject({
      name: "Success",
      value: "50%",
      note: expect.stringContaining("2 scored"),
    });
    expect(figures.at(-1)).toMatchObject({
      name: "Without a score",
      value: "1",
      note: "1 environment/browser_crashed",
      isWarning: true,
    });
  });

  it("say that there is nothing to say", () => {
    expect(shortcoming(run("eval", []))).toContain("No rollout has finished");
    expect(headlines(run("eval", []))[0]).toMatchObject({ value: "–" });
    const broken = run("eval", [line("easy", null, { phase: "eval" })]);
    expect(shortcoming(broken)).toContain("No rollout has a score");
    const short = {
      ...run("train", [line("easy", 1, { phase: "dev", step: 0 })]),
      header: header("train", { steps: 9 }),
    };
    expect(shortcoming(short)).toContain("step 0 of 9");
  });
});

describe("the rollouts that a report shows", () => {
  it("are of each family one solved and one failed, of the last evaluation", () => {
    const lines = ["a", "b", "c"].flatMap((family) => [
      line(family, 1, { phase: "dev", step: 0 }),
      line(family, 1, { phase: "dev", step: 5 }),
      line(family, 1, { phase: "dev", step: 5 }),
      line(family, 0, { phase: "dev", step: 5 }),
    ]);
    const shown = chooseShown(lines, 40);
    expect(shown).toHaveLength(6);
    expect(shown.every(({ labels }) => labels.step === 5)).toBe(true);
    expect(chooseShown(lines, 4)).toHaveLength(4);
  });
});
