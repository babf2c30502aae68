// Development script: node --conditions=openforgerl trainer/embedded/kernel/build.ts
import { writeFile } from "node:fs/promises";
import { compileKernel } from "./compile.ts";

const binary = await compileKernel();
const lines =
  Buffer.from(binary)
    .toString("base64")
    .match(/.{1,100}/g) ?? [];
await writeFile(
  new URL("gemm.wasm.ts", import.meta.url),
  [
    "/** gemm.as.ts compiled by build.ts; a test recompiles it and compares the bytes. */",
    "export const kernelBase64 = [",
    ...lines.map((line) => `  "${line}",`),
    '].join("");',
    "",
  ].join("\n"),
);
console.log(`gemm.wasm.ts: ${binary.length} bytes of wasm`);
