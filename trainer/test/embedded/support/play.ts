import type { Datum, ModelInputChunk } from "@openforgerl/contracts/engine";
import { taskPrompt } from "@openforgerl/contracts/harness";
import type { CanonicalMessage, CanonicalRequest, MessagePart } from "@openforgerl/proxy/messages";
import { grpoAdvantages } from "../../../advantages/grpo.ts";
import { actionOf } from "../../../embedded/action.ts";
import type { EmbeddedEngine } from "../../../embedded/engine.ts";
import { unspell } from "../../../embedded/grammar.ts";
import { imageSha } from "../../../embedded/images.ts";
import { renderPrompt } from "../../../embedded/template.ts";
import { type ActionCall, printAction } from "../../../embedded/tool-calls.ts";
import { type LessonName, makeWorld } from "./lessons.ts";
import { MARK_TOOLS, observationOf, PIXEL_TOOLS, type World } from "./world.ts";

/** A finished episode: its sequence as the proxy would have recorded it, and its reward. */
export interface Episode {
  chunks: ModelInputChunk[];
  tokens: number[];
  mask: number[];
  logprobs: number[];
  reward: number;
  /** What was done, for people. */
  actions: string[];
}

/** Images of the episodes, for the engine's `readImage`. */
export const pictures = new Map<string, Uint8Array>();

/**
 * Plays one episode with the engine's published weights, by way of the request a harness would send.
 * @throws Error when a prompt does not begin with the prompt and the completion before it.
 */
export async function playEpisode(
  engine: EmbeddedEngine,
  world: World,
  options: { temperature: number; seed: number },
): Promise<Episode> {
  const request = openRequest(world);
  const episode: Episode = { chunks: [], tokens: [], mask: [], logprobs: [], reward: 0, actions: [] };
  let final: string | undefined;
  for (let step = 0; step < world.maxSteps; step++) {
    const prompt = await renderPrompt(request, {
      memo: engine.prompts,
      imageSize: async () => world.picture!,
    });
    if (world.picture) await engine.addImage(imageSha(world.picture.png), world.picture.png);
    if (!episode.tokens.every((token, i) => prompt.tokens[i] === token)) {
      throw new Error(`prompt ${step} does not continue the sequence before it`);
    }
    const added = prompt.tokens.slice(episode.tokens.length);
    record(
      episode,
      added,
      added.map(() => 0),
      0,
    );
    const sampled = await engine.sample(prompt.chunks, {
      temperature: options.temperature,
      seed: options.seed * 31 + step,
      maxTokens: 16,
    });
    record(episode, sampled.tokens, sampled.logprobs, 1);
    episode.chunks = [...prompt.chunks, { type: "text", tokens: sampled.tokens }];
    const call = printAction(actionOf(unspell(sampled.tokens)!), prompt.state, prompt.tools, world.picture);
    if ("text" in call) {
      final = call.text;
      episode.actions.push(JSON.stringify(final));
      break;
    }
    const thing = world.things()[Number(call.input.mark ?? -1)];
    episode.actions.push(
      `${call.tool} ${JSON.stringify(call.input)} ${thing?.role ?? ""} ${thing?.name ?? ""}`,
    );
    perform(world, call);
    request.messages.push(...turn(world, call, `call-${step}`));
  }
  episode.reward = world.solved() && (world.answers === undefined || world.answers === final) ? 1 : 0;
  return episode;
}

function openRequest(world: World): CanonicalRequest {
  return {
    model: "embedded",
    system: ["You are an agent."],
    messages: [
      {
        role: "user",
        parts: [{ type: "text", text: taskPrompt(world.instruction) }, ...look(world, undefined)],
      },
    ],
    tools: [...(world.clickAt ? PIXEL_TOOLS : MARK_TOOLS)].map((name) => ({ name, inputSchema: {} })),
    sampling: {},
    stream: false,
    capture: true,
  };
}

function turn(world: World, call: Extract<ActionCall, { tool: string }>, id: string): CanonicalMessage[] {
  const content = look(world, "Did it.");
  return [
    { role: "assistant", parts: [{ type: "tool_use", id, name: call.tool, input: call.input }] },
    { role: "user", parts: [{ type: "tool_result", toolUseId: id, content, isError: false }] },
  ];
}

type Look = Extract<MessagePart, { type: "text" | "image" }>;

function look(world: World, headline: string | undefined): Look[] {
  const text: Look = { type: "text", text: observationOf(world, headline, []) };
  if (!world.picture) return [text];
  const { png } = world.picture;
  pictures.set(imageSha(png), png);
  const data = Buffer.from(png).toString("base64");
  return [text, { type: "image", source: { kind: "base64", mediaType: "image/png", data } }];
}

function perform(world: World, { tool, input }: Extract<ActionCall, { tool: string }>): void {
  const thing = world.things()[Number(input.mark ?? -1)];
  if (tool === "click") thing?.click?.();
  else if (tool === "type_text") thing?.enter?.(String(input.text), input.submit === true);
  else if (tool === "select_option") thing?.choose?.(String(input.option));
  else if (tool === "click_at") world.clickAt?.(Number(input.x), Number(input.y));
}

function record(
  episode: Episode,
  tokens: readonly number[],
  logprobs: readonly number[],
  mask: number,
): void {
  tokens.forEach((token, i) => {
    episode.tokens.push(token);
    episode.mask.push(mask);
    episode.logprobs.push(logprobs[i]!);
  });
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
 * Data of a group with GRPO's advantages. In a group that failed altogether they are zero, but its entropy
 * bonus makes the policy try other things there.
 */
export function groupData(episodes: readonly Episode[]): Datum[] {
  const advantages = grpoAdvantages(episodes.map((episode) => episode.reward));
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
