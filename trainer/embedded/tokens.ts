/** Bytes of UTF-8 text are tokens 0-255; what follows is structure, verbs and arguments. */
export const BOS = 256;
export const TOOLS = 257;
export const TOOLS_END = 258;
export const TASK = 259;
export const TASK_END = 260;
export const OBSERVATION = 261;
export const OBSERVATION_END = 262;
/** Ends a prompt: the policy's turn. */
export const ACT = 263;
/** Placeholder of an image patch. */
export const IMAGE = 264;
/** Ends a completion. */
export const END = 265;
/** A turn that is not in the policy's grammar (somebody else's answer). */
export const FOREIGN = 266;

/** What the policy can do. The place in this list is part of every token id: append only. */
export const VERBS = [
  "screenshot",
  "click",
  "click_at",
  "type_text",
  "select_option",
  "press_key",
  "scroll",
  "go_back",
  "answer_dialog",
  "done",
  "answer",
  "copy_text",
] as const;
export type Verb = (typeof VERBS)[number];

export const KEYS = ["Enter", "Tab", "Escape"] as const;
export const DIRECTIONS = ["up", "down"] as const;

/** Bins of click_at over the image. */
export const X_BINS = 16;
export const Y_BINS = 12;
/** Marks with higher numbers can't be pointed at. */
export const MAX_MARKS = 160;
/** Words of the instruction beyond this can't be typed. */
export const MAX_WORDS = 96;
/** Words that an answer may leave out at the start of a mark's text. */
export const MAX_SKIP = 3;
/** Options beyond this can't be selected. */
export const MAX_OPTIONS = 64;

const VERB_BASE = 272;
const MARK_BASE = 320;
const WORD_BASE = MARK_BASE + MAX_MARKS + 1;
const OPTION_BASE = WORD_BASE + MAX_WORDS;
const X_BASE = OPTION_BASE + MAX_OPTIONS;
const Y_BASE = X_BASE + X_BINS;
const CHOICE_BASE = Y_BASE + Y_BINS;

/** Size of the vocabulary. */
export const VOCABULARY = CHOICE_BASE + 8;

/** The kinds of argument slot; the tokens of a slot are its base plus the choice's index. */
export const SLOT_BASE = {
  verb: VERB_BASE,
  mark: MARK_BASE,
  source: MARK_BASE,
  start: WORD_BASE,
  end: WORD_BASE,
  option: OPTION_BASE,
  x: X_BASE,
  y: Y_BASE,
  key: CHOICE_BASE,
  direction: CHOICE_BASE,
  submit: CHOICE_BASE,
  accept: CHOICE_BASE,
  skip: CHOICE_BASE,
  stop: END,
} as const;
export type SlotKind = keyof typeof SLOT_BASE;

/** Token of a tool verb, in the tools list and as the first token of a completion. */
export function verbToken(verb: Verb): number {
  return VERB_BASE + VERBS.indexOf(verb);
}

/** The verb of a token, or undefined for any other token. */
export function tokenVerb(token: number): Verb | undefined {
  return VERBS[token - VERB_BASE];
}
