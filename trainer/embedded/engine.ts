import { createHash } from "node:crypto";
import type { Sha256 } from "@openforgerl/contracts/content";
import type {
  AdamConfig,
  Datum,
  Engine,
  ForwardResult,
  LossConfig,
  ModelInputChunk,
  SampledSequence,
} from "@openforgerl/contracts/engine";
import { ForgeError } from "@openforgerl/contracts/errors";
import { FloatMemory } from "./autodiff/memory.ts";
import { AdamState, Parameters } from "./autodiff/parameters.ts";
import { Tape, type Tensor } from "./autodiff/tape.ts";
import { collectDecisions, type DecisionGroup, scoreGroup, type TokenTotals } from "./batch-pass.ts";
import { readCheckpoint, writeCheckpoint } from "./checkpoint-file.ts";
import type { EpisodeState } from "./episode.ts";
import { EpisodeMemo } from "./episode-memo.ts";
import { ImageCache, type SeenImage } from "./images.ts";
import { Decision } from "./policy.ts";
import { PARAMETERS, type ParameterName, WIDTH } from "./policy-parameters.ts";
import { sampleCompletion } from "./sampler.ts";
import { flatten, SequenceReader } from "./sequence.ts";
import { visionTrunk } from "./vision.ts";

export interface EmbeddedEngineOptions {
  /** Of the starting weights. */
  seed: number;
  /** Fetches the bytes of an image that a sequence names. */
  readImage: (sha256: Sha256) => Promise<Uint8Array>;
  /** Working memory; one of its own when left out. */
  memory?: FloatMemory;
}

/** The embedded engine, with what its server needs beyond the Tinker verbs. */
export interface EmbeddedEngine extends Engine {
  /** Version of the weights that `sample` uses. */
  publishedVersion(): string;
  /** As in `Engine`, with the version of the weights that sampled. */
  sample(
    prompt: readonly ModelInputChunk[],
    options: { temperature: number; seed: number; maxTokens: number },
  ): Promise<SampledSequence & { policyVersion: string }>;
  /** States of the prompts seen lately; a chat template that uses it too saves `sample` the reading. */
  readonly prompts: EpisodeMemo;
  /** Decodes an image that a request brought along, and keeps it for `sample`. */
  addImage(sha256: Sha256, bytes: Uint8Array): Promise<SeenImage>;
}

/** Name that requests and records carry. */
export const MODEL_NAME = "embedded";

/** Names and shapes of all weights. */
const ARCHITECTURE = createHash("sha256").update(JSON.stringify(PARAMETERS)).digest("hex").slice(0, 16);

/**
 * Makes sure that a file holds weights of this engine.
 * @throws ForgeError as `Engine.load` does.
 */
export async function checkEngineFile(path: string): Promise<void> {
  await readCheckpoint(path, ARCHITECTURE);
}

/**
 * A small vision-language pointer policy that trains in this process, on one CPU core, behind the verbs of
 * the Tinker API. The same weights, data and calls give the same bits.
 */
export function createEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  return new InProcessEngine(options);
}

class InProcessEngine implements EmbeddedEngine {
  readonly modelName = MODEL_NAME;
  readonly #memory: FloatMemory;
  readonly #learning: Parameters<ParameterName>;
  readonly #published: Parameters<ParameterName>;
  readonly #adam: AdamState;
  readonly #images: ImageCache;
  readonly #reader = new SequenceReader(new EpisodeMemo());
  readonly prompts = new EpisodeMemo();
  readonly #promptReader = new SequenceReader(this.prompts);
  /** Trunk features of screenshots under the published weights. */
  readonly #trunks = new Map<Sha256, Float32Array>();
  #version = 0;
  /** Optimiser steps since the last publication. */
  #unpublished = 0;

  constructor({ seed, readImage, memory }: EmbeddedEngineOptions) {
    this.#memory = memory ?? new FloatMemory();
    this.#learning = new Parameters(this.#memory, PARAMETERS, true);
    this.#published = new Parameters(this.#memory, PARAMETERS, false);
    this.#adam = new AdamState(this.#memory, this.#learning.weights.length);
    this.#images = new ImageCache(readImage);
    this.#learning.initialise(PARAMETERS, seed);
    this.#publish();
  }

