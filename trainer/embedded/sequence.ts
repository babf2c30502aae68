import type { Sha256 } from "@openforgerl/contracts/content";
import type { ModelInputChunk } from "@openforgerl/contracts/engine";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { EpisodeState } from "./episode.ts";
import type { EpisodeMemo } from "./episode-memo.ts";
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

/**
 * Reads token sequences into decisions. Sequences that begin alike share their states, and with them the
 * features and the forward pass of the decisions that they share: a group's first screen is worked out once.
 */
export class SequenceReader {
  readonly #memo: EpisodeMemo;

  constructor(memo: EpisodeMemo) {
    this.#memo = memo;
  }

  /**
   * @returns every completion of the sequence, and the state at its end (`open`: a completion is due there).
   * @throws ForgeError `trainer/bad_sequence` when the tokens do not follow the chat template.
   */
  read({ tokens, images }: TokenSequence): {
    decisions: SequenceDecision[];
    end: EpisodeState;
    open: boolean;
  } {
    this.#memo.trim();
    const decisions: SequenceDecision[] = [];
    let at = 0;
    let image = 0;
    const expect = (token: number) => {
      if (tokens[at] !== token) throw badSequence(at, tokens[at], token);
      at++;
    };
    const until = (token: number): number[] => {
      const end = tokens.indexOf(token, at);
      if (end === -1) throw badSequence(tokens.length, undefined, token);
      const inside = tokens.slice(at, end);
      at = end + 1;
      return inside;
    };
    expect(BOS);
    expect(TOOLS);
    const verbs = until(TOOLS_END).flatMap((token): Verb[] => {
      const verb = tokenVerb(token);
      return verb ? [verb] : [];
    });
    expect(TASK);
    let state = this.#memo.start(verbs, decodeText(until(TASK_END)));
    let open = false;
    while (at < tokens.length) {
      expect(OBSERVATION);
      let sha256: Sha256 | undefined;
      if (tokens[at] === IMAGE) {
        sha256 = images[image++];
        while (tokens[at] === IMAGE) at++;
      }
      state = this.#memo.observe(state, decodeText(until(OBSERVATION_END)), sha256);
      expect(ACT);
      const next = tokens.indexOf(OBSERVATION, at);
      const completion = tokens.slice(at, next === -1 ? undefined : next);
      open = completion.length === 0;
      if (!open) {
        decisions.push({ state, at, completion });
        state = this.#memo.act(state, completion);
      }
      at += completion.length;
    }
    return { decisions, end: state, open };
  }
}

function decodeText(tokens: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(tokens));
}

function badSequence(at: number, found: number | undefined, expected: number): ForgeError {
  return new ForgeError({
    boundary: "trainer",
    code: "bad_sequence",
    message: `token ${at} is ${found ?? "missing"} where the chat template has ${expected}`,
    advice: "Train the embedded policy only on sequences that were recorded from it.",
  });
}
