import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkImports } from "../../dev/check-imports.ts";
import { checkoutRoot, PACKAGES } from "../../dev/checkout.ts";

describe("the import table", { timeout: 120_000 }, () => {
  const root = checkoutRoot();
  let fixture: string;

  beforeEach(async () => {
    fixture = await mkdtemp(join(tmpdir(), "forge-imports-"));
    await cp(join(root, ".dependency-cruiser.cjs"), join(fixture, ".dependency-cruiser.cjs"));
    await cp(join(root, "tsconfig.json"), join(fixture, "tsconfig.json"));
    await mkdir(join(fixture, "node_modules/@openforgerl"), { recursive: true });
    for (const name of PACKAGES) {
      await write(`${name}/package.json`, manifest(name));
      await write(`${name}/thing.ts`, `export const ${name.replace("-", "_")} = 1;\n`);
      await symlink(join(fixture, name), join(fixture, "node_modules/@openforgerl", name), "dir");
    }
  });
  afterEach(() => rm(fixture, { recursive: true, force: true }));

  async function write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(fixture, path)), { recursive: true });
    await writeFile(join(fixture, path), text);
  }

  it("holds in this checkout, and every module was looked at", async () => {
    const result = await checkImports(root);
    expect(result.problems).toEqual([]);
    expect(result.modules).toBeGreaterThan(200);
    expect(result.dependencies).toBeGreaterThan(result.modules);
  });

  it("lets a package import what stands behind it", async () => {
    await write(
      "cli/main.ts",
      'import { trainer } from "@openforgerl/trainer/thing";\nconsole.log(trainer);\n',
    );
    await write(
      "proxy/use.ts",
      'import type { contracts } from "@openforgerl/contracts/thing";\nexport type X = typeof contracts;\n',
    );
    const result = await checkImports(fixture);
    expect(result).toMatchObject({ ok: true, problems: [], modules: PACKAGES.length + 2 });
  });

  it.each([
    ["benchmarks/bad.ts", "@openforgerl/trainer/thing", "table-benchmarks"],
    ["trainer/bad.ts", "@openforgerl/benchmarks/thing", "table-trainer"],
    ["proxy/bad.ts", "@openforgerl/environments/thing", "table-proxy"],
    ["environments/test/bad.test.ts", "@openforgerl/harness-adapters/thing", "table-environments"],
    ["contracts/bad.ts", "@openforgerl/proxy/thing", "table-contracts"],
    ["orchestrator/bench/bad.ts", "@openforgerl/cli/thing", "table-orchestrator"],
    ["contracts/bad.ts", "node:fs", "contracts-without-io"],
    ["trainer/bad.ts", "../contracts/thing.ts", "packages-by-name"],
    ["proxy/bad.ts", "./no-such-file.ts", "resolvable"],
  ])("refuses that %s imports %s", async (file, wanted, rule) => {
    await write(file, `import * as it from "${wanted}";\nexport const use = it;\n`);
    const { ok, problems } = await checkImports(fixture);
    expect(ok).toBe(false);
    expect(problems.join("\n")).toContain(rule);
  });

  it("refuses what a type-only or a dynamic import hides", async () => {
    await write(
      "proxy/bad.ts",
      'import type * as it from "@openforgerl/environments/thing";\nexport type Use = typeof it;\n',
    );
    await write("trainer/bad.ts", 'export const it = () => import("@openforgerl/benchmarks/thing");\n');
    const { problems } = await checkImports(fixture);
    expect(problems.join("\n")).toContain("table-proxy");
    expect(problems.join("\n")).toContain("table-trainer");
  });

  it("refuses circles", async () => {
    await write("proxy/one.ts", 'import { two } from "./two.ts";\nexport const one = () => two;\n');
    await write("proxy/two.ts", 'import { one } from "./one.ts";\nexport const two = () => one;\n');
    const { problems } = await checkImports(fixture);
    expect(problems.join("\n")).toContain("no-cycles");
  });

  it("refuses that a source needs a test", async () => {
    await write("proxy/test/helper.ts", "export const helper = 1;\n");
    await write("proxy/bad.ts", 'import { helper } from "./test/helper.ts";\nexport const use = helper;\n');
    const { problems } = await checkImports(fixture);
    expect(problems.join("\n")).toContain("no-tests-in-sources");
  });

  it("fails when there is nothing to look at", async () => {
    for (const name of PACKAGES) await rm(join(fixture, name, "thing.ts"));
    expect(await checkImports(fixture)).toMatchObject({ ok: false, modules: 0 });
  });

  it("fails when a file was not looked at", async () => {
    await write(
      ".dependency-cruiser.cjs",
      'module.exports = { forbidden: [], options: { exclude: { path: "^trainer" }, tsConfig: { fileName: "tsconfig.json" } } };\n',
    );
    const { ok, problems } = await checkImports(fixture);
    expect(ok).toBe(false);
    expect(problems.join("\n")).toContain("trainer/thing.ts");
  });
});

function manifest(name: string): string {
  const exports = { "./*": { openforgerl: "./*.ts", types: "./dist/*.d.ts", default: "./dist/*.js" } };
  return JSON.stringify({ name: `@openforgerl/${name}`, type: "module", exports });
}