  policyVersion(): string {
    return String(this.#version + (this.#unpublished > 0 ? 1 : 0));
  }

  publishedVersion(): string {
    return String(this.#version);
  }

  addImage(sha256: Sha256, bytes: Uint8Array): Promise<SeenImage> {
    return this.#images.put(sha256, bytes);
  }

  forward(data: readonly Datum[]): Promise<ForwardResult> {
    return this.#pass(data, undefined);
  }

  forwardBackward(data: readonly Datum[], loss: LossConfig): Promise<ForwardResult> {
    return this.#pass(data, loss);
  }

  async optimStep(adam: AdamConfig): Promise<Record<string, number>> {
    const gradNorm = this.#adam.update(this.#learning.weights, this.#learning.grads, adam);
    this.#unpublished++;
    return { gradNorm };
  }

  async saveWeightsForSampler(): Promise<string> {
    if (this.#unpublished > 0) this.#version++;
    this.#publish();
    return String(this.#version);
  }

  async sample(
    prompt: readonly ModelInputChunk[],
    options: { temperature: number; seed: number; maxTokens: number },
  ): Promise<SampledSequence & { policyVersion: string }> {
    const { end, open } = this.#promptReader.read(flatten(prompt));
    if (!open) {
      throw new ForgeError({
        boundary: "trainer",
        code: "bad_sequence",
        message: "the prompt does not end where the policy is to act",
        advice: "End the prompt with the chat template's act token.",
      });
    }
    const image = neededImage(end);
    const seen = image === undefined ? undefined : await this.#images.get(image);
    const mark = this.#memory.mark();
    try {
      const tape = new Tape(this.#memory, false);
      const trunk = seen && this.#publishedTrunk(tape, image!, seen);
      const decision = new Decision(tape, this.#published.tensors, end, trunk);
      return { ...sampleCompletion(decision, options), policyVersion: this.publishedVersion() };
    } finally {
      this.#memory.release(mark);
    }
  }

  async save(path: string): Promise<void> {
    await writeCheckpoint(
      path,
      {
        model: MODEL_NAME,
        architecture: ARCHITECTURE,
        policyVersion: Number(this.policyVersion()),
        adamSteps: this.#adam.steps,
      },
      { weights: this.#learning.weights, first: this.#adam.first, second: this.#adam.second },
    );
  }

  async load(path: string): Promise<void> {
    const { header, arrays } = await readCheckpoint(path, ARCHITECTURE);
    this.#learning.weights.set(arrays.weights);
    this.#learning.grads.fill(0);
    this.#adam.first.set(arrays.first);
    this.#adam.second.set(arrays.second);
    this.#adam.steps = header.adamSteps;
    this.#version = header.policyVersion;
    this.#publish();
  }

  async close(): Promise<void> {}

  #publish(): void {
    this.#published.weights.set(this.#learning.weights);
    this.#trunks.clear();
    this.#unpublished = 0;
  }

  #publishedTrunk(tape: Tape, sha256: Sha256, seen: SeenImage): Tensor {
    const known = this.#trunks.get(sha256);
    if (known) return tape.constant(known.length / WIDTH.sight, WIDTH.sight, known);
    const trunk = visionTrunk(tape, this.#published.tensors, seen);
    this.#trunks.set(sha256, Float32Array.from(trunk.data));
    return trunk;
  }

  /** Forward over all decisions, and backward where a loss is given. */
  async #pass(data: readonly Datum[], loss: LossConfig | undefined): Promise<ForwardResult> {
    const logprobs = data.map((datum) => new Float32Array(datum.mask.length));
    const { groups, tokens } = collectDecisions(this.#reader, data);
    const byImage = new Map<Sha256 | undefined, DecisionGroup[]>();
    for (const group of groups) {
      const image = neededImage(group.state);
      byImage.set(image, [...(byImage.get(image) ?? []), group]);
    }
    const seen = await Promise.all(
      Array.from(byImage.keys(), (image) => (image === undefined ? undefined : this.#images.get(image))),
    );
    const totals: TokenTotals = { loss: 0, entropy: 0, kl: 0, clipFraction: 0, ratio: 0 };
    [...byImage.values()].forEach((sharing, i) => {
      const start = this.#memory.mark();
      const vision = new Tape(this.#memory, loss !== undefined);
      const image = seen[i];
      const trunk = image && visionTrunk(vision, this.#learning.tensors, image);
      for (const group of sharing) {
        const mark = this.#memory.mark();
        const tape = new Tape(this.#memory, loss !== undefined);
        const decision = new Decision(tape, this.#learning.tensors, group.state, trunk);
        scoreGroup(decision, group, { data, logprobs, tokens, loss, totals });
        tape.backward();
        this.#memory.release(mark);
      }
      vision.backward();
      this.#memory.release(start);
    });
    return { logprobs, metrics: { ...totals, tokens, decisions: groups.length } };
  }
}

/** The screenshot that a decision looks at; the marks alone are enough where nothing is aimed at by pixel. */
function neededImage(state: EpisodeState): Sha256 | undefined {
  return state.tools.has("click_at") ? state.image : undefined;
}
