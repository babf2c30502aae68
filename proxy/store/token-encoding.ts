import type { CallTokens, PromptImage } from "@openforgerl/contracts/call";
import { CallForest } from "../chaining.ts";
import type { TokenBlock } from "./journal-format.ts";
import { decodeFloats, decodeInts, encodeFloats, encodeInts } from "./numbers.ts";

/** Writes the tokens of a session's calls, each relative to the earlier call it shares most with. */
export class TokenEncoder {
  readonly forest = new CallForest();
  readonly #images: (readonly PromptImage[])[] = [];

  encode(id: string, tokens: CallTokens): TokenBlock {
    const { nearest, shared } = this.forest.add({ id, tokens });
    const inherited = (this.#images[nearest] ?? []).filter(({ offset }) => offset < shared);
    this.#images.push(tokens.images);
    const sameHead = JSON.stringify(inherited) === JSON.stringify(tokens.images.slice(0, inherited.length));
    const added = tokens.images.slice(inherited.length);
    const images = sameHead ? (added.length === 0 ? {} : { i: added }) : { a: [...tokens.images] };
    return {
      n: nearest,
      k: shared,
      p: encodeInts(tokens.prompt.slice(shared)),
      c: encodeInts(tokens.sampled),
      l: encodeFloats(tokens.logprobs),
      ...images,
    };
  }
}

/** Reads token blocks in the order in which they were written. */
export class TokenDecoder {
  readonly #earlier: CallTokens[] = [];

  decode(block: TokenBlock): CallTokens {
    const near = this.#earlier[block.n];
    const head = near === undefined ? [] : near.prompt.slice(0, block.k);
    if (near !== undefined && head.length < block.k) {
      head.push(...near.sampled.slice(0, block.k - head.length));
    }
    const inherited = (near?.images ?? []).filter(({ offset }) => offset < block.k);
    const tokens: CallTokens = {
      prompt: head.concat(decodeInts(block.p)),
      sampled: decodeInts(block.c),
      logprobs: decodeFloats(block.l),
      images: block.a ?? [...inherited, ...(block.i ?? [])],
    };
    this.#earlier.push(tokens);
    return tokens;
  }
}
