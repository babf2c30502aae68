import type { EpisodeState } from "./episode.ts";
import { globalFeatures } from "./features-global.ts";
import { type MarkFeatures, markFeatures } from "./features-marks.ts";
import { wordFeatures } from "./features-words.ts";
import { isContentWord, wordBucket, wordTexts } from "./words.ts";

/** Numbers that stand for a state at the policy's input; matrices are row-major. */
export interface DecisionFeatures {
  /** One row of the word table each. */
  wordBuckets: number[];
  /** … of the words that may say how a thing looks. */
  contentBuckets: number[];
  /** words x WORD_FEATURES. */
  words: Float32Array;
  marks: MarkFeatures;
  /** Words of the page's title. */
  title: number[];
  /** 1 x GLOBAL_FEATURES. */
  global: Float32Array;
}

/** The features of a state, memoised on it. */
export function featuresOf(state: EpisodeState): DecisionFeatures {
  if (state.features) return state.features;
  const marks = markFeatures(state);
  const features: DecisionFeatures = {
    wordBuckets: state.instruction.words.map((word) => word.bucket),
    contentBuckets: state.instruction.words
      .filter(({ text }) => isContentWord(text))
      .map((word) => word.bucket),
    words: wordFeatures(state),
    marks,
    title: wordTexts(state.observation?.text.title ?? "").map(wordBucket),
    global: globalFeatures(state, marks),
  };
  state.features = features;
  return features;
}
