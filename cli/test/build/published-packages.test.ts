import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../dev/build.ts";
import { checkoutRoot, PACKAGES } from "../../dev/checkout.ts";

const run = promisify(execFile);

describe("the packages as they are published", { timeout: 240_000 }, () => {
  const root = checkoutRoot();
  let home: string;

  /** Packs the built packages, unpacks them where npm would, and lends them the dependencies of the checkout. */
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "forge-packed-"));
    await build(root, () => {});
    const scope = join(home, "node_modules/@openforgerl");
    await mkdir(scope, { recursive: true });
    const workspaces = PACKAGES.flatMap((name) => ["--workspace", name]);
    await run("npm", ["pack", "--json", "--pack-destination", home, ...workspaces], {
      cwd: root,
      maxBuffer: 64 * 2 ** 20,
    });
    for (const name of PACKAGES) {
      await mkdir(join(scope, name));
      const tarball = join(home, `openforgerl-${name}-0.1.0.tgz`);
      await run("tar", ["-xzf", tarball, "-C", join(scope, name), "--strip-components=1"]);
      await lend(join(root, name, "node_modules"), join(scope, name, "node_modules"));
    }
    await lend(join(root, "node_modules"), join(home, "node_modules"));
  }, 240_000);

  afterAll(() => rm(home, { recursive: true, force: true }));

  it("has no source and no test in it", async () => {
    for (const name of PACKAGES) {
      const files = await readdir(join(home, "node_modules/@openforgerl", name));
      expect(files.filter((file) => file !== "node_modules").sort(), name).toEqual(["dist", "package.json"]);
      const built = await readdir(join(home, "node_modules/@openforgerl", name, "dist"), { recursive: true });
      expect(built.filter((file) => /(^|\/)(test|bench)\//.test(file))).toEqual([]);
    }
  });

  it("names every package it imports as a dependency", async () => {
    for (const name of PACKAGES) {
      const folder = join(home, "node_modules/@openforgerl", name);
      const { dependencies = {} } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
      const missing = new Set<string>();
      for (const file of await readdir(join(folder, "dist"), { recursive: true })) {
        // `forge test` works on a checkout alone, whose own tools it loads.
        if (!file.endsWith(".js") || file.startsWith("dev/")) continue;
        const text = await readFile(join(folder, "dist", file), "utf8");
        for (const [, from = ""] of text.matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)";$/gm)) {
          const wanted = /^(@[^/]+\/[^/]+|[^./][^/]*)/.exec(from)?.[1];
          if (wanted !== undefined && !from.startsWith("node:") && !(wanted in dependencies))
            missing.add(wanted);
        }
      }
      expect([...missing], name).toEqual([]);
    }
  });

  it("is imported by plain Node, in one copy, without a condition", async () => {
    const script = join(home, "use.mjs");
    await writeFile(
      script,
      `
      import { ForgeError } from "@openforgerl/contracts/errors";
      import { Action } from "@openforgerl/contracts/action";
      import { generateTask, listFamilies } from "@openforgerl/environments/sites/families";
      import { listHarnesses } from "@openforgerl/harness-adapters/registry";
      import { startProxy } from "@openforgerl/proxy/server";
      import { startServices } from "@openforgerl/orchestrator/services";
      import { wilson } from "@openforgerl/benchmarks/statistics/intervals";
      import { startEmbeddedWorker } from "@openforgerl/trainer/embedded/worker";
      import { writeReport } from "@openforgerl/cli/report/write";
      const error = await startProxy({ recordsDir: "records", upstreams: [] }).catch((thrown) => thrown);
      const worker = await startEmbeddedWorker({ seed: 1 });
      const policyVersion = worker.engine.policyVersion();
      await worker.close();
      console.log(JSON.stringify({
        isOneClass: error instanceof ForgeError,
        action: Action.parse({ type: "click", at: { by: "mark", mark: 3 } }).count,
        families: listFamilies().length,
        task: generateTask({ family: listFamilies()[0].id, seed: 1, split: "train" }).instruction.length > 0,
        harnesses: listHarnesses().map(({ name }) => name),
        functions: [typeof startServices, typeof writeReport],
        mean: wilson(1, 2).mean,
        policyVersion,
      }));
    `,
    );
    const { stdout } = await run(process.execPath, [script], { cwd: home });
    expect(JSON.parse(stdout)).toMatchObject({
      isOneClass: true,
      action: 1,
      task: true,
      harnesses: expect.arrayContaining(["builtin", "claude-code"]),
      functions: ["function", "function"],
      mean: 0.5,
      policyVersion: "0",
    });
  });

  it("has a forge command that runs", async () => {
    const forge = join(home, "node_modules/@openforgerl/cli/dist/main.js");
    const { stdout } = await run(process.execPath, [forge, "task", "list", "--json"], { cwd: home });
    expect(stdout.trim().split("\n").length).toBeGreaterThanOrEqual(30);
    const failed = await run(process.execPath, [forge, "test"], { cwd: home }).catch((error) => error);
    expect(failed.code).toBe(3);
    expect(failed.stderr).toContain("works on a checkout");
  });

  it("comes with declarations that a strict project can use", async () => {
    await writeFile(
      join(home, "use.ts"),
      [
        'import type { Trajectory } from "@openforgerl/contracts/trajectory";',
        'import { generateTask } from "@openforgerl/environments/sites/families";',
        'export const seed: number = generateTask({ family: "x", seed: 1, split: "dev" }).seed;',
        "export const steps = (trajectory: Trajectory): number => trajectory.steps.length;",
        "// @ts-expect-error a seed is a number",
        'generateTask({ family: "x", seed: "1", split: "dev" });',
      ].join("\n"),
    );
    const options = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--skipLibCheck",
      "--types",
      "node",
    ];
    await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...options, "use.ts"], {
      cwd: home,
    });
  });
});

/** Links the packages of one node_modules into another, our own left out. */
async function lend(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(() => []);
  for (const name of names) {
    if (name.startsWith(".") || name === "@openforgerl") continue;
    await mkdir(to, { recursive: true });
    await symlink(join(from, name), join(to, name), "dir");
  }
}
