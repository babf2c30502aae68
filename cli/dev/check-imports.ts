import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { cruise, type IConfiguration, type ICruiseResult } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { PACKAGES } from "./checkout.ts";

/** What the import table says of the sources. */
export interface ImportCheck {
  ok: boolean;
  modules: number;
  dependencies: number;
  /** One line for each thing that is wrong. */
  problems: string[];
}

/**
 * Holds every module under the packages against `.dependency-cruiser.cjs`. It fails, too, when it did not see
 * each TypeScript file that is on disk: a check that looked at nothing proves nothing.
 * @param root folder with the configuration and the packages; another one than the checkout's in tests.
 */
export async function checkImports(root: string): Promise<ImportCheck> {
  const config: IConfiguration = createRequire(import.meta.url)(join(root, ".dependency-cruiser.cjs"));
  const { tsConfig, ...options } = config.options ?? {};
  const present = await sourceFiles(root);
  if (present.length === 0) {
    return {
      ok: false,
      modules: 0,
      dependencies: 0,
      problems: [`there is no TypeScript file below ${root}`],
    };
  }
  const result = await cruise(
    PACKAGES.filter((name) => present.some((file) => file.startsWith(`${name}/`))),
    { ...options, baseDir: root, ruleSet: { forbidden: config.forbidden ?? [] }, validate: true },
    options.enhancedResolveOptions,
    { tsConfig: extractTSConfig(join(root, tsConfig?.fileName ?? "tsconfig.json")) },
  );
  const { summary, modules } = result.output as ICruiseResult;
  const seen = new Set(modules.map(({ source }) => source));
  const problems = summary.violations
    .filter(({ rule }) => rule.severity === "error")
    .map(({ from, to, rule }) => `${from} -> ${to}: ${rule.name}`);
  const unseen = present.filter((file) => !seen.has(file));
  if (unseen.length > 0) problems.push(`${unseen.length} files were not looked at, ${unseen[0]} among them`);
  return {
    ok: problems.length === 0,
    modules: present.length - unseen.length,
    dependencies: summary.totalDependenciesCruised ?? 0,
    problems,
  };
}

/** Paths of all TypeScript files of the packages, relative to the root. */
async function sourceFiles(root: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of PACKAGES) {
    const entries = await readdir(join(root, name), { withFileTypes: true, recursive: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1);
      if (!entry.isFile() || !entry.name.endsWith(".ts") || /(^|\/)(node_modules|dist)\//.test(path))
        continue;
      // AssemblyScript: TypeScript in name only, compiled by its own compiler.
      if (!entry.name.endsWith(".as.ts")) found.push(path);
    }
  }
  return found;
}
