import type { ParameterSpec } from "./autodiff/parameters.ts";
import { ASKS_FEATURE, GLOBAL_FEATURES } from "./features-global.ts";
import { MARK_FEATURES } from "./features-marks.ts";
import {
  END_CLOSES_QUOTE,
  END_FEATURES,
  OPTION_FEATURES,
  OPTION_IS_NAMED,
  SPAN_FEATURES,
  SPAN_OPENS_UNUSED_QUOTE,
  WORD_FEATURES,
} from "./features-words.ts";
import { FORM_FEATURES, MIDDLE_FEATURE, OBJECT_FEATURE, REGION_FEATURES } from "./regions.ts";
import { ROLE_COUNT } from "./roles.ts";
import { DIRECTIONS, KEYS, MAX_SKIP, VERBS, type Verb } from "./tokens.ts";
import { WORD_BUCKETS } from "./words.ts";

/** Widths of the layers. */
export const WIDTH = {
  word: 24,
  context: 32,
  role: 8,
  mark: 48,
  global: 64,
  pointer: 32,
  span: 24,
  option: 16,
  vision: 24,
  /** Of a cell of the picture: what the convolutions make of it, and the form and colour of its region. */
  sight: 24 + REGION_FEATURES,
  /** … all but the colour. */
  form: 24 + FORM_FEATURES,
};

/** What marks are pointed at for, in the order of the pointer's columns. */
export const POINTING = ["click", "type_text", "select_option", "answer", "copy_text", "source"] as const;
export type Pointing = (typeof POINTING)[number];

const MARK_INPUT = WIDTH.role + 2 * WIDTH.word + MARK_FEATURES + WIDTH.context;
const GLOBAL_INPUT = WIDTH.context + 2 * WIDTH.mark + WIDTH.word + GLOBAL_FEATURES;

/** A dense layer's weight, scaled for its fan-in (He et al. 2015); gain 1 suits a layer without rectifier. */
function dense(rows: number, cols: number, gain = Math.SQRT2): ParameterSpec {
  return { rows, cols, init: { std: gain / Math.sqrt(rows) } };
}

function zeros(rows: number, cols: number): ParameterSpec {
  return { rows, cols, init: { value: 0 } };
}

/** Heads start small, so that the first choices are near uniform over what is legal. */
const HEAD_GAIN = 0.1;

/** Acting on what is shown is tried more often at first than leaving it or stopping. */
const VERB_BIAS: Partial<Record<Verb, number>> = {
  click: 1.5,
  click_at: 3,
  type_text: 1,
  select_option: 1,
};

/** Pointing starts at things rather than at the background, and at their middle rather than their edge. */
const OBJECT_PRIOR = Array.from({ length: WIDTH.form }, (_, i) => {
  if (i === WIDTH.vision + OBJECT_FEATURE) return 3;
  return i === WIDTH.vision + MIDDLE_FEATURE ? 1 : 0;
});

/**
 * Arguments start at what the instruction quotes or names. Which action, on which element and in which order is
 * left to be learnt, but without this a text of the right words would be typed once in hundreds of episodes.
 */
function lean(...rows: readonly number[]): NonNullable<ParameterSpec["lean"]> {
  return rows.map((row) => ({ row, column: 0, by: 3 }));
}

