import { conv1d } from "./autodiff/convolution.ts";
import { add, addScaled, gelu, linear, matmul, matmulTransposed, scale, softCap } from "./autodiff/dense.ts";
import type { Parameters } from "./autodiff/parameters.ts";
import { logSumExpCols, maskedLogMeanExp, maskedLogSoftmax, softmaxRows } from "./autodiff/probability.ts";
import { bagMean, column, concatCols, gatherRows, maxRows, meanRows, sliceRows } from "./autodiff/rows.ts";
import type { Tape, Tensor } from "./autodiff/tape.ts";
import type { EpisodeState } from "./episode.ts";
import { type DecisionFeatures, featuresOf } from "./features.ts";
import { GLOBAL_FEATURES } from "./features-global.ts";
import { MARK_FEATURES } from "./features-marks.ts";
import {
  END_FEATURES,
  editableRank,
  endFeatures,
  OPTION_FEATURES,
  optionFeatures,
  SPAN_FEATURES,
  spanFeatures,
  WORD_FEATURES,
} from "./features-words.ts";
import {
  answerTable,
  legalMarks,
  legalOptions,
  legalSources,
  legalVerbs,
  markText,
  NO_MARK,
  SLOTS,
} from "./grammar.ts";
import { type ParameterName, POINTING, type Pointing, WIDTH } from "./policy-parameters.ts";
import { MAX_WORDS, VERBS, type Verb, X_BINS, Y_BINS } from "./tokens.ts";
import { visionScores } from "./vision.ts";
import { wordBucket, wordTexts } from "./words.ts";

type Weights = Parameters<ParameterName>["tensors"];

/**
 * Logits of verbs and pointers stay within this of zero. A choice that was never right so far keeps a
 * probability from which the entropy bonus can bring it back, when a new kind of task needs it.
 */
const LOGIT_LIMIT = 3.5;

/** The distribution of one token: log-probabilities by choice, -Infinity where the grammar forbids it. */
export interface SlotDistribution {
  logprobs: Tensor;
}

interface Encoding {
  features: DecisionFeatures;
  /** words x context. */
  context: Tensor;
  /** marks x mark; undefined when the observation has none. */
  marks: Tensor | undefined;
  /** 1 x global. */
  state: Tensor;
  global: Tensor;
}

/**
 * One decision of the policy as a graph that grows as it is asked: the distribution of each token given the
 * ones before it. Distributions are made once and shared by all completions of the same prompt.
 */
export class Decision {
  readonly state: EpisodeState;
  readonly #tape: Tape;
  readonly #weights: Weights;
  readonly #trunk: Tensor | undefined;
  readonly #slots = new Map<string, SlotDistribution>();
  #encoding: Encoding | undefined;
  #scores: Tensor | undefined;
  #sight: Tensor | undefined;

  /** @param trunk features of the newest screenshot; needed where click_at is offered. */
  constructor(tape: Tape, weights: Weights, state: EpisodeState, trunk: Tensor | undefined) {
    this.#tape = tape;
    this.#weights = weights;
    this.state = state;
    this.#trunk = trunk;
  }

  /** The distribution of the verb. */
  verb(): SlotDistribution {
    return this.#memo("", () => {
      const legal = legalVerbs(this.state);
      if (legal.reduce((sum, bit) => sum + bit, 0) === 1) {
        return maskedLogSoftmax(this.#tape, this.#tape.zeros(1, VERBS.length), legal);
      }
      return maskedLogSoftmax(this.#tape, softCap(this.#tape, this.#verbLogits(legal), LOGIT_LIMIT), legal);
    });
  }

