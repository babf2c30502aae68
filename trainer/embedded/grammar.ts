import type { EpisodeState } from "./episode.ts";
import { findSpan } from "./instruction.ts";
import { isCheckable, isClickable } from "./roles.ts";
import {
  DIRECTIONS,
  END,
  KEYS,
  MAX_MARKS,
  MAX_SKIP,
  SLOT_BASE,
  type SlotKind,
  tokenVerb,
  VERBS,
  type Verb,
  verbToken,
  X_BINS,
  Y_BINS,
} from "./tokens.ts";
import { wordsOf } from "./words.ts";

/** A verb with the indices chosen for its argument slots. */
export interface ActionTokens {
  verb: Verb;
  choices: number[];
}

/** What the policy says when it thinks the task is done. */
export const DONE_TEXT = "Done.";

/** Index of the mark slot that stands for "no mark". */
export const NO_MARK = MAX_MARKS;

/** Argument slots of each verb, in token order. */
export const SLOTS: Readonly<Record<Verb, readonly SlotKind[]>> = {
  screenshot: [],
  click: ["mark"],
  click_at: ["x", "y"],
  type_text: ["mark", "start", "end", "submit"],
  select_option: ["mark", "option"],
  press_key: ["key"],
  scroll: ["direction"],
  go_back: [],
  answer_dialog: ["accept"],
  done: [],
  answer: ["mark", "skip"],
  copy_text: ["mark", "source"],
};

/** Roles of elements that text can be typed into. */
const EDITABLE = new Set(["textbox", "searchbox", "combobox", "spinbutton", "textarea"]);

/** Whether text can be typed into a mark of this role. A combobox with a list of options is a native select. */
export function isEditable(mark: { role: string; options: readonly string[] }): boolean {
  return EDITABLE.has(mark.role) && mark.options.length === 0;
}

/** Tokens of a completion. */
export function spell({ verb, choices }: ActionTokens): number[] {
  return [verbToken(verb), ...choices.map((choice, i) => SLOT_BASE[SLOTS[verb][i]!] + choice), END];
}

/** Reads a completion as far as it goes; undefined when its first token is no verb. */
export function unspell(tokens: readonly number[]): ActionTokens | undefined {
  const verb = tokenVerb(tokens[0] ?? -1);
  if (!verb) return undefined;
  const slots = SLOTS[verb];
  const given = tokens.slice(1, 1 + slots.length).filter((token) => token !== END);
  return { verb, choices: given.map((token, i) => token - SLOT_BASE[slots[i]!]) };
}

/**
 * Which verbs may be said now, one flag each in the order of VERBS. Before the first look there is nothing to
 * act on, so only a look is legal; with a dialog open, only its answer.
 */
export function legalVerbs(state: EpisodeState): Uint8Array {
  const legal = new Uint8Array(VERBS.length);
  const offered = (verb: Verb) => state.tools.has(verb);
  const { observation } = state;
  const allow = (verb: Verb, allowed: boolean) => {
    legal[VERBS.indexOf(verb)] = allowed ? 1 : 0;
  };
  if (!observation) {
    allow("screenshot", offered("screenshot"));
    allow("done", !offered("screenshot"));
    return legal;
  }
  if (observation.text.dialog !== undefined && offered("answer_dialog")) {
    allow("answer_dialog", true);
    return legal;
  }
  for (const verb of ["click", "type_text", "select_option"] as const) {
    allow(verb, offered(verb) && legalMarks(state, verb).includes(1));
  }
  allow(
    "copy_text",
    offered("type_text") && legalMarks(state, "copy_text").includes(1) && legalSources(state).includes(1),
  );
  for (const verb of ["press_key", "scroll", "go_back"] as const) allow(verb, offered(verb));
  allow("click_at", offered("click_at") && state.image !== undefined);
  allow("answer", legalMarks(state, "answer").includes(1));
  allow("done", true);
  return legal;
}

/**
 * Which marks a verb may be aimed at, one flag each by place in the list; for type_text one more flag, the
 * last, for "no mark". Memoised on the state.
 */
export function legalMarks(state: EpisodeState, verb: Verb): Uint8Array {
  const known = state.legalMarks.get(verb);
  if (known) return known;
  const marks = state.observation?.text.marks ?? [];
  const legal = new Uint8Array(marks.length + 1);
  const answers = verb === "answer" ? answerTable(state) : undefined;
  marks.forEach((mark, i) => {
    if (verb === "click") legal[i] = mark.states.includes("disabled") ? 0 : 1;
    else if (verb === "type_text" || verb === "copy_text") legal[i] = isEditable(mark) ? 1 : 0;
    else if (verb === "select_option") legal[i] = mark.options.length > 0 ? 1 : 0;
    else if (answers) legal[i] = answers[i]!.some((text) => text !== undefined) ? 1 : 0;
  });
  if (verb === "type_text" && marks.length === 0) legal[marks.length] = 1;
  state.legalMarks.set(verb, legal);
  return legal;
}

/**
 * What the policy can answer: for each mark its text with 0 to MAX_SKIP words left out at the start; undefined
 * where an earlier entry says the same, so that an answer has one spelling.
 */
export function answerTable(state: EpisodeState): (string | undefined)[][] {
  const seen = new Set<string>(["", DONE_TEXT]);
  return (state.observation?.text.marks ?? []).map((mark) => {
    const text = isClickable(mark.role) || isCheckable(mark.role) ? "" : markText(mark);
    const words = wordsOf(text);
    return Array.from({ length: MAX_SKIP + 1 }, (_, skip) => {
      const rest = skip === 0 ? text : text.slice(words[skip]?.start ?? text.length);
      if (seen.has(rest)) return undefined;
      seen.add(rest);
      return rest;
    });
  });
}

/** Which marks' text may be typed into a field: static text that is not in the instruction, each text once. */
export function legalSources(state: EpisodeState): Uint8Array {
  const seen = new Set<string>([""]);
  return Uint8Array.from(state.observation?.text.marks ?? [], (mark) => {
    if (mark.role !== "text" || seen.has(mark.name)) return 0;
    seen.add(mark.name);
    return findSpan(state.instruction, mark.name) ? 0 : 1;
  });
}

/** What a mark says: a field's value, else its name. */
export function markText(mark: { name: string; value?: string }): string {
  return mark.value === undefined || mark.value === "" ? mark.name : mark.value;
}

/** Which options of a mark may be selected: of equal labels only the first. */
export function legalOptions(options: readonly string[]): Uint8Array {
  return Uint8Array.from(options, (label, i) => (options.indexOf(label) === i ? 1 : 0));
}

/** Number of choices of a slot whose choices do not depend on the observation. */
export const FIXED_CHOICES = {
  x: X_BINS,
  y: Y_BINS,
  key: KEYS.length,
  direction: DIRECTIONS.length,
  submit: 2,
  accept: 2,
} as const;
