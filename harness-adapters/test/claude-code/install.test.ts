import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, VERSION } from "@openforgerl/harness-adapters/claude-code/install";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installClaudeCode } from "../support/claude-code.ts";

let cacheDir: string;
const never = new AbortController().signal;

beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), "forge-install-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(cacheDir, { recursive: true, force: true });
});

test("two at once install it once, over the lock of one that died", async ({ skip }) => {
  const elsewhere = await installClaudeCode();
  if (typeof elsewhere === "string") return skip(elsewhere);
  const dead = spawnSync("true").pid;
  await mkdir(join(cacheDir, "harnesses"));
  await writeFile(join(cacheDir, "harnesses", `claude-code-${VERSION}.lock`), String(dead));
  const [one, two] = await Promise.all([install(cacheDir, never), install(cacheDir, never)]);
  expect(one).toEqual({
    version: VERSION,
    executable: join(cacheDir, "harnesses", `claude-code-${VERSION}`, "node_modules/.bin/claude"),
  });
  expect(two).toEqual(one);
  expect(await readdir(join(cacheDir, "harnesses"))).toEqual([`claude-code-${VERSION}`]);
}, 600_000);

test("an installation that is there needs neither npm nor a network", async ({ skip }) => {
  const found = await installClaudeCode();
  if (typeof found === "string") return skip(found);
  vi.stubEnv("PATH", "/nowhere");
  expect(await installClaudeCode()).toEqual(found);
});

test("a registry that can't be reached is told with npm's own words and what to check", async () => {
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9/");
  vi.stubEnv("npm_config_fetch_retries", "0");
  vi.stubEnv("npm_config_cache", join(cacheDir, "npm"));
  await expect(install(cacheDir, never)).rejects.toMatchObject({
    boundary: "harness",
    code: "install_failed",
    message: expect.stringContaining("ECONNREFUSED"),
    advice: expect.stringContaining(`npm view @anthropic-ai/claude-code@${VERSION}`),
  });
  expect(await readdir(join(cacheDir, "harnesses"))).not.toContain(`claude-code-${VERSION}`);
});

test("a cache folder that can't be is told too", async () => {
  await writeFile(join(cacheDir, "file"), "");
  await expect(install(join(cacheDir, "file"), never)).rejects.toMatchObject({ code: "install_failed" });
});

test("an abort is an abort", async () => {
  await expect(install(cacheDir, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});
