import { readdir, rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import ts from "typescript";
import { checkoutRoot, PACKAGES } from "./checkout.ts";

/** Folders of a package that are not published. */
const UNPUBLISHED: ReadonlySet<string> = new Set(["dist", "node_modules", "test", "bench", "dev"]);

/** Tools that make a source file (the WebAssembly kernel) and need a compiler that users don't have. */
const UNPUBLISHED_FILES: ReadonlySet<string> = new Set([
  "trainer/embedded/kernel/build.ts",
  "trainer/embedded/kernel/compile.ts",
]);

/**
 * Builds every package into its `dist/`: JavaScript with declarations, file for file. Each is compiled against
 * the declarations of those before it, as whoever installs it would be.
 * @param told of each package as it is begun.
 * @throws Error with the compiler's messages.
 */
export async function build(root: string, told: (name: string) => void): Promise<void> {
  const path = join(root, "tsconfig.build.json");
  const config = ts.getParsedCommandLineOfConfigFile(
    path,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  );
  if (!config) throw new Error(`${path} can't be read`);
  for (const name of PACKAGES) {
    told(name);
    const rootDir = join(root, name);
    const outDir = join(rootDir, "dist");
    await rm(outDir, { recursive: true, force: true });
    const files = (await sources(rootDir)).filter((file) => !UNPUBLISHED_FILES.has(relative(root, file)));
    const program = ts.createProgram(files, { ...config.options, rootDir, outDir });
    const diagnostics = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
    if (diagnostics.length > 0) throw new Error(format(diagnostics, root));
  }
}

async function sources(packageDir: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(packageDir, { withFileTypes: true })) {
    const path = join(packageDir, entry.name);
    if (entry.isDirectory()) {
      if (!UNPUBLISHED.has(entry.name)) files.push(...(await sources(path)));
    } else if (entry.name.endsWith(".ts") && !entry.name.endsWith(".as.ts")) {
      files.push(path);
    }
  }
  return files;
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
}

function format(diagnostics: readonly ts.Diagnostic[], root: string): string {
  return ts.formatDiagnostics(diagnostics, {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (name) => name,
    getNewLine: () => "\n",
  });
}

if (import.meta.filename === resolve(process.argv[1] ?? "")) {
  await build(checkoutRoot(), (name) => console.error(`building ${name}`));
}
