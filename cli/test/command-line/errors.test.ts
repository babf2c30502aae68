import { ForgeError, inputError } from "@openforgerl/contracts/errors";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../commands/index.ts";
import { EXIT, exitCodeOf } from "../../exit-codes.ts";
import { forge } from "../support/forge-process.ts";

describe("what the user gets for a mistake", () => {
  it.each([
    [["tsk"], "Unknown command 'tsk'. Did you mean task?"],
    [["task", "lst"], "Unknown command 'lst'. Did you mean list?"],
    [["task", "list", "--jsn"], "Unknown option '--jsn'. Did you mean --json?"],
    [["task", "check", "--seeds", "0"], "must be a whole number, 1 to 10000."],
    [["task", "show"], "Missing required argument 'family'."],
    [["task", "show", "shop/x", "--split", "trian"], "must be one of train, dev, test."],
    [["view", "/no/such/run"], "/no/such/run is not a run folder"],
    [["harness", "install", "claude-cod"], 'Did you mean "claude-code"?'],
  ])("%j: one clear sentence, status 2, nothing on standard output", async (args, sentence) => {
    const { code, stdout, stderr } = await forge(args);
    expect(stderr).toContain(sentence);
    expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
    expect({ code, stdout }).toEqual({ code: EXIT.badInput, stdout: "" });
  });

  it("gives programs the same as JSON", async () => {
    const { code, stdout } = await forge(["task", "show", "no/such", "--json"]);
    expect(code).toBe(EXIT.badInput);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { boundary: "input", code: "bad_input", advice: expect.stringContaining("Nearest") },
      exitCode: 2,
    });
  });

  it("shows the stack when it is asked for", async () => {
    const quiet = await forge(["view", "/no/such/run"]);
    const debug = await forge(["view", "/no/such/run"], { env: { FORGE_DEBUG: "1" } });
    expect(quiet.stderr).not.toContain("    at ");
    expect(debug.stderr).toContain("    at ");
    expect(debug.stderr).toContain("caused by: Error: ENOENT");
  });
});

describe("exit statuses", () => {
  const error = (boundary: ForgeError["boundary"], code: string) =>
    new ForgeError({ boundary, code, message: "x", advice: "y" });

  it("follow the boundary, and the code where something is to be installed", () => {
    expect(exitCodeOf(inputError("field", 3, "mend"))).toBe(2);
    expect(exitCodeOf(error("environment", "chromium_not_found"))).toBe(3);
    expect(exitCodeOf(error("harness", "install_failed"))).toBe(3);
    expect(exitCodeOf(error("environment", "browser_crashed"))).toBe(4);
    expect(exitCodeOf(error("runtime", "disk_full"))).toBe(4);
    expect(exitCodeOf(error("runtime", "cancelled"))).toBe(130);
  });
});

describe("help", () => {
  it("of forge alone names every command once, with a beginning", async () => {
    const { code, stdout } = await forge([]);
    expect(code).toBe(0);
    for (const { name, summary } of COMMANDS) {
      const line = stdout.split("\n").find((candidate) => candidate.startsWith(`  ${name} `));
      expect(line, name).toContain(summary);
    }
    expect(stdout).toContain("To begin");
    expect((await forge(["--help"])).stdout).toBe(stdout);
  });

  it.each(
    COMMANDS.flatMap(({ name }) =>
      name === "task"
        ? ["task list", "task show", "task check"]
        : name === "harness"
          ? ["harness list", "harness install"]
          : [name],
    ),
  )("of %s has an example, the JSON it prints, its exit statuses", async (name) => {
    const { code, stdout } = await forge([...name.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`Examples?:\\n(  # .*\\n)?  forge ${name}`));
    expect(stdout).toContain("--json");
    expect(stdout).toContain("With --json: ");
    expect(stdout).toContain("130  interrupted");
  });
});
