import type { Sha256 } from "@openforgerl/contracts/content";
import { actionOf, type PolicyAction } from "./action.ts";
import type { DecisionFeatures } from "./features.ts";
import { SLOTS, unspell } from "./grammar.ts";
import type { Instruction } from "./instruction.ts";
import { type MarkLine, type ObservationText, readObservation } from "./observation-text.ts";
import type { Verb } from "./tokens.ts";
import { longestSharedRun, wordTexts } from "./words.ts";

/** A mark with what the policy works out about it from the instruction. */
export interface SeenMark extends MarkLine {
  /** Names the same thing in later observations: role, name and its number among equals. */
  key: string;
  words: string[];
  /** Longest run of the name's words in the instruction. */
  run: { start: number; length: number };
}

/** An observation as the policy reads it. */
export interface SeenObservation {
  text: ObservationText;
  lines: string;
  marks: SeenMark[];
}

/** An earlier action, with what it was aimed at. */
export interface PastAction {
  action: PolicyAction;
  /** Key and role of the mark it was aimed at. */
  target?: { key: string; role: string };
}

/**
 * All that a decision may depend on, read from the tokens before it. Never changed after it was made; the maps
 * at the end are memos.
 */
export interface EpisodeState {
  tools: ReadonlySet<Verb>;
  instruction: Instruction;
  /** The newest observation; undefined before the first one. */
  observation: SeenObservation | undefined;
  /** Title and lines of the observation before it. */
  previous: { title: string; lines: string } | undefined;
  /** The newest observation's screenshot. */
  image: Sha256 | undefined;
  /** Earlier actions, screenshots left out. */
  past: readonly PastAction[];
  /** One flag for each word of the instruction: typed, selected or clicked already. */
  used: Uint8Array;
  legalMarks: Map<Verb, Uint8Array>;
  features: DecisionFeatures | undefined;
}

/** The state before the first observation. */
export function startEpisode(tools: ReadonlySet<Verb>, instruction: Instruction): EpisodeState {
  return {
    tools,
    instruction,
    observation: undefined,
    previous: undefined,
    image: undefined,
    past: [],
    used: new Uint8Array(instruction.words.length),
    legalMarks: new Map(),
    features: undefined,
  };
}

/** The state after an observation; empty lines stand for a turn without one, which keeps what was seen. */
export function observe(state: EpisodeState, lines: string, image: Sha256 | undefined): EpisodeState {
  const next = { ...state, legalMarks: new Map(), features: undefined };
  if (lines === "") return next;
  const text = readObservation(lines);
  const before = state.observation;
  return {
    ...next,
    observation: { text, lines, marks: seeMarks(text.marks, state.instruction) },
    previous: before && { title: before.text.title, lines: before.lines },
    image,
  };
}

/** The state after an action. */
export function act(state: EpisodeState, tokens: readonly number[]): EpisodeState {
  const spelt = unspell(tokens);
  if (!spelt || spelt.verb === "screenshot" || spelt.choices.length < SLOTS[spelt.verb].length) return state;
  const action = actionOf(spelt);
  const mark = action.mark === undefined ? undefined : state.observation?.marks[action.mark];
  const used = Uint8Array.from(state.used);
  const use = (start: number, length: number) => used.fill(1, start, start + length);
  if (action.verb === "type_text") use(action.first ?? 0, (action.last ?? 0) - (action.first ?? 0) + 1);
  if (mark && action.verb === "select_option") {
    const run = longestSharedRun(wordTexts(mark.options[action.option ?? 0] ?? ""), state.instruction.texts);
    use(run.inSecond, run.length);
  }
  if (mark && mark.run.length === mark.words.length) use(mark.run.start, mark.run.length);
  const target = mark && { target: { key: mark.key, role: mark.role } };
  return {
    ...state,
    past: [...state.past, { action, ...target }],
    used,
    legalMarks: new Map(),
    features: undefined,
  };
}

function seeMarks(marks: readonly MarkLine[], instruction: Instruction): SeenMark[] {
  const counts = new Map<string, number>();
  return marks.map((mark) => {
    const label = `${mark.role} ${mark.name}`;
    const count = counts.get(label) ?? 0;
    counts.set(label, count + 1);
    const words = wordTexts(mark.name).slice(0, 16);
    const run = longestSharedRun(words, instruction.texts);
    return { ...mark, key: `${label} ${count}`, words, run: { start: run.inSecond, length: run.length } };
  });
}
