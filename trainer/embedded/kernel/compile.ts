import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

/**
 * Compiles the AssemblyScript kernel. The same source and compiler give the same bytes.
 * @throws Error with the compiler's messages.
 */
export async function compileKernel(): Promise<Uint8Array> {
  const source = await readFile(fileURLToPath(new URL("gemm.as.ts", import.meta.url)), "utf8");
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      "kernel.ts",
      "--outFile",
      "kernel.wasm",
      "--runtime",
      "stub",
      "--importMemory",
      "--noAssert",
      "-O3",
      "--enable",
      "simd",
    ],
    {
      readFile: (name) => (name === "kernel.ts" ? source : null),
      writeFile: (name, contents) => {
        if (name === "kernel.wasm" && typeof contents !== "string") binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error || !binary) throw new Error(`kernel does not compile: ${stderr.toString()}`, { cause: error });
  return binary;
}
