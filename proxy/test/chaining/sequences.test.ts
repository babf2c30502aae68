import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CallForest, type ChainCall, trainingSequences } from "../../chaining.ts";

interface Shape {
  /** Which earlier call is continued; beyond the calls there are, none. */
  from: number;
  /** Tokens of that call's sequence that are kept; beyond it, all. */
  keep: number;
  added: number[];
  sampled: number[];
  image: boolean;
}

/** A small alphabet, so that prefixes are shared by chance too. */
const token = fc.integer({ min: 0, max: 3 });
const shapes = fc.array(
  fc.record<Shape>({
    from: fc.nat(12),
    keep: fc.oneof(fc.constant(1e6), fc.nat(20)),
    added: fc.array(token, { minLength: 1, maxLength: 5 }),
    sampled: fc.array(token, { maxLength: 4 }),
    image: fc.boolean(),
  }),
  { maxLength: 14 },
);

function build(list: Shape[]): ChainCall[] {
  const calls: ChainCall[] = [];
  for (const [index, shape] of list.entries()) {
    const near = calls[shape.from];
    const whole = near === undefined ? [] : [...near.tokens.prompt, ...near.tokens.sampled];
    const head = whole.slice(0, shape.keep);
    const images = (near?.tokens.images ?? []).filter(({ offset, length }) => offset + length <= head.length);
    const prompt = [...head, ...shape.added];
    if (shape.image) {
      const content = { sha256: String(index % 2).repeat(64), size: 1, mediaType: "image/png" };
      images.push({ content, offset: prompt.length, length: 2 });
      prompt.push(9, 9);
    }
    const logprobs = shape.sampled.map((_, at) => -(index + 1) - at / 10);
    calls.push({
      id: `call${index}`,
      role: "agent",
      policyVersion: String(index),
      tokens: { prompt, sampled: shape.sampled, logprobs, images },
    });
  }
  return calls;
}

/** What a model that was asked this could see: tokens, and images by content. */
function symbols({ tokens }: ChainCall): string[] {
  const list = [...tokens.prompt, ...tokens.sampled].map(String);
  for (const { offset, content, length } of tokens.images) list[offset] = `${content.sha256}/${length}`;
  return list;
}

/** The definition, taken literally. */
function naiveParent(calls: ChainCall[], index: number): number {
  const prompt = symbols(calls[index]!).slice(0, calls[index]!.tokens.prompt.length);
  let best = -1;
  let length = -1;
  for (let other = 0; other < index; other++) {
    const whole = symbols(calls[other]!);
    const isPrefix = whole.length <= prompt.length && whole.every((symbol, at) => symbol === prompt[at]);
    if (isPrefix && whole.length >= length) [best, length] = [other, whole.length];
  }
  return best;
}

