import type { EpisodeState, SeenMark } from "./episode.ts";
import type { MarkFeatures } from "./features-marks.ts";
import { longestSharedRun, wordBucket, wordTexts } from "./words.ts";

export const WORD_FEATURES = 16;
export const SPAN_FEATURES = 18;
export const END_FEATURES = 6;
export const OPTION_FEATURES = 8;

/** Places of features that the policy leans on before it has learnt anything. */
export const SPAN_OPENS_UNUSED_QUOTE = 13;
export const END_CLOSES_QUOTE = 2;
export const OPTION_IS_NAMED = 1;

const flag = (is: boolean) => (is ? 1 : 0);

/** One row a word of the instruction. Pure. */
export function wordFeatures(state: EpisodeState): Float32Array {
  const { words, quotes } = state.instruction;
  const cover = coverage(state);
  const nextQuote = quotes.find((quote) => state.used[quote.first] !== 1);
  const rows = words.flatMap((word, i) => [
    1,
    flag(word.quote !== -1),
    flag(word.firstInQuote),
    flag(word.lastInQuote),
    flag(word.isNumber),
    flag(word.isCapital),
    flag(state.used[i] === 1),
    cover.named[i]!,
    cover.text[i]!,
    cover.editable[i]!,
    cover.value[i]!,
    cover.option[i]!,
    i / Math.max(1, words.length),
    flag(i === 0),
    flag(word.quote !== -1 && quotes[word.quote] === nextQuote),
    flag(i === words.length - 1),
  ]);
  return Float32Array.from(rows);
}

function coverage(
  state: EpisodeState,
): Record<"named" | "text" | "editable" | "value" | "option", Uint8Array> {
  const make = () => new Uint8Array(state.instruction.words.length);
  const cover = { named: make(), text: make(), editable: make(), value: make(), option: make() };
  for (const mark of state.observation?.marks ?? []) {
    const { start, length } = mark.run;
    if (length > 0 && length === mark.words.length) {
      const kind =
        mark.options.length > 0 || mark.value !== undefined
          ? "editable"
          : mark.role === "text" || mark.role === "heading"
            ? "text"
            : "named";
      cover[kind].fill(1, start, start + length);
    }
    fillWhole(cover.value, mark.value ?? "", state);
    for (const label of mark.options) if (label !== mark.value) fillWhole(cover.option, label, state);
  }
  return cover;
}

function fillWhole(cover: Uint8Array, text: string, state: EpisodeState): void {
  const words = wordTexts(text);
  if (words.length === 0) return;
  const run = longestSharedRun(words, state.instruction.texts);
  if (run.length === words.length) cover.fill(1, run.inSecond, run.inSecond + run.length);
}

/** How each word of the instruction stands to a field that text is to be typed into: words x SPAN_FEATURES. */
export function spanFeatures(
  state: EpisodeState,
  mark: SeenMark | undefined,
  editableRank: number,
): Float32Array {
  const { words, quotes } = state.instruction;
  const run = mark?.run ?? { start: 0, length: 0 };
  const matched = run.length > 0;
  const end = run.start + run.length;
  const quoteBefore = quotes.findLast((quote) => matched && quote.last < run.start);
  const quoteAfter = quotes.find((quote) => matched && quote.first >= end);
  const nextQuote = quotes.find((quote) => state.used[quote.first] !== 1);
  const rows = words.flatMap((word, i) => {
    const head = word.firstInQuote ? quotes[word.quote] : undefined;
    const used = state.used[i] === 1;
    return [
      1,
      flag(word.quote !== -1),
      flag(word.firstInQuote),
      flag(used),
      flag(word.isNumber),
      flag(word.isCapital),
      flag(matched && i >= run.start && i < end),
      matched && i < run.start ? 1 / (run.start - i) : 0,
      matched && i >= end ? 1 / (i - end + 1) : 0,
      flag(head !== undefined && head === quoteBefore),
      flag(head !== undefined && head === quoteAfter),
      flag(head !== undefined && head === quoteBefore && !used),
      flag(head !== undefined && head === quoteAfter && !used),
      flag(head !== undefined && !used),
      flag(head !== undefined && head === nextQuote),
      flag(head !== undefined && word.quote === editableRank),
      flag(quotes.length === 0),
      flag(matched && i === end),
    ];
  });
  return Float32Array.from(rows);
}

/** How each word would do as the last word of a typed text that starts at `first`: words x END_FEATURES. */
export function endFeatures(state: EpisodeState, first: number): Float32Array {
  const { words } = state.instruction;
  const quoted = words[first]?.quote !== -1;
  return Float32Array.from(
    words.flatMap((word, i) => [
      1,
      flag(i === first),
      flag(word.lastInQuote),
      flag(!quoted && i === first),
      (i - first) / 8,
      flag(!quoted && words[i + 1]?.isCapital !== true),
    ]),
  );
}

/** The options of a select: words of each label, and options x OPTION_FEATURES. */
export function optionFeatures(
  state: EpisodeState,
  mark: SeenMark,
): { labels: number[][]; facts: Float32Array } {
  const { instruction } = state;
  const words = mark.options.map((label) => wordTexts(label).slice(0, 8));
  const rows = mark.options.flatMap((label, o) => {
    const run = longestSharedRun(words[o]!, instruction.texts);
    const whole = run.length > 0 && run.length === words[o]!.length;
    return [
      1,
      flag(whole),
      run.length / Math.max(1, words[o]!.length),
      flag(instruction.quotes.some((quote) => quote.text.toLowerCase() === label.toLowerCase())),
      flag(label === mark.value),
      flag(whole && state.used[run.inSecond] === 1),
      flag(o === 0),
      whole && mark.run.length > 0 ? 1 / (1 + Math.abs(run.inSecond - mark.run.start)) : 0,
    ];
  });
  return { labels: words.map((label) => label.map(wordBucket)), facts: Float32Array.from(rows) };
}

/** Place of a mark among the fields that can be typed into, -1 for other marks. */
export function editableRank(marks: MarkFeatures, index: number): number {
  if (!marks.summary[index]?.editable) return -1;
  return marks.summary.slice(0, index).filter((mark) => mark.editable).length;
}
