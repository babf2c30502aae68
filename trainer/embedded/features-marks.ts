import type { EpisodeState, SeenMark } from "./episode.ts";
import { isEditable } from "./grammar.ts";
import type { Instruction } from "./instruction.ts";
import { isCheckable, isClickable, roleIndex } from "./roles.ts";
import { longestSharedRun, wordBucket, wordTexts } from "./words.ts";

/** What the policy knows of the marks of an observation, one row each. */
export interface MarkFeatures {
  roles: number[];
  names: number[][];
  values: number[][];
  /** marks x MARK_FEATURES. */
  facts: Float32Array;
  /** marks x words: how much of the mark's name this word of the instruction is part of, 0 to 1. */
  matches: Float32Array;
  /** Facts that other features are made from. */
  summary: MarkSummary[];
}

/** The mark in terms of the instruction. */
export interface MarkSummary {
  interactive: boolean;
  editable: boolean;
  /** The whole name stands in the instruction. */
  full: boolean;
  /** Words of the instruction that stand somewhere in the name. */
  covered: number;
  /** The instruction speaks of this kind of element. */
  roleNamed: boolean;
  /** … and something was done with these words already. */
  used: boolean;
  /** Quotation of the instruction that the value equals, -1 for none. */
  valueQuote: number;
  /** The value stands in the instruction. */
  valueNamed: boolean;
  /** An option that stands in the instruction and is not the chosen one. */
  wantedOption: boolean;
  /** Words of the instruction that are a whole option of this mark. */
  optionRuns: Array<{ start: number; length: number }>;
  /** Words of the instruction that are the whole value. */
  valueRun: { start: number; length: number } | undefined;
}

export const MARK_FEATURES = 57;

/** Height of a row of a table or list, in image pixels. */
const ROW = 14;
/** How much a match counts one place further down the list. */
const FADE = 0.75;

/** Pure. */
export function markFeatures(state: EpisodeState): MarkFeatures {
  const { instruction } = state;
  const marks = state.observation?.marks ?? [];
  const summary = marks.map((mark) => summarise(mark, state));
  const context = pageContext(state, marks, summary);
  const facts = new Float32Array(marks.length * MARK_FEATURES);
  const matches = new Float32Array(marks.length * instruction.words.length);
  marks.forEach((mark, m) => {
    facts.set(markFacts(mark, m, summary[m]!, state, context), m * MARK_FEATURES);
    const share = mark.run.length / Math.max(1, mark.words.length);
    matches.fill(
      share,
      m * instruction.words.length + mark.run.start,
      m * instruction.words.length + mark.run.start + mark.run.length,
    );
  });
  return {
    roles: marks.map((mark) => roleIndex(mark.role)),
    names: marks.map((mark) => mark.words.map(wordBucket)),
    values: marks.map((mark) =>
      wordTexts(mark.value ?? "")
        .slice(0, 8)
        .map(wordBucket),
    ),
    facts,
    matches,
    summary,
  };
}

function summarise(mark: SeenMark, state: EpisodeState): MarkSummary {
  const { instruction, used } = state;
  const { start, length } = mark.run;
  const full = length > 0 && length === mark.words.length;
  const value = mark.value ?? "";
  const valueWords = wordTexts(value);
  const valueRun = wholeRun(valueWords, instruction);
  const optionRuns = mark.options.flatMap((label) => {
    const run = label === value ? undefined : wholeRun(wordTexts(label), instruction);
    return run ? [run] : [];
  });
  const editable = isEditable(mark);
  return {
    interactive: editable || isClickable(mark.role) || isCheckable(mark.role) || mark.options.length > 0,
    editable,
    full,
    covered: new Set(mark.words.filter((word) => instruction.texts.includes(word))).size,
    roleNamed: instruction.texts.includes(mark.role),
    used: full && used.subarray(start, start + length).every((flag) => flag === 1),
    valueQuote: value === "" ? -1 : instruction.quotes.findIndex((quote) => quote.text === value),
    valueNamed: valueRun !== undefined,
    wantedOption: optionRuns.length > 0,
    optionRuns,
    valueRun,
  };
}

/** Where all of these words stand in the instruction in one piece. */
function wholeRun(
  words: readonly string[],
  instruction: Instruction,
): { start: number; length: number } | undefined {
  if (words.length === 0) return undefined;
  const run = longestSharedRun(words, instruction.texts);
  return run.length === words.length ? { start: run.inSecond, length: run.length } : undefined;
}

interface PageContext {
  /** Of each mark: fading match of the marks before and after it. */
  before: number[];
  beforeUnused: number[];
  after: number[];
  /** Order of the mark's words in the instruction among whole, unused matches; -1 for the rest. */
  rank: number[];
  equals: Map<string, number>;
  longest: number;
  /** Most words of the instruction in one interactive element's name. */
  mostCovered: number;
  previousKeys: boolean;
  editableRank: number[];
  usedQuotes: number;
}