describe("over arbitrary forests of calls", () => {
  test("every sampled token is trained exactly once, and no other token is", () => {
    fc.assert(
      fc.property(shapes, (list) => {
        const calls = build(list);
        const sequences = trainingSequences("s", calls);
        const trained = new Map<string, number[]>();
        for (const sequence of sequences) {
          const sampledAt = new Set<number>();
          for (const span of sequence.spans) {
            const call = calls.find(({ id }) => id === span.callId)!;
            expect(sequence.tokens.slice(span.start, span.end)).toEqual(call.tokens.sampled);
            // The model sampled it behind exactly these tokens.
            expect(sequence.tokens.slice(0, span.start)).toEqual(call.tokens.prompt);
            for (let at = span.start; at < span.end; at++) {
              if (!span.trained) continue;
              sampledAt.add(at);
              expect(sequence.logprobs[at]).toBe(call.tokens.logprobs[at - span.start]);
              trained.set(call.id, [...(trained.get(call.id) ?? []), at - span.start]);
            }
          }
          expect(sequence.mask).toEqual(sequence.tokens.map((_, at) => (sampledAt.has(at) ? 1 : 0)));
          expect(sequence.logprobs.filter((_, at) => !sampledAt.has(at)).every((value) => value === 0)).toBe(
            true,
          );
        }
        for (const { id, tokens } of calls) {
          expect(trained.get(id) ?? []).toEqual([...tokens.sampled.keys()]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("parents are those of the literal definition", () => {
    fc.assert(
      fc.property(shapes, (list) => {
        const calls = build(list);
        const forest = new CallForest();
        for (const [index, call] of calls.entries()) {
          expect(forest.add(call).parent).toBe(naiveParent(calls, index));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("images of a sequence stand where its tokens say", () => {
    fc.assert(
      fc.property(shapes, (list) => {
        for (const sequence of trainingSequences("s", build(list))) {
          for (const { offset, length } of sequence.images) {
            expect(sequence.tokens.slice(offset, offset + length)).toEqual([9, 9]);
          }
        }
      }),
    );
  });

  test("the report counts what the sequences hold", () => {
    fc.assert(
      fc.property(shapes, (list) => {
        const calls = build(list);
        const forest = new CallForest();
        for (const call of calls) forest.add(call);
        const report = forest.report({ calls: calls.length, promptTokensTotal: 0 });
        const sequences = trainingSequences("s", calls);
        expect(report.sequences).toBe(sequences.length);
        expect(report.deliveredTokens).toBe(
          sequences.reduce((sum, { mask }) => sum + mask.reduce<number>((ones, bit) => ones + bit, 0), 0),
        );
        // Each token of a root-to-leaf path is sampled once or added by one prompt.
        expect(report.promptTokensAdded).toBe(
          calls.reduce((sum, { tokens }, index) => {
            const parent = calls[naiveParent(calls, index)]?.tokens;
            return sum + tokens.prompt.length - (parent ? parent.prompt.length + parent.sampled.length : 0);
          }, 0),
        );
      }),
    );
  });
});

function call(id: string, prompt: number[], sampled: number[], image?: string): ChainCall {
  const images =
    image === undefined
      ? []
      : [
          {
            content: { sha256: image.repeat(64), size: 1, mediaType: "image/png" },
            offset: 1,
            length: 2,
          },
        ];
  const logprobs = sampled.map(() => -1);
  return { id, role: "agent", policyVersion: null, tokens: { prompt, sampled, logprobs, images } };
}

function breaksOf(...calls: ChainCall[]): unknown[] {
  const forest = new CallForest();
  for (const one of calls) forest.add(one);
  return forest.report({ calls: calls.length, promptTokensTotal: 0 }).breaks;
}

describe("chains of a harness", () => {
  test("an append-only conversation is one sequence without breaks", () => {
    const calls = [call("a", [1, 2], [3]), call("b", [1, 2, 3, 4], [5]), call("c", [1, 2, 3, 4, 5, 6], [7])];
    expect(trainingSequences("s", calls)).toMatchObject([{ mask: [0, 0, 1, 0, 1, 0, 1] }]);
    expect(breaksOf(...calls)).toEqual([]);
  });

  test("retries of one prompt are branches; the one that was continued carries the chain", () => {
    const calls = [call("a", [1], [2]), call("b", [1], [3]), call("c", [1, 3, 4], [5])];
    expect(trainingSequences("s", calls).map(({ tokens }) => tokens)).toEqual([
      [1, 2],
      [1, 3, 4, 5],
    ]);
    expect(breaksOf(...calls)).toEqual([]);
  });

  test("two branches of one call train its tokens once", () => {
    const calls = [call("a", [1], [2]), call("b", [1, 2, 3], [4]), call("c", [1, 2, 5], [6])];
    const [first, second] = trainingSequences("s", calls);
    expect(first?.mask).toEqual([0, 1, 0, 1]);
    expect(second?.mask).toEqual([0, 0, 0, 1]);
    expect(second?.spans.map(({ trained }) => trained)).toEqual([false, true]);
  });

  test("a model's text that comes back in other tokens breaks the chain, and it is the model's", () => {
    expect(breaksOf(call("a", [1, 2], [3, 4]), call("b", [1, 2, 3, 9, 5], [6]))).toEqual([
      { callId: "b", nearestCallId: "a", at: 3, author: "model" },
    ]);
  });

  test("history that the harness rewrote breaks the chain, and it is the harness's", () => {
    expect(breaksOf(call("a", [1, 2], [3]), call("b", [1, 9, 3, 4], [6]))).toEqual([
      { callId: "b", nearestCallId: "a", at: 1, author: "harness" },
    ]);
  });

  test("the same placeholders with another image are another prompt", () => {
    const calls = [call("a", [1, 9, 9], [3], "a"), call("b", [1, 9, 9, 3, 4], [5], "b")];
    expect(trainingSequences("s", calls)).toHaveLength(2);
    expect(breaksOf(...calls)).toMatchObject([{ callId: "b", at: 1 }]);
  });

  test("a session of 400 turns is chained without looking at each pair", () => {
    const calls: ChainCall[] = [];
    let prompt = [1];
    for (let turn = 0; turn < 400; turn++) {
      calls.push(call(`c${turn}`, prompt, [turn, 7]));
      prompt = [...prompt, turn, 7, 8, 8];
    }
    const [only, ...others] = trainingSequences("s", calls);
    expect(others).toEqual([]);
    expect(only?.spans).toHaveLength(400);
  });
});
