import { conv2d, convolvedShape } from "./autodiff/convolution.ts";
import { add, linear, matmul, matmulTransposed, modulate, relu, scale } from "./autodiff/dense.ts";
import type { Parameters } from "./autodiff/parameters.ts";
import { bagMean, concatCols, sliceCols } from "./autodiff/rows.ts";
import type { Tape, Tensor } from "./autodiff/tape.ts";
import type { SeenImage } from "./images.ts";
import { type ParameterName, WIDTH } from "./policy-parameters.ts";
import { REGION_FEATURES } from "./regions.ts";

type Weights = Parameters<ParameterName>["tensors"];

/** What the policy sees of a screenshot, in pixels. */
export const SIGHT = { width: 96, height: 72 } as const;

const STEM = { kernel: 3, stride: 2, padding: 1 };
const GRID = { kernel: 3, stride: 3, padding: 0 };
const SMOOTH = { kernel: 3, stride: 1, padding: 1 };
const STEM_SHAPE = convolvedShape(SIGHT, STEM.kernel, STEM.stride, STEM.padding);
const GRID_SHAPE = convolvedShape(STEM_SHAPE, GRID.kernel, GRID.stride, GRID.padding);

/**
 * Features of a screenshot that do not depend on the task: (Y_BINS * X_BINS) x WIDTH.sight, one row a cell of
 * the pointing grid.
 */
export function visionTrunk(
  tape: Tape,
  weights: Weights,
  seen: Pick<SeenImage, "pixels" | "regions">,
): Tensor {
  const pixels = tape.zeros(SIGHT.width * SIGHT.height, 3);
  for (let i = 0; i < seen.pixels.length; i++) pixels.data[i] = seen.pixels[i]! / 127.5 - 1;
  const stem = relu(tape, conv2d(tape, pixels, SIGHT, weights.visionConv1, weights.visionConv1Bias, STEM));
  const grid = relu(tape, conv2d(tape, stem, STEM_SHAPE, weights.visionConv2, weights.visionConv2Bias, GRID));
  const smooth = conv2d(tape, grid, GRID_SHAPE, weights.visionConv3, weights.visionConv3Bias, SMOOTH);
  const conv = add(tape, grid, relu(tape, smooth));
  const regions = tape.constant(conv.rows, REGION_FEATURES, seen.regions);
  return concatCols(tape, [conv, regions]);
}

/**
 * How much each cell of the map looks like what the instruction asks for ((Y_BINS * X_BINS) x 1): what any
 * target looks like in this state, plus what the words of the instruction look like.
 * @param words rows of the word table, of content words alone; @param state 1 x global.
 */
export function visionScores(
  tape: Tape,
  weights: Weights,
  trunk: Tensor,
  words: readonly number[],
  state: Tensor,
): Tensor {
  const gain = linear(tape, state, weights.visionGain, weights.visionGainBias);
  const shift = linear(tape, state, weights.visionShift, weights.visionShiftBias);
  // Colour is for words to speak of: the first colours that happen to win must not count against all others.
  const forms = sliceCols(tape, trunk, 0, WIDTH.form);
  const lit = relu(
    tape,
    linear(tape, modulate(tape, forms, gain, shift), weights.visionMix, weights.visionMixBias),
  );
  const salience = matmul(tape, lit, weights.visionHead);
  // A sum over words, not a mean: one word names the colour however many there are.
  const looks = scale(tape, bagMean(tape, weights.visionWords, [words]), words.length * WORD_GAIN);
  const object = matmul(tape, forms, weights.visionObject);
  return add(tape, add(tape, salience, object), matmulTransposed(tape, trunk, looks));
}

/** Adam moves each weight by about its learning rate; this makes a word's look learn faster than the rest. */
const WORD_GAIN = 6;
