import type { CallRole, CallTokens, PromptImage } from "@openforgerl/contracts/call";
import type { TrainingSequence } from "@openforgerl/contracts/sequence";
import type { ChainBreak, SessionReport } from "@openforgerl/contracts/session";
import { TokenTrie } from "./token-trie.ts";

/** A complete call, as chaining sees it. */
export interface ChainCall {
  id: string;
  role: CallRole;
  policyVersion: string | null;
  tokens: CallTokens;
}

/** Where a call stands among the calls before it; the numbers count `CallForest.add`s from 0. */
export interface Placement {
  /** The call whose prompt and completion are the longest prefix of this prompt; -1 for a root. */
  parent: number;
  /** The latest call that shares the longest prefix with this prompt; -1 where none shares a token. */
  nearest: number;
  /** Length of that prefix. */
  shared: number;
}

interface Member extends Placement {
  id: string;
  promptLength: number;
  length: number;
  /** Prompt and completion, images told apart by content. */
  symbols: Int32Array;
}

/**
 * The forest of a session's complete calls by exact token prefix, built one call at a time in the order in
 * which the calls ended (a call can only continue what had ended before it began).
 *
 * Placeholder tokens are the same whatever the image, so the first placeholder of each image is replaced by
 * a symbol for its content: two prompts with different screenshots never pass for the same prefix.
 */
export class CallForest {
  readonly #trie = new TokenTrie();
  readonly #members: Member[] = [];
  readonly #imageSymbols = new Map<string, number>();
  readonly #breaks: ChainBreak[] = [];
  #promptTokensAdded = 0;
  #sampledTokens = 0;

  get size(): number {
    return this.#members.length;
  }

  /** Prompt and completion of an earlier call are its first `length` symbols; images are negative. */
  add(call: Pick<ChainCall, "id" | "tokens">): Placement {
    const { prompt, sampled, images } = call.tokens;
    const symbols = new Int32Array(prompt.length + sampled.length);
    symbols.set(prompt, 0);
    symbols.set(sampled, prompt.length);
    for (const image of images) symbols[image.offset] = this.#imageSymbol(image, prompt[image.offset]!);
    const { shared, nearest, parent } = this.#trie.match(symbols, prompt.length);
    const placement: Placement = { parent, nearest: shared === 0 ? -1 : nearest, shared };
    const inherited = this.#members[parent]?.length ?? 0;
    this.#promptTokensAdded += prompt.length - inherited;
    this.#sampledTokens += sampled.length;
    this.#noteBreak(call.id, placement, prompt.length, inherited);
    this.#trie.add(symbols, this.#members.length);
    this.#members.push({
      ...placement,
      id: call.id,
      promptLength: prompt.length,
      length: symbols.length,
      symbols,
    });
    return placement;
  }

  /** Numbers of the calls from the root to this one. */
  path(index: number): number[] {
    const path: number[] = [];
    for (let at = index; at !== -1; at = this.#members[at]!.parent) path.push(at);
    return path.reverse();
  }

  /** The calls that no other call continues, in order. */
  leaves(): number[] {
    const continued = new Set(this.#members.map((member) => member.parent));
    return [...this.#members.keys()].filter((index) => !continued.has(index));
  }

  /** @param all what every call of the session adds to the sums, incomplete calls included. */
  report(all: { calls: number; promptTokensTotal: number }): SessionReport {
    const sequences = this.leaves().length;
    return {
      calls: all.calls,
      completeCalls: this.#members.length,
      sequences,
      mergeRatio: sequences === 0 ? 0 : this.#members.length / sequences,
      sampledTokens: this.#sampledTokens,
      // Every call lies on the path to at least one leaf, and only its first path trains it.
      deliveredTokens: this.#sampledTokens,
      promptTokensAdded: this.#promptTokensAdded,
      promptTokensTotal: all.promptTokensTotal,
      breaks: [...this.#breaks],
    };
  }

  #imageSymbol(image: PromptImage, placeholder: number): number {
    const key = `${image.content.sha256}/${image.length}/${placeholder}`;
    let symbol = this.#imageSymbols.get(key);
    if (symbol === undefined) {
      symbol = -1 - this.#imageSymbols.size;
      this.#imageSymbols.set(key, symbol);
    }
    return symbol;
  }

  /** A chain broke where a call shares more with an earlier call than with the one it continues. */
  #noteBreak(callId: string, { nearest, shared }: Placement, promptLength: number, inherited: number): void {
    const near = this.#members[nearest];
    if (near === undefined || shared <= inherited || shared >= promptLength || shared >= near.length) return;
    const sampled = this.path(nearest).some((index) => {
      const member = this.#members[index]!;
      return shared >= member.promptLength && shared < member.length;
    });
    this.#breaks.push({
      callId,
      nearestCallId: near.id,
      at: shared,
      author: sampled ? "model" : "harness",
    });
  }
}

/**
 * The training sequences of a session: one for each root-to-leaf path of the forest of its complete calls.
 * Over all of them every sampled token has mask 1 exactly once (in the first path that holds it).
 * @param calls complete calls, in the order in which they ended.
 */
export function trainingSequences(sessionId: string, calls: readonly ChainCall[]): TrainingSequence[] {
  const forest = new CallForest();
  for (const call of calls) forest.add(call);
  const delivered = new Set<number>();
  return forest.leaves().map((leaf) => {
    const { tokens, role } = calls[leaf]!;
    const length = tokens.prompt.length + tokens.sampled.length;
    const mask = new Array<0 | 1>(length).fill(0);
    const logprobs = new Array<number>(length).fill(0);
    const spans: TrainingSequence["spans"] = [];
    for (const index of forest.path(leaf)) {
      const call = calls[index]!;
      const start = call.tokens.prompt.length;
      const end = start + call.tokens.sampled.length;
      const trained = !delivered.has(index);
      delivered.add(index);
      if (start === end) continue;
      spans.push({ callId: call.id, start, end, trained, policyVersion: call.policyVersion });
      if (!trained) continue;
      mask.fill(1, start, end);
      for (const [offset, logprob] of call.tokens.logprobs.entries()) logprobs[start + offset] = logprob;
    }
    return {
      schemaVersion: 1,
      sessionId,
      role,
      tokens: [...tokens.prompt, ...tokens.sampled],
      mask,
      logprobs,
      images: [...tokens.images],
      spans,
    };
  });
}