  /** The distribution of the next argument of a verb, after the choices so far; undefined when it has no more. */
  argument(verb: Verb, choices: readonly number[]): SlotDistribution | undefined {
    const slot = SLOTS[verb][choices.length];
    if (slot === undefined) return undefined;
    return this.#memo(`${verb} ${choices.join(" ")}`, () => {
      const [mark = 0, first = 0] = choices;
      switch (slot) {
        case "mark":
          return this.#markLogprobs(verb as Pointing, this.#markFlags(verb));
        case "source":
          return this.#markLogprobs("source", padFlags(legalSources(this.state)));
        case "skip":
          return this.#skipLogprobs(mark);
        case "start":
          return this.#startLogprobs(mark);
        case "end":
          return this.#endLogprobs(first);
        case "option":
          return this.#optionLogprobs(mark);
        case "x":
          return this.#softmax(logSumExpCols(this.#tape, this.#sightMap()));
        case "y":
          return this.#softmax(column(this.#tape, this.#sightMap(), mark));
        case "submit": {
          const input = concatCols(this.#tape, [this.#markRow(mark), this.#encode().state]);
          return this.#softmax(linear(this.#tape, input, this.#weights.submitHead, this.#weights.submitBias));
        }
        case "key":
          return this.#choice(this.#weights.keyHead, this.#weights.keyBias);
        case "direction":
          return this.#choice(this.#weights.directionHead, this.#weights.directionBias);
        default:
          return this.#choice(this.#weights.acceptHead, this.#weights.acceptBias);
      }
    });
  }

  #memo(key: string, make: () => Tensor): SlotDistribution {
    let slot = this.#slots.get(key);
    if (!slot) {
      slot = { logprobs: make() };
      this.#slots.set(key, slot);
    }
    return slot;
  }

  #encode(): Encoding {
    this.#encoding ??= encode(this.#tape, this.#weights, featuresOf(this.state));
    return this.#encoding;
  }

  /**
   * The verb's own logits, plus for verbs that point the log of the mean of their pointer's exponentials: a
   * target that fits speaks for the verb that would use it.
   */
  #verbLogits(legal: Uint8Array): Tensor {
    const tape = this.#tape;
    const { state, global } = this.#encode();
    const own = linear(
      tape,
      concatCols(tape, [state, global]),
      this.#weights.verbHead,
      this.#weights.verbHeadBias,
    );
    const zero = tape.zeros(1, 1);
    const drawn = VERBS.map((verb, v) => {
      if (!legal[v]) return zero;
      const pointing = POINTING.indexOf(verb as Pointing);
      if (pointing !== -1 && this.#encode().marks) {
        const marks = legalMarks(this.state, verb).subarray(0, -1);
        return maskedLogMeanExp(tape, column(tape, this.#pointerScores(), pointing), marks);
      }
      if (verb !== "click_at") return zero;
      const map = this.#sightMap();
      return maskedLogMeanExp(tape, map, new Uint8Array(map.data.length).fill(1));
    });
    return add(tape, own, concatCols(tape, drawn));
  }

  #pointerScores(): Tensor {
    if (!this.#scores) {
      const tape = this.#tape;
      const { marks, state, features } = this.#encode();
      const weights = this.#weights;
      const drive = linear(tape, state, weights.pointerGlobal, weights.pointerBias);
      const hidden = gelu(tape, add(tape, matmul(tape, marks!, weights.pointerMark), drive));
      const facts = tape.constant(marks!.rows, MARK_FEATURES, features.marks.facts);
      const raw = matmul(tape, concatCols(tape, [hidden, facts]), weights.pointerHead);
      this.#scores = softCap(tape, raw, LOGIT_LIMIT);
    }
    return this.#scores;
  }

  /** Legal choices of the mark slot, "no mark" last. */
  #markFlags(verb: Verb): Uint8Array {
    const marks = legalMarks(this.state, verb);
    const legal = padFlags(marks.subarray(0, -1));
    legal[NO_MARK] = marks.at(-1)!;
    return legal;
  }

  /** Over MAX_MARKS + 1 choices, so that a choice is the token's offset. */
  #markLogprobs(purpose: Pointing, legal: Uint8Array): Tensor {
    const tape = this.#tape;
    if (!this.#encode().marks) return maskedLogSoftmax(tape, tape.zeros(1, legal.length), legal);
    const scores = column(tape, this.#pointerScores(), POINTING.indexOf(purpose));
    return maskedLogSoftmax(tape, padded(tape, scores, legal.length), legal);
  }

  /** How many words an answer leaves out: each candidate by the last word left out and the first word kept. */
  #skipLogprobs(mark: number): Tensor {
    const tape = this.#tape;
    const weights = this.#weights;
    const answers = answerTable(this.state)[mark]!;
    const words = wordTexts(markText(this.state.observation!.marks[mark]!)).map(wordBucket);
    const word = (i: number) => (words[i] === undefined ? [] : [words[i]]);
    const kept = answers.map((_, skip) => word(skip));
    const left = answers.map((_, skip) => word(skip - 1));
    const place = answers.flatMap((_, skip) => answers.map((_, i) => (i === skip ? 1 : 0)));
    const input = concatCols(tape, [
      bagMean(tape, weights.wordTable, kept),
      bagMean(tape, weights.wordTable, left),
      tape.constant(answers.length, answers.length, place),
    ]);
    const hidden = gelu(tape, linear(tape, input, weights.skipWords, weights.skipBias));
    const legal = answers.map((text) => (text === undefined ? 0 : 1));
    return maskedLogSoftmax(tape, matmul(tape, hidden, weights.skipHead), legal);
  }

  #startLogprobs(mark: number): Tensor {
    const tape = this.#tape;
    const weights = this.#weights;
    const { context, features } = this.#encode();
    const { instruction, observation } = this.state;
    const rank = editableRank(features.marks, mark);
    const facts = tape.constant(
      context.rows,
      SPAN_FEATURES,
      spanFeatures(this.state, observation?.marks[mark], rank),
    );
    const words = linear(tape, concatCols(tape, [context, facts]), weights.spanWord, weights.spanBias);
    const hidden = gelu(tape, add(tape, words, matmul(tape, this.#markRow(mark), weights.spanMark)));
    const scores = matmul(tape, concatCols(tape, [hidden, facts]), weights.spanHead);
    const legal = new Uint8Array(MAX_WORDS);
    instruction.spans.forEach((lasts, i) => {
      legal[i] = lasts.length > 0 ? 1 : 0;
    });
    return maskedLogSoftmax(tape, padded(tape, scores, MAX_WORDS), legal);
  }

  #endLogprobs(first: number): Tensor {
    const tape = this.#tape;
    const { context } = this.#encode();
    const facts = tape.constant(context.rows, END_FEATURES, endFeatures(this.state, first));
    const scores = matmul(tape, concatCols(tape, [context, facts]), this.#weights.endHead);
    const legal = new Uint8Array(MAX_WORDS);
    for (const last of this.state.instruction.spans[first] ?? []) legal[last] = 1;
    return maskedLogSoftmax(tape, padded(tape, scores, MAX_WORDS), legal);
  }

  #optionLogprobs(index: number): Tensor {
    const tape = this.#tape;
    const weights = this.#weights;
    const mark = this.state.observation!.marks[index]!;
    const { labels, facts: numbers } = optionFeatures(this.state, mark);
    const facts = tape.constant(labels.length, OPTION_FEATURES, numbers);
    const names = concatCols(tape, [bagMean(tape, weights.wordTable, labels), facts]);
    const words = linear(tape, names, weights.optionLabel, weights.optionBias);
    const hidden = gelu(tape, add(tape, words, matmul(tape, this.#markRow(index), weights.optionMark)));
    const scores = matmul(tape, concatCols(tape, [hidden, facts]), weights.optionHead);
    return maskedLogSoftmax(tape, scores, legalOptions(mark.options));
  }

  #sightMap(): Tensor {
    if (!this.#sight) {
      const { features, state } = this.#encode();
      const scores = visionScores(this.#tape, this.#weights, this.#trunk!, features.contentBuckets, state);
      this.#sight = { ...scores, rows: Y_BINS, cols: X_BINS };
    }
    return this.#sight;
  }

  #markRow(mark: number): Tensor {
    const { marks } = this.#encode();
    return marks && mark < marks.rows ? sliceRows(marks, mark, mark + 1) : this.#tape.zeros(1, WIDTH.mark);
  }

  #choice(weight: Tensor, bias: Tensor): Tensor {
    return this.#softmax(linear(this.#tape, this.#encode().state, weight, bias));
  }

  #softmax(logits: Tensor): Tensor {
    return maskedLogSoftmax(this.#tape, logits, new Uint8Array(logits.data.length).fill(1));
  }
}

function encode(tape: Tape, weights: Weights, features: DecisionFeatures): Encoding {
  const count = features.wordBuckets.length;
  const words = concatCols(tape, [
    gatherRows(tape, weights.wordTable, features.wordBuckets),
    tape.constant(count, WORD_FEATURES, features.words),
  ]);
  const near = gelu(tape, conv1d(tape, words, weights.wordConv1, weights.wordConv1Bias));
  const context = add(tape, near, gelu(tape, conv1d(tape, near, weights.wordConv2, weights.wordConv2Bias)));
  const marks = features.marks.roles.length > 0 ? encodeMarks(tape, weights, features, context) : undefined;
  const global = tape.constant(1, GLOBAL_FEATURES, features.global);
  const pooled = marks ? [meanRows(tape, marks), maxRows(tape, marks)] : [tape.zeros(1, 2 * WIDTH.mark)];
  const input = concatCols(tape, [
    meanRows(tape, context),
    ...pooled,
    bagMean(tape, weights.wordTable, [features.title]),
    global,
  ]);
  const state = gelu(tape, linear(tape, input, weights.globalIn, weights.globalInBias));
  return { features, context, marks, state, global };
}

/** Each mark with the words of the instruction that it attends to, then with its neighbours in the list. */
function encodeMarks(tape: Tape, weights: Weights, features: DecisionFeatures, context: Tensor): Tensor {
  const { roles, names, values, facts, matches } = features.marks;
  const count = roles.length;
  const name = bagMean(tape, weights.wordTable, names);
  const similarity = matmulTransposed(
    tape,
    matmul(tape, name, weights.matchQuery),
    matmul(tape, context, weights.matchKey),
  );
  const match = tape.constant(count, context.rows, matches);
  const attention = softmaxRows(
    tape,
    addScaled(tape, scale(tape, similarity, 1 / Math.sqrt(WIDTH.word)), match, weights.matchWeight),
  );
  const input = concatCols(tape, [
    gatherRows(tape, weights.roleTable, roles),
    name,
    bagMean(tape, weights.wordTable, values),
    tape.constant(count, MARK_FEATURES, facts),
    matmul(tape, attention, context),
  ]);
  const own = gelu(tape, linear(tape, input, weights.markIn, weights.markInBias));
  return add(tape, own, gelu(tape, conv1d(tape, own, weights.markConv, weights.markConvBias)));
}

/** Flags of marks as flags of the mark slot. */
function padFlags(marks: Uint8Array): Uint8Array {
  const legal = new Uint8Array(NO_MARK + 1);
  legal.set(marks);
  return legal;
}

/** A vector made longer with zeros. */
function padded(tape: Tape, x: Tensor, length: number): Tensor {
  const row = { ...x, rows: 1, cols: x.data.length };
  if (row.cols === length) return row;
  return concatCols(tape, [row, tape.zeros(1, length - row.cols)]);
}
