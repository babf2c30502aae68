import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Sha256 } from "@openforgerl/contracts/content";
import type { Engine } from "@openforgerl/contracts/engine";
import { ForgeError, inputError } from "@openforgerl/contracts/errors";
import { readRunHeader } from "@openforgerl/orchestrator/run-folder";
import type { UpstreamConfig } from "@openforgerl/proxy/server";
import { startEmbeddedWorker } from "@openforgerl/trainer/embedded/worker";
import { newestEngineFile } from "@openforgerl/trainer/loop/checkpoint";
import { z } from "zod";

/** A model ready to be called through the proxy. */
export interface OpenModel {
  /** As results name it. */
  name: string;
  /** Weights it answers with, where that is known. */
  policyVersion?: string;
  upstreams: UpstreamConfig[];
  /** Where its weights came from, for people. */
  origin: string;
  /** The engine behind it, where it is the embedded policy. */
  engine?: Engine;
  close(): Promise<void>;
}

/** How a hosted or self-hosted model is reached. */
export const UpstreamOptions = z
  .object({
    baseUrl: z.string(),
    dialect: z.enum(["anthropic-messages", "openai-chat"]),
    /** Name of the environment variable that holds the key. */
    apiKeyEnv: z.string(),
    /** "vllm": the upstream can give token ids and log-probabilities. */
    capture: z.enum(["vllm", "none"]),
  })
  .partial();
export type UpstreamOptions = z.infer<typeof UpstreamOptions>;

/** What a model's name stands for. */
export type ModelSource =
  | { kind: "embedded"; engineFile: string | undefined; origin: string }
  | { kind: "upstream"; name: string; baseUrl: string; options: UpstreamOptions; apiKey: string | undefined };

/**
 * Finds what a model's name stands for, without starting anything: `embedded` (the newest trained weights under
 * `runsDir`, else untrained ones), the folder of a training run, or any name together with an upstream to call
 * it at.
 * @throws ForgeError input/bad_input when the name stands for nothing.
 */
export async function findModel(
  name: string,
  upstream: UpstreamOptions,
  runsDir: string,
): Promise<ModelSource> {
  if (upstream.baseUrl !== undefined && name === "embedded") {
    throw inputError(
      "--base-url without --model",
      upstream.baseUrl,
      "Say which model is served there: --model <name>.",
    );
  }
  if (upstream.baseUrl !== undefined) return findUpstream(name, upstream.baseUrl, upstream);
  if (name === "embedded") {
    const run = await newestTrainRun(runsDir);
    const engineFile = run && (await newestEngineFile(run));
    const origin = engineFile ? `trained weights of ${run}` : "untrained weights (no training run found)";
    return { kind: "embedded", engineFile, origin };
  }
  const run = [name, join(runsDir, name)].find((dir) => existsSync(join(dir, "run.json")));
  if (name !== "" && run !== undefined) {
    const engineFile = await newestEngineFile(run);
    if (engineFile) return { kind: "embedded", engineFile, origin: `trained weights of ${run}` };
    throw inputError(`--model: ${run} has no checkpoint`, undefined, "Name a training run, or `embedded`.");
  }
  throw inputError(
    "--model: neither `embedded`, nor a training run's folder, nor given with --base-url",
    name,
    "Use `--model embedded`, `--model runs/<training run>`, or add --base-url for a hosted model.",
  );
}

/** Makes a model ready to be called. */
export async function openModel(source: ModelSource, signal: AbortSignal): Promise<OpenModel> {
  if (source.kind === "embedded") return openEmbedded(source.engineFile, source.origin, signal);
  const { name, baseUrl, options, apiKey } = source;
  return {
    name,
    upstreams: [
      {
        id: new URL(baseUrl).host,
        dialects: [options.dialect ?? "openai-chat"],
        baseUrl,
        model: name,
        capture: options.capture ?? "none",
        ...(apiKey ? { apiKey } : {}),
      },
    ],
    origin: baseUrl,
    close: async () => {},
  };
}

/**
 * Starts the embedded policy in a worker and offers it in both dialects.
 * @param learner what it needs beyond sampling in order to train: a seed for its first weights, and a way to the
 * images of recordings.
 */
export async function openEmbedded(
  engineFile: string | undefined,
  origin: string,
  signal: AbortSignal,
  learner?: { seed: number; readImage: (sha256: Sha256) => Promise<Uint8Array> },
): Promise<OpenModel & { engine: Engine }> {
  const worker = await startEmbeddedWorker({ seed: 0, signal, ...learner });
  try {
    if (engineFile !== undefined) await worker.engine.load(engineFile);
    return {
      name: "embedded",
      policyVersion: worker.engine.policyVersion(),
      upstreams: [
        {
          id: "embedded",
          dialects: ["anthropic-messages", "openai-chat"],
          baseUrl: worker.url,
          model: worker.engine.modelName,
          capture: "vllm",
        },
      ],
      origin,
      engine: worker.engine,
      close: () => worker.close(),
    };
  } catch (error) {
    await worker.close();
    throw error;
  }
}

function findUpstream(name: string, baseUrl: string, options: UpstreamOptions): ModelSource {
  const apiKey = options.apiKeyEnv === undefined ? undefined : process.env[options.apiKeyEnv];
  if (options.apiKeyEnv !== undefined && !apiKey) {
    throw inputError(
      "--api-key-env: that environment variable is empty",
      options.apiKeyEnv,
      `Set it first: export ${options.apiKeyEnv}=…`,
    );
  }
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ""))
    throw inputError("--base-url: not an http URL", baseUrl, "Give it as http(s)://host[:port].");
  return { kind: "upstream", name, baseUrl, options, apiKey };
}

/** Folder of the training run that has a checkpoint and was started last. */
async function newestTrainRun(runsDir: string): Promise<string | undefined> {
  const names = existsSync(runsDir) ? await readdir(runsDir) : [];
  let newest: { dir: string; createdAt: string } | undefined;
  for (const name of names) {
    const dir = join(runsDir, name);
    // A folder that is no run, or a damaged one, is no reason to fail an evaluation.
    const header = await readRunHeader(dir).catch((error: unknown) => {
      if (error instanceof ForgeError) return undefined;
      throw error;
    });
    if (header?.kind !== "train" || !(await newestEngineFile(dir))) continue;
    if (!newest || header.createdAt > newest.createdAt) newest = { dir, createdAt: header.createdAt };
  }
  return newest?.dir;
}
