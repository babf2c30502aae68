import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HarnessRun, taskPrompt } from "@openforgerl/contracts/harness";

/** Everything a launch needs, all of it inside the run's scratch directory. */
export interface Configuration {
  args: string[];
  env: Record<string, string>;
  cwd: string;
  stdoutPath: string;
  stderrPath: string;
  /** Where the CLI keeps its sessions' transcripts. */
  projectsDir: string;
}

/** The MCP server's name in the configuration; tools reach the model as `mcp__env__click`. */
export const SERVER_NAME = "env";

// The shape of the requests depends on the model's name; this one's is the plainest. The proxy sends the real
// name upstream.
const STAND_IN_MODEL = "claude-sonnet-4-5";

/** Writes the CLI's configuration and says how to start it. Verified with the version in `install.ts`. */
export async function configure(run: HarnessRun): Promise<Configuration> {
  const home = join(run.scratchDir, "home");
  const configDir = join(home, ".claude");
  const cwd = join(run.scratchDir, "work");
  const temporary = join(run.scratchDir, "tmp");
  for (const dir of [configDir, cwd, temporary]) await mkdir(dir, { recursive: true });

  const mcpConfig = join(run.scratchDir, "mcp.json");
  const server = {
    type: "http",
    url: run.mcp.url,
    headers: { Authorization: `Bearer ${run.mcp.token}` },
  };
  await writeFile(mcpConfig, JSON.stringify({ mcpServers: { [SERVER_NAME]: server } }), { mode: 0o600 });

  return {
    cwd,
    stdoutPath: join(run.scratchDir, "stdout.jsonl"),
    stderrPath: join(run.scratchDir, "stderr.txt"),
    projectsDir: join(configDir, "projects"),
    args: [
      "--print",
      "--output-format=stream-json",
      "--verbose",
      `--mcp-config=${mcpConfig}`,
      "--strict-mcp-config",
      "--dangerously-skip-permissions",
      `--model=${run.model.name.startsWith("claude-") ? run.model.name : STAND_IN_MODEL}`,
      `--max-turns=${run.limits.maxCalls}`,
      // No settings of the user or the project, and none of the CLI's own tools: only the environment's.
      "--setting-sources=",
      "--tools=",
      // A countdown after every tool result, computed from the usage that the upstream happens to report.
      `--settings=${JSON.stringify({ totalTokensReminder: "off" })}`,
      taskPrompt(run.instruction),
    ],
    env: {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: home,
      TMPDIR: temporary,
      CLAUDE_CONFIG_DIR: configDir,
      ANTHROPIC_BASE_URL: run.model.baseUrl,
      ANTHROPIC_API_KEY: run.model.token,
      // Without it, skipping permissions is refused to root.
      IS_SANDBOX: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_TERMINAL_TITLE: "1",
      // The first request must have the environment's tools, listed and not behind a search.
      MCP_CONNECTION_NONBLOCKING: "0",
      ENABLE_TOOL_SEARCH: "false",
      // A long page is the observation; it must not be cut or moved into a file.
      MAX_MCP_OUTPUT_TOKENS: "1000000",
      // A billing line at the very head of the prompt that differs from task to task, so that nothing is shared.
      CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
      // How to sample is for the proxy to say: thinking budgets rule out a temperature upstream.
      MAX_THINKING_TOKENS: "0",
      CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1",
      // The proxy has tried again already.
      CLAUDE_CODE_MAX_RETRIES: "3",
    },
  };
}
