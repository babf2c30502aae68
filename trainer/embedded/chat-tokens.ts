import {
  ACT,
  BOS,
  IMAGE,
  OBSERVATION,
  OBSERVATION_END,
  TASK,
  TASK_END,
  TOOLS,
  TOOLS_END,
  VERBS,
  type Verb,
  verbToken,
} from "./tokens.ts";

/** Placeholder tokens of one image: patches of 24 x 24 pixels of what the policy sees. */
export const IMAGE_GRID = [1, 3, 4] as const;
export const IMAGE_TOKENS = IMAGE_GRID[1] * IMAGE_GRID[2];

const encoder = new TextEncoder();

/** The tokens before the first observation. */
export function openingTokens(tools: ReadonlySet<Verb>, instruction: string): number[] {
  const offered = VERBS.filter((verb) => tools.has(verb)).map(verbToken);
  return [BOS, TOOLS, ...offered, TOOLS_END, TASK, ...encoder.encode(instruction), TASK_END];
}

/** The tokens of an observation, up to the policy's turn. The image's placeholders come first. */
export function observationTokens(lines: string, hasImage: boolean): number[] {
  const image = hasImage ? new Array<number>(IMAGE_TOKENS).fill(IMAGE) : [];
  return [OBSERVATION, ...image, ...encoder.encode(lines), OBSERVATION_END, ACT];
}
