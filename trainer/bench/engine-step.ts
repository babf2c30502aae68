// The embedded engine's step against the arithmetic it has to do, and the latency of one sampled action.
// ./forge bench trainer/engine-step
import { performance } from "node:perf_hooks";
import type { Datum } from "@openforgerl/contracts/engine";
import { FloatMemory } from "../embedded/autodiff/memory.ts";
import { createEmbeddedEngine, type EmbeddedEngine } from "../embedded/engine.ts";
import type { LessonName } from "../test/embedded/support/lessons.ts";
import { datumOf, pictures, playGroup } from "../test/embedded/support/play.ts";

const LOSS = { name: "ppo", clipLow: 0.2, clipHigh: 0.28, entropy: 0.01 } as const;
const ADAM = { learningRate: 0, beta1: 0.9, beta2: 0.99, eps: 1e-8, gradClip: 1 };
const BATCHES: Record<string, LessonName[]> = {
  "marks only": ["click", "form", "select", "shop", "settings", "cart"],
  "picture, aimed at by pixel": ["colour", "shape"],
};

/** Best of several runs, in milliseconds: what else runs on the machine only ever adds. */
async function best(runs: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i++) {
    const began = performance.now();
    await work();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

/** Floating-point operations a second of the kernel in a plain product of two square matrices. */
async function productSpeed(size: number): Promise<number> {
  const memory = new FloatMemory(16);
  const [a, b, c] = [0, 1, 2].map(() => memory.allocate(size * size).fill(0.5).byteOffset) as [
    number,
    number,
    number,
  ];
  const ms = await best(30, () => memory.kernel.gemm(size, size, size, a, size, 1, b, c, 0));
  return (2 * size ** 3) / (ms / 1000);
}

/** A memory whose matrix products are counted. */
function countingMemory(count: (flops: number) => void): FloatMemory {
  const memory = new FloatMemory();
  const { gemm, transpose, adam } = memory.kernel;
  const counted: typeof gemm = (m, n, k, ...rest) => {
    count(2 * m * n * k);
    gemm(m, n, k, ...rest);
  };
  Object.defineProperty(memory, "kernel", { value: { gemm: counted, transpose, adam } });
  return memory;
}

async function step(engine: EmbeddedEngine, data: readonly Datum[]): Promise<number> {
  const { metrics } = await engine.forwardBackward(data, LOSS);
  await engine.optimStep(ADAM);
  return metrics.decisions ?? 0;
}

const readImage = async (sha: string) => pictures.get(sha)!;
const speed = await productSpeed(256);
console.log(`plain matrix product, 256 x 256: ${(speed / 1e9).toFixed(1)} GFLOP/s`);

for (const [name, lessons] of Object.entries(BATCHES)) {
  const engine = createEmbeddedEngine({ seed: 1, readImage });
  const data: Datum[] = [];
  for (const [i, lesson] of lessons.entries()) {
    const episodes = await playGroup(engine, lesson, i, 8, i * 10);
    data.push(...episodes.map((episode, e) => datumOf(episode, e % 2 === 0 ? 1 : -1)));
  }
  let flops = 0;
  const counting = createEmbeddedEngine({
    seed: 1,
    readImage,
    memory: countingMemory((added) => {
      flops += added;
    }),
  });
  const decisions = await step(counting, data);
  const ms = await best(7, () => step(engine, data));
  const rate = flops / (ms / 1000);

  const asked = { temperature: 1, seed: 1, maxTokens: 16 };
  const prompts = data.map((datum) => datum.modelInput.slice(0, -1));
  // New engines have read none of the prompts, and worked out none of the pictures.
  const fresh = [0, 1, 2, 3, 4].map(() => createEmbeddedEngine({ seed: 1, readImage }));
  const first = await best(fresh.length, async () => {
    const unread = fresh.pop()!;
    for (const prompt of prompts) await unread.sample(prompt, asked);
  });
  console.log(
    [
      `${name}: ${data.length} episodes, ${decisions} distinct decisions`,
      `  forward + backward + Adam ${ms.toFixed(1)} ms = ${(ms / decisions).toFixed(2)} ms a decision`,
      `  ${(flops / 1e6).toFixed(0)} MFLOP of matrix products: ${(rate / 1e9).toFixed(2)} GFLOP/s, ${((100 * rate) / speed).toFixed(0)} % of the plain product's speed`,
      `  one sampled action, read anew ${(first / prompts.length).toFixed(2)} ms`,
    ].join("\n"),
  );
}
