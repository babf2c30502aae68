/** A word of a text, with its place in characters. */
export interface Word {
  /** Lower case. */
  text: string;
  start: number;
  end: number;
}

// Inner punctuation keeps dates, times, prices, e-mail addresses and file names in one piece.
const WORD = /[\p{L}\p{N}]+(?:[.'’@:/_+,-]+[\p{L}\p{N}]+)*/gu;

/** The words of a text, in order. */
export function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(WORD), (match) => ({
    text: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The words of a text, lower case. */
export function wordTexts(text: string): string[] {
  return wordsOf(text).map((word) => word.text);
}

/**
 * Words that hold a sentence together, or say what to do and not what to do it to. They stand in every
 * instruction, so what is rewarded by chance would stick to them first.
 */
const GLUE = new Set(
  (
    "a an and as at by for from in into is it its of on one or that the then there this to with " +
    "button choose click find open pick press select tap"
  ).split(" "),
);

/** Whether a word, in lower case, may name a thing or how it looks. */
export function isContentWord(word: string): boolean {
  return !GLUE.has(word);
}

/** Rows of the word embedding table. */
export const WORD_BUCKETS = 2048;

/** Row of a word in the embedding table (FNV-1a). */
export function wordBucket(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % WORD_BUCKETS;
}

/** A run of words that two texts share. */
export interface SharedRun {
  /** First word of the run in each text. */
  inFirst: number;
  inSecond: number;
  length: number;
}

/** The longest run of words that both have; of equal ones the first in `second`. Length 0 when there is none. */
export function longestSharedRun(first: readonly string[], second: readonly string[]): SharedRun {
  let best: SharedRun = { inFirst: 0, inSecond: 0, length: 0 };
  for (let j = 0; j < second.length; j++) {
    for (let i = 0; i < first.length; i++) {
      if (first[i] !== second[j]) continue;
      let length = 1;
      while (
        i + length < first.length &&
        j + length < second.length &&
        first[i + length] === second[j + length]
      )
        length++;
      if (length > best.length) best = { inFirst: i, inSecond: j, length };
    }
  }
  return best;
}
