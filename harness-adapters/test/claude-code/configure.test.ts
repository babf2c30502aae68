import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HarnessRun, taskPrompt } from "@openforgerl/contracts/harness";
import { configure } from "@openforgerl/harness-adapters/claude-code/configure";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

let scratchDir: string;

beforeEach(async () => {
  scratchDir = await mkdtemp(join(tmpdir(), "forge-configure-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(scratchDir, { recursive: true, force: true });
});

const run = (name = "policy"): HarnessRun => ({
  instruction: "--help me",
  model: { baseUrl: "http://127.0.0.1:1", token: "model-token", name },
  mcp: { url: "http://127.0.0.1:2/mcp/1", token: "mcp-token" },
  scratchDir,
  limits: { maxSteps: 5, maxCalls: 7, deadlineSeconds: 9 },
  signal: new AbortController().signal,
});

test("every place it may write is inside the scratch directory", async () => {
  const { cwd, stdoutPath, stderrPath, projectsDir, env } = await configure(run());
  const places = [cwd, stdoutPath, stderrPath, projectsDir, env.HOME, env.TMPDIR, env.CLAUDE_CONFIG_DIR];
  for (const place of places) expect(place?.startsWith(`${scratchDir}/`)).toBe(true);
});

test("nothing of our own environment is handed on", async () => {
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "someone's own");
  vi.stubEnv("CLAUDE_CODE_USE_BEDROCK", "1");
  vi.stubEnv("HTTPS_PROXY", "http://proxy");
  const { env } = await configure(run());
  expect(Object.keys(env)).not.toContain("ANTHROPIC_AUTH_TOKEN");
  expect(Object.keys(env)).not.toContain("CLAUDE_CODE_USE_BEDROCK");
  expect(Object.keys(env)).not.toContain("HTTPS_PROXY");
  expect(env.ANTHROPIC_API_KEY).toBe("model-token");
});

test("the environment's endpoint and token stand in a file for the owner's eyes only", async () => {
  const { args } = await configure(run());
  const path = args.find((arg) => arg.startsWith("--mcp-config="))!.slice("--mcp-config=".length);
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    mcpServers: {
      env: {
        type: "http",
        url: "http://127.0.0.1:2/mcp/1",
        headers: { Authorization: "Bearer mcp-token" },
      },
    },
  });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(args.join(" ")).not.toContain("mcp-token");
});

test("the task comes last and whole, the limit on calls is passed on", async () => {
  const { args } = await configure(run());
  expect(args.at(-1)).toBe(taskPrompt("--help me"));
  expect(args).toContain("--max-turns=7");
});

test("a Claude model keeps its name; any other has one that the CLI knows stand in for it", async () => {
  expect((await configure(run("claude-opus-4-8"))).args).toContain("--model=claude-opus-4-8");
  expect((await configure(run("qwen3-vl"))).args).toContain("--model=claude-sonnet-4-5");
});
