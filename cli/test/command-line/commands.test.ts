import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listFamilies } from "@openforgerl/environments/sites/families";
import { listHarnesses } from "@openforgerl/harness-adapters/registry";
import { openStore } from "@openforgerl/proxy/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forge, startForge } from "../support/forge-process.ts";

describe("commands", { timeout: 120_000 }, () => {
  let cwd: string;
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), "forge cli "));
  });
  afterAll(() => rm(cwd, { recursive: true, force: true }));

  const jsonLines = (stdout: string) =>
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("task list: every family, as a table and as JSON lines", async () => {
    const families = listFamilies().map(({ id }) => id);
    const lines = jsonLines((await forge(["task", "list", "--json"])).stdout);
    expect(lines.map(({ id }) => id)).toEqual(families);
    const { stdout } = await forge(["task", "list"]);
    for (const id of families) expect(stdout).toContain(id);
    expect(stdout).toContain(`${families.length} families`);
  });

  it("task show: the same task for the same seed, another for another", async () => {
    const family = listFamilies()[0]!.id;
    const show = async (seed: string) =>
      JSON.parse((await forge(["task", "show", family, "--seed", seed, "--json"])).stdout);
    const [one, again, other] = await Promise.all([show("1"), show("1"), show("2")]);
    expect(one).toEqual(again);
    expect(one).toMatchObject({ family, seed: 1, split: "train", instruction: expect.any(String) });
    expect(other).not.toEqual(one);
  });

  it("task check: plays a family in a real browser", async () => {
    const family = listFamilies()[0]!.id;
    const { code, stdout } = await forge(["task", "check", "--family", family, "--seeds", "1", "--json"]);
    const [result, summary] = jsonLines(stdout);
    expect(result).toMatchObject({ family, ok: true });
    expect(summary).toMatchObject({ families: 1, passed: 1, failed: 0 });
    expect(code).toBe(0);
  });

  it("doctor: finds this machine ready, and says what is missing on another", async () => {
    const { code, stdout } = await forge(["doctor", "--json"], { cwd });
    const { ready, findings } = JSON.parse(stdout);
    expect({ code, ready }).toEqual({ code: 0, ready: true });
    expect(findings.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["Node", "npm", "Chromium", "headless page", "sharp", "disk"]),
    );
    const without = await forge(["doctor"], { cwd, env: { OPENFORGERL_CHROMIUM: "/no/such/chromium" } });
    expect(without.code).toBe(3);
    expect(without.stdout).toMatch(/MISSING\s+Chromium.*\/no\/such\/chromium/);
    expect(without.stdout).toContain("-> Set it to the path");
  });

  it("harness list: every adapter", async () => {
    const lines = jsonLines(
      (await forge(["harness", "list", "--json"], { env: { OPENFORGERL_CACHE: cwd } })).stdout,
    );
    expect(lines.map(({ name }) => name)).toEqual(listHarnesses().map(({ name }) => name));
    expect(lines.find(({ name }) => name === "claude-code")).toMatchObject({ installed: false });
  });

  it("site: serves a world to whoever opens it, and judges it when stopped", async () => {
    const family = listFamilies()[0]!.id;
    const served = startForge(["site", family, "--seed", "4", "--json"]);
    const { url, instruction } = JSON.parse(await served.line("url"));
    expect(instruction).toEqual(expect.any(String));
    const entered = await fetch(url, { redirect: "manual" });
    expect(entered.status).toBe(302);
    const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
    const page = await fetch(new URL(entered.headers.get("location") ?? "", url), { headers: { cookie } });
    expect(page.status).toBe(200);
    served.kill("SIGINT");
    const { code, stdout } = await served.ended;
    expect(code).toBe(0);
    expect(jsonLines(stdout).at(-1)).toMatchObject({ score: 0, reason: expect.any(String) });
    await expect(fetch(url)).rejects.toThrow();
  });

  it("proxy: records a session that can be read when it is stopped", async () => {
    const args = ["--model", "toy", "--base-url", "http://127.0.0.1:9", "--records", "recorded", "--json"];
    const served = startForge(["proxy", ...args], { cwd });
    const { baseUrl, token, sessionId, recordsDir } = JSON.parse(await served.line("baseUrl"));
    const refused = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: "Bearer wrong" } });
    const known = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${token}` } });
    expect([refused.status, known.status]).toEqual([401, 200]);
    served.kill("SIGTERM");
    expect((await served.ended).code).toBe(0);
    expect(await openStore(recordsDir).readSession(sessionId)).toMatchObject({
      calls: 0,
      sealedAt: expect.any(String),
    });
  });

  it("keeps quiet when nobody reads its output any more", async () => {
    const reader = `"$0" --conditions=openforgerl "$1" task list --json | head -1`;
    const main = new URL("../../main.ts", import.meta.url).pathname;
    const stderr = await new Promise<string>((resolve) => {
      execFile("sh", ["-c", reader, process.execPath, main], (_error, _stdout, text) => resolve(text));
    });
    expect(stderr).toBe("");
  });

  it("is of the version that its package says", async () => {
    const manifest = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect((await forge(["--version"])).stdout.trim()).toBe(manifest.version);
  });
});
