import { MAX_WORDS } from "./tokens.ts";
import { type Word, wordBucket, wordsOf } from "./words.ts";

/** A word of the instruction and how it stands to quotation marks. */
export interface InstructionWord extends Word {
  bucket: number;
  /** Index of the quotation it stands in, -1 outside. */
  quote: number;
  firstInQuote: boolean;
  lastInQuote: boolean;
  isNumber: boolean;
  isCapital: boolean;
}

/** A quotation: its text without the marks, and its words [first, last]. */
export interface Quote {
  text: string;
  first: number;
  last: number;
}

/** The task as the policy reads it. */
export interface Instruction {
  text: string;
  /** At most MAX_WORDS. */
  words: InstructionWord[];
  texts: string[];
  quotes: Quote[];
  /**
   * What may be typed: for each first word the last words that are allowed. Where the same text can be taken
   * from several places, only the first of them, so that a text has one spelling in tokens.
   */
  spans: number[][];
}

/** Longest text to be typed, in words. */
const MAX_SPAN = 12;
const QUOTE = /"([^"]*)"|“([^”]*)”|(?<![\p{L}\p{N}])['‘]([^'’]*)['’](?![\p{L}\p{N}])/gu;

/** Reads a task's instruction. Pure. */
export function readInstruction(text: string): Instruction {
  const plain = wordsOf(text).slice(0, MAX_WORDS);
  const quotes: Quote[] = [];
  const words: InstructionWord[] = plain.map((word) => ({
    ...word,
    bucket: wordBucket(word.text),
    quote: -1,
    firstInQuote: false,
    lastInQuote: false,
    isNumber: /^[\p{N}.,:/-]+$/u.test(word.text),
    isCapital: /^\p{Lu}/u.test(text.slice(word.start, word.end)),
  }));
  for (const match of text.matchAll(QUOTE)) {
    const inner = match[1] ?? match[2] ?? match[3] ?? "";
    const from = match.index + 1;
    const inside = words.filter((word) => word.start >= from && word.end <= from + inner.length);
    const [head] = inside;
    const tail = inside.at(-1);
    if (!head || !tail) continue;
    for (const word of inside) word.quote = quotes.length;
    head.firstInQuote = true;
    tail.lastInQuote = true;
    quotes.push({ text: inner, first: words.indexOf(head), last: words.indexOf(tail) });
  }
  const instruction = { text, words, texts: words.map((word) => word.text), quotes, spans: [] as number[][] };
  instruction.spans = firstSpans(instruction);
  return instruction;
}

/**
 * The text from one word to another as it stands in the instruction; at the border of a quotation it reaches
 * to the quotation mark.
 */
export function spanText(
  instruction: Pick<Instruction, "text" | "words" | "quotes">,
  first: number,
  last: number,
): string {
  const head = instruction.words[first];
  const tail = instruction.words[last];
  if (!head || !tail) return "";
  const quote = instruction.quotes[head.quote];
  // A whole quotation is copied with all that stands between its marks.
  if (quote && quote.first === first && quote.last === last) return quote.text;
  return instruction.text.slice(head.start, tail.end);
}

/** The words [first, last] that a typed text is spelt with, or undefined when it is not in the instruction. */
export function findSpan(
  instruction: Instruction,
  text: string,
): { first: number; last: number } | undefined {
  for (let first = 0; first < instruction.words.length; first++) {
    for (const last of instruction.spans[first] ?? []) {
      if (spanText(instruction, first, last) === text) return { first, last };
    }
  }
  return undefined;
}

function firstSpans(instruction: Omit<Instruction, "spans">): number[][] {
  const seen = new Set<string>();
  const { words } = instruction;
  return words.map((head, first) => {
    const lasts: number[] = [];
    for (let last = first; last < words.length && last < first + MAX_SPAN; last++) {
      // A text that crosses a quotation mark is never what a task means.
      if (words[last]?.quote !== head.quote) break;
      const text = spanText(instruction, first, last);
      if (seen.has(text)) continue;
      seen.add(text);
      lasts.push(last);
    }
    return lasts;
  });
}
