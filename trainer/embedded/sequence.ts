import type { Sha256 } from "@openforgerl/contracts/content";
import type { ModelInputChunk } from "@openforgerl/contracts/engine";
import { ForgeError } from "@openforgerl/contracts/errors";
import { act, type EpisodeState, observe, startEpisode } from "./episode.ts";
import { readInstruction } from "./instruction.ts";
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
  tokenVerb,
  type Verb,
} from "./tokens.ts";

/** Tokens with the images of their placeholders, in order. */
export interface TokenSequence {
  tokens: number[];
  /** One entry for each run of placeholders. */
  images: Sha256[];
}

/** A completion inside a sequence and the state it was sampled from. */
export interface SequenceDecision {
  state: EpisodeState;
  /** Index of the completion's first token. */
  at: number;
  completion: number[];
}

/** Puts the chunks of a model input together. */
export function flatten(chunks: readonly ModelInputChunk[]): TokenSequence {
  const tokens: number[] = [];
  const images: Sha256[] = [];
  for (const chunk of chunks) {
    if (chunk.type === "text") for (const token of chunk.tokens) tokens.push(token);
    else {
      images.push(chunk.sha256);
      for (let i = 0; i < chunk.length; i++) tokens.push(IMAGE);
    }
  }
  return { tokens, images };
}

/** States kept before the reader forgets them all. */
const CAPACITY = 20_000;

/**
 * Reads token sequences into decisions. Sequences that begin alike share their states, and with them the
 * features and the forward pass of the decisions that they share: a group's first screen is worked out once.
 */
export class SequenceReader {
  readonly #decoder = new TextDecoder();
  readonly #starts = new Map<string, EpisodeState>();
  readonly #next = new Map<EpisodeState, Map<string, EpisodeState>>();

  /**
   * @returns every completion of the sequence, and the state at its end (`open`: a completion is due there).
   * @throws ForgeError `trainer/bad_sequence` when the tokens do not follow the chat template.
   */
  read({ tokens, images }: TokenSequence): {
    decisions: SequenceDecision[];
    end: EpisodeState;
    open: boolean;
  } {
    if (this.#next.size > CAPACITY) {
      this.#starts.clear();
      this.#next.clear();
    }
    const decisions: SequenceDecision[] = [];
    let at = 0;
    let image = 0;
    const expect = (token: number) => {
      if (tokens[at] !== token) throw badSequence(at, tokens[at], token);
      at++;
    };
    const until = (token: number): number[] => {
      const end = tokens.indexOf(token, at);
      if (end === -1) throw badSequence(at, tokens.at(-1), token);
      const inside = tokens.slice(at, end);
      at = end + 1;
      return inside;
    };
    expect(BOS);
    expect(TOOLS);
    const tools = until(TOOLS_END);
    expect(TASK);
    const task = until(TASK_END);
    let state = this.#start(tools, task);
    let open = false;
    while (at < tokens.length) {
      expect(OBSERVATION);
      let sha: Sha256 | undefined;
      if (tokens[at] === IMAGE) {
        sha = images[image++];
        while (tokens[at] === IMAGE) at++;
      }
      const lines = this.#text(until(OBSERVATION_END));
      state = this.#step(state, `o${sha ?? ""} ${lines}`, (from) => observe(from, lines, sha));
      expect(ACT);
      const next = tokens.indexOf(OBSERVATION, at);
      const completion = tokens.slice(at, next === -1 ? undefined : next);
      open = completion.length === 0;
      if (!open) {
        decisions.push({ state, at, completion });
        state = this.#step(state, `a${completion.join(" ")}`, (from) => act(from, completion));
      }
      at += completion.length;
    }
    return { decisions, end: state, open };
  }

  #start(tools: readonly number[], task: readonly number[]): EpisodeState {
    const key = `${tools.join(" ")}|${task.join(" ")}`;
    let state = this.#starts.get(key);
    if (!state) {
      const verbs = tools.flatMap((token): Verb[] => {
        const verb = tokenVerb(token);
        return verb ? [verb] : [];
      });
      state = startEpisode(new Set(verbs), readInstruction(this.#text(task)));
      this.#starts.set(key, state);
    }
    return state;
  }

  #step(from: EpisodeState, key: string, make: (from: EpisodeState) => EpisodeState): EpisodeState {
    let steps = this.#next.get(from);
    if (!steps) {
      steps = new Map();
      this.#next.set(from, steps);
    }
    let state = steps.get(key);
    if (!state) {
      state = make(from);
      steps.set(key, state);
    }
    return state;
  }

  #text(tokens: readonly number[]): string {
    return this.#decoder.decode(Uint8Array.from(tokens));
  }
}

function badSequence(at: number, found: number | undefined, expected: number): ForgeError {
  return new ForgeError({
    boundary: "trainer",
    code: "bad_sequence",
    message: `token ${at} is ${found ?? "missing"} where the chat template has ${expected}`,
    advice: "Train the embedded policy only on sequences that were recorded from it.",
  });
}