/** Every learned matrix. The order decides their place in a checkpoint. */
export const PARAMETERS = {
  wordTable: { rows: WORD_BUCKETS, cols: WIDTH.word, init: { std: 0.3 } },
  roleTable: { rows: ROLE_COUNT, cols: WIDTH.role, init: { std: 0.5 } },
  wordConv1: dense(3 * (WIDTH.word + WORD_FEATURES), WIDTH.context),
  wordConv1Bias: zeros(1, WIDTH.context),
  wordConv2: dense(3 * WIDTH.context, WIDTH.context),
  wordConv2Bias: zeros(1, WIDTH.context),
  matchQuery: dense(WIDTH.word, WIDTH.word, 1),
  matchKey: dense(WIDTH.context, WIDTH.word, 1),
  /** Weight of an exact match in the attention of marks to words. */
  matchWeight: { rows: 1, cols: 1, init: { value: 4 } },
  markIn: dense(MARK_INPUT, WIDTH.mark),
  markInBias: zeros(1, WIDTH.mark),
  markConv: dense(3 * WIDTH.mark, WIDTH.mark),
  markConvBias: zeros(1, WIDTH.mark),
  globalIn: dense(GLOBAL_INPUT, WIDTH.global),
  globalInBias: zeros(1, WIDTH.global),
  verbHead: {
    ...dense(WIDTH.global + GLOBAL_FEATURES, VERBS.length, HEAD_GAIN),
    lean: [{ row: WIDTH.global + ASKS_FEATURE, column: VERBS.indexOf("answer"), by: 2 }],
  },
  verbHeadBias: { rows: 1, cols: VERBS.length, init: { values: VERBS.map((verb) => VERB_BIAS[verb] ?? 0) } },
  pointerMark: dense(WIDTH.mark, WIDTH.pointer),
  pointerGlobal: dense(WIDTH.global, WIDTH.pointer),
  pointerBias: zeros(1, WIDTH.pointer),
  pointerHead: dense(WIDTH.pointer + MARK_FEATURES, POINTING.length, HEAD_GAIN),
  spanWord: dense(WIDTH.context + SPAN_FEATURES, WIDTH.span),
  spanMark: dense(WIDTH.mark, WIDTH.span),
  spanBias: zeros(1, WIDTH.span),
  spanHead: {
    ...dense(WIDTH.span + SPAN_FEATURES, 1, HEAD_GAIN),
    lean: lean(WIDTH.span + SPAN_OPENS_UNUSED_QUOTE),
  },
  endHead: {
    ...dense(WIDTH.context + END_FEATURES, 1, HEAD_GAIN),
    lean: lean(WIDTH.context + END_CLOSES_QUOTE),
  },
  submitHead: dense(WIDTH.mark + WIDTH.global, 2, HEAD_GAIN),
  submitBias: zeros(1, 2),
  optionLabel: dense(WIDTH.word + OPTION_FEATURES, WIDTH.option),
  optionMark: dense(WIDTH.mark, WIDTH.option),
  optionBias: zeros(1, WIDTH.option),
  optionHead: {
    ...dense(WIDTH.option + OPTION_FEATURES, 1, HEAD_GAIN),
    lean: lean(WIDTH.option + OPTION_IS_NAMED),
  },
  skipWords: dense(2 * WIDTH.word + MAX_SKIP + 1, WIDTH.option),
  skipBias: zeros(1, WIDTH.option),
  skipHead: dense(WIDTH.option, 1, HEAD_GAIN),
  keyHead: dense(WIDTH.global, KEYS.length, HEAD_GAIN),
  keyBias: zeros(1, KEYS.length),
  directionHead: dense(WIDTH.global, DIRECTIONS.length, HEAD_GAIN),
  directionBias: zeros(1, DIRECTIONS.length),
  acceptHead: dense(WIDTH.global, 2, HEAD_GAIN),
  acceptBias: zeros(1, 2),
  visionConv1: dense(3 * 3 * 3, 16),
  visionConv1Bias: zeros(1, 16),
  visionConv2: dense(3 * 3 * 16, WIDTH.vision),
  visionConv2Bias: zeros(1, WIDTH.vision),
  visionConv3: dense(3 * 3 * WIDTH.vision, WIDTH.vision),
  visionConv3Bias: zeros(1, WIDTH.vision),
  /** What a word looks like; zero until it is learnt. */
  visionWords: zeros(WORD_BUCKETS, WIDTH.sight),
  /** Any target, whatever it is called. */
  visionObject: { rows: WIDTH.form, cols: 1, init: { values: OBJECT_PRIOR } },
  visionGain: dense(WIDTH.global, WIDTH.form, 1),
  visionGainBias: zeros(1, WIDTH.form),
  visionShift: dense(WIDTH.global, WIDTH.form, 1),
  visionShiftBias: zeros(1, WIDTH.form),
  visionMix: dense(WIDTH.form, WIDTH.vision),
  visionMixBias: zeros(1, WIDTH.vision),
  visionHead: dense(WIDTH.vision, 1, HEAD_GAIN),
} satisfies Record<string, ParameterSpec>;

export type ParameterName = keyof typeof PARAMETERS;