function pageContext(
  state: EpisodeState,
  marks: readonly SeenMark[],
  summary: readonly MarkSummary[],
): PageContext {
  const equals = new Map<string, number>();
  for (const { role, name } of marks) equals.set(`${role} ${name}`, (equals.get(`${role} ${name}`) ?? 0) + 1);
  const strength = marks.map(({ role, name }, m) =>
    summary[m]!.full && equals.get(`${role} ${name}`) === 1 ? 1 : 0,
  );
  const unused = strength.map((value, m) => (summary[m]!.used ? 0 : value));
  const candidates = marks
    .map((mark, m) => ({
      m,
      at: mark.run.start,
      fits: summary[m]!.full && summary[m]!.interactive && !summary[m]!.used,
    }))
    .filter((candidate) => candidate.fits)
    .map((candidate) => candidate.at);
  const order = [...new Set(candidates)].sort((a, b) => a - b);
  let editables = 0;
  return {
    before: fade(strength),
    beforeUnused: fade(unused),
    after: fade([...strength].reverse()).reverse(),
    rank: marks.map((mark, m) =>
      summary[m]!.full && summary[m]!.interactive && !summary[m]!.used ? order.indexOf(mark.run.start) : -1,
    ),
    equals,
    longest: Math.max(0, ...marks.map((mark) => mark.run.length)),
    mostCovered: Math.max(0, ...summary.map((mark) => (mark.interactive ? mark.covered : 0))),
    previousKeys: state.previous !== undefined,
    editableRank: summary.map(({ editable }) => (editable ? editables++ : -1)),
    usedQuotes: state.instruction.quotes.filter((quote) => state.used[quote.first] === 1).length,
  };
}

function fade(strength: readonly number[]): number[] {
  let carried = 0;
  return strength.map((value) => {
    const here = carried;
    carried = Math.max(value, carried * FADE);
    return here;
  });
}

function markFacts(
  mark: SeenMark,
  m: number,
  own: MarkSummary,
  state: EpisodeState,
  page: PageContext,
): number[] {
  const { instruction, observation, previous, past } = state;
  const marks = observation?.marks ?? [];
  const has = (word: string) => mark.states.includes(word);
  const flag = (is: boolean) => (is ? 1 : 0);
  const checkable = isCheckable(mark.role);
  const clickable = isClickable(mark.role);
  const name = mark.name.toLowerCase();
  const quoted = instruction.quotes.some((quote) => quote.text.toLowerCase() === name);
  const runQuote = mark.run.length > 0 ? (instruction.words[mark.run.start]?.quote ?? -1) : -1;
  const quote = instruction.quotes[runQuote];
  const times = past.filter((step) => step.target?.key === mark.key);
  const last = past.at(-1);
  const twins = page.equals.get(`${mark.role} ${mark.name}`) ?? 1;
  const carried = page.before[m]!;
  const nearestTwin =
    twins > 1 &&
    carried > 0 &&
    !marks.some(
      (other, o) =>
        o !== m && other.role === mark.role && other.name === mark.name && page.before[o]! > carried,
    );
  const rowMatch = marks.some(
    (other, o) =>
      o !== m &&
      page.equals.get(`${other.role} ${other.name}`) === 1 &&
      Math.abs(other.y - mark.y) < ROW &&
      markIsFull(other),
  );
  const label = m > 0 ? marks[m - 1] : undefined;
  const share = mark.run.length / Math.max(1, mark.words.length);
  const value = mark.value ?? "";
  const rank = page.rank[m]!;
  return [
    1,
    flag(clickable),
    flag(own.editable),
    flag(mark.options.length > 0),
    flag(checkable),
    flag(!own.interactive),
    flag(mark.run.length > 0),
    share,
    flag(own.full),
    flag(own.full && mark.words.length > 1),
    flag(quoted),
    flag(quote !== undefined && quote.last - quote.first + 1 <= mark.run.length),
    flag(runQuote !== -1),
    flag(own.used),
    flag(own.full && !own.used),
    flag(rank === 0),
    flag(rank === 1),
    flag(rank > 1),
    flag(own.full && own.interactive),
    flag(value !== ""),
    flag(own.valueQuote !== -1),
    flag(own.valueNamed),
    flag(own.editable && value === ""),
    flag(own.wantedOption),
    flag(mark.options.length > 0 && own.valueNamed),
    flag(has("checked")),
    flag(has("unchecked")),
    flag(has("selected")),
    flag(has("expanded")),
    flag(has("collapsed")),
    flag(has("disabled")),
    flag(has("focused")),
    flag(times.length > 0),
    flag(times.length > 1),
    flag(last?.target !== undefined && last.target.key === mark.key),
    flag(times.some((step) => step.action.verb === "type_text")),
    flag(previous !== undefined && !previous.lines.includes(`${mark.role} ${JSON.stringify(mark.name)}`)),
    mark.x / 640 - 0.5,
    mark.y / 480 - 0.5,
    carried,
    page.beforeUnused[m]!,
    page.after[m]!,
    flag(twins > 1),
    flag(nearestTwin),
    flag(rowMatch),
    flag(label !== undefined && markIsFull(label)),
    flag(mark.run.length > 0 && mark.run.length === page.longest),
    mark.run.length > 0 ? mark.run.start / Math.max(1, instruction.words.length) : 0,
    flag(own.editable && page.editableRank[m] === page.usedQuotes),
    flag(own.full && !own.used && own.editable),
    flag(own.wantedOption && own.full),
    flag(own.full && checkable && !own.used),
    own.covered / Math.max(1, mark.words.length),
    flag(own.covered > 0 && own.covered === mark.words.length),
    flag(own.interactive && own.covered > 0 && own.covered === page.mostCovered),
    flag(own.roleNamed),
    flag(own.roleNamed && mark.run.length > 0),
  ];
}

function markIsFull(mark: SeenMark): boolean {
  return mark.run.length > 0 && mark.run.length === mark.words.length;
}
