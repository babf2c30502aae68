import type { Datum, ModelInputChunk } from "@openforgerl/contracts/engine";
import { grpoAdvantages } from "../../../advantages/grpo.ts";
import { actionOf } from "../../../embedded/action.ts";
import { IMAGE_TOKENS, observationTokens, openingTokens } from "../../../embedded/chat-tokens.ts";
import type { EmbeddedEngine } from "../../../embedded/engine.ts";
import { unspell } from "../../../embedded/grammar.ts";
import { imageSha } from "../../../embedded/images.ts";
import { readInstruction, spanText } from "../../../embedded/instruction.ts";
import { observationLines } from "../../../embedded/observation-text.ts";
import { X_BINS, Y_BINS } from "../../../embedded/tokens.ts";
import { type LessonName, makeWorld } from "./lessons.ts";
import { ALL_TOOLS, MARK_TOOLS, observationOf, type World } from "./world.ts";

/** A finished episode: its sequence as the proxy would have recorded it, and its reward. */
export interface Episode {
  chunks: ModelInputChunk[];
  tokens: number[];
  mask: number[];
  logprobs: number[];
  reward: number;
  actions: string[];
}

/** Images of the episodes, for the engine's `readImage`. */
export const pictures = new Map<string, Uint8Array>();

/** Plays one episode with the engine's published weights. */
export async function playEpisode(
  engine: EmbeddedEngine,
  world: World,
  options: { temperature: number; seed: number },
): Promise<Episode> {
  const tools = world.clickAt ? ALL_TOOLS : MARK_TOOLS;
  const instruction = readInstruction(world.instruction);
  const episode: Episode = { chunks: [], tokens: [], mask: [], logprobs: [], reward: 0, actions: [] };
  const text = (tokens: readonly number[], sampled?: readonly number[]) => {
    episode.chunks.push({ type: "text", tokens });
    tokens.forEach((token, i) => {
      episode.tokens.push(token);
      episode.mask.push(sampled ? 1 : 0);
      episode.logprobs.push(sampled?.[i] ?? 0);
    });
  };
  text(openingTokens(tools, world.instruction));
  let headline: string | undefined;
  for (let step = 0; step < world.maxSteps; step++) {
    const [head = 0, ...rest] = observationTokens(
      observationLines(observationOf(world, headline, []))!,
      false,
    );
    text([head]);
    if (world.picture) {
      const sha256 = imageSha(world.picture.png);
      pictures.set(sha256, world.picture.png);
      episode.chunks.push({ type: "image", sha256, mediaType: "image/png", length: IMAGE_TOKENS });
      for (let i = 0; i < IMAGE_TOKENS; i++) {
        episode.tokens.push(264);
        episode.mask.push(0);
        episode.logprobs.push(0);
      }
    }
    text(rest);
    const sampled = await engine.sample(episode.chunks, {
      temperature: options.temperature,
      seed: options.seed * 31 + step,
      maxTokens: 16,
    });
    text(sampled.tokens, sampled.logprobs);
    const action = actionOf(unspell(sampled.tokens)!);
    const thing = world.things()[action.mark ?? -1];
    const typed =
      action.verb === "type_text" ? spanText(instruction, action.first ?? 0, action.last ?? 0) : "";
    episode.actions.push(
      `${action.verb} ${thing ? `${thing.role} ${thing.name}` : ""} ${typed}${action.submit ? "⏎" : ""}`,
    );
    if (action.verb === "done" || action.verb === "answer") break;
    headline = "Done something.";
    if (action.verb === "click") thing?.click?.();
    else if (action.verb === "type_text") thing?.enter?.(typed, action.submit ?? false);
    else if (action.verb === "select_option") thing?.choose?.(thing.options?.[action.option ?? 0] ?? "");
    else if (action.verb === "click_at" && world.picture) {
      const { width, height } = world.picture;
      world.clickAt?.(((action.x! + 0.5) * width) / X_BINS, ((action.y! + 0.5) * height) / Y_BINS);
    }
  }
  episode.reward = world.solved() ? 1 : 0;
  return episode;
}

/** The training example of an episode. */
export function datumOf(episode: Episode, advantage: number): Datum {
  const length = episode.tokens.length - 1;
  const last = episode.chunks.at(-1)!;
  const chunks = episode.chunks.slice(0, -1);
  if (last.type === "text") chunks.push({ type: "text", tokens: last.tokens.slice(0, -1) });
  const mask = Float32Array.from(episode.mask.slice(1));
  return {
    modelInput: chunks,
    targetTokens: Int32Array.from(episode.tokens.slice(1)),
    logprobs: Float32Array.from(episode.logprobs.slice(1)),
    advantages: Float32Array.from({ length }, (_, i) => mask[i]! * advantage),
    mask,
  };
}

/** Plays a group of episodes of one task. */
export async function playGroup(
  engine: EmbeddedEngine,
  lesson: LessonName,
  taskSeed: number,
  size: number,
  seed: number,
): Promise<Episode[]> {
  const episodes: Episode[] = [];
  for (let i = 0; i < size; i++) {
    const world = await makeWorld(lesson, taskSeed, "train");
    episodes.push(await playEpisode(engine, world, { temperature: 1, seed: seed + i }));
  }
  return episodes;
}

/**
 * Data of a group with GRPO's advantages; empty when all succeeded. A group that failed altogether is kept: its
 * advantages are zero, but the entropy bonus makes the policy try other things there.
 */
export function groupData(episodes: readonly Episode[]): Datum[] {
  const advantages = grpoAdvantages(episodes.map((episode) => episode.reward));
  if (episodes.every((episode) => episode.reward === 1)) return [];
  return episodes.map((episode, i) => datumOf(episode, advantages[i]!));
}

/** Share of held-out tasks solved. */
export async function evaluate(
  engine: EmbeddedEngine,
  lesson: LessonName,
  count: number,
  temperature: number,
  log?: (episode: Episode, world: World) => void,
): Promise<number> {
  let solved = 0;
  for (let i = 0; i < count; i++) {
    const world = await makeWorld(lesson, 1_000_000 + i, "held-out");
    const episode = await playEpisode(engine, world, { temperature, seed: i * 7919 + 5 });
    solved += episode.reward;
    log?.(episode, world);
  }
  return solved / count;
}
