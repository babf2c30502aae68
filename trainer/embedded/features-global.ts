import type { EpisodeState } from "./episode.ts";
import type { MarkFeatures } from "./features-marks.ts";
import { VERBS } from "./tokens.ts";

const STEPS = 6;
const OTHERS = 28;
export const GLOBAL_FEATURES = 2 * VERBS.length + STEPS + OTHERS;
/** Place of the flag for an instruction that asks something. */
export const ASKS_FEATURE = GLOBAL_FEATURES - 1;

const flag = (is: boolean) => (is ? 1 : 0);

/** What has happened so far and what is left to do, as far as simple counts tell. Pure. */
export function globalFeatures(state: EpisodeState, marks: MarkFeatures): Float32Array {
  const { past, observation, previous, instruction } = state;
  const text = observation?.text;
  const verbs = (back: number) => {
    const verb = past.at(-back)?.action.verb;
    return VERBS.map((name) => flag(name === verb));
  };
  const { summary } = marks;
  const open = summary.filter((mark) => mark.full && mark.interactive && !mark.used);
  const openRuns = new Set(
    (observation?.marks ?? []).flatMap((mark, m) => (open.includes(summary[m]!) ? [mark.run.start] : [])),
  ).size;
  const closed = summary.filter((mark) => mark.full && mark.interactive && mark.used).length;
  const quotes = instruction.quotes.length;
  const usedQuotes = instruction.quotes.filter((quote) => state.used[quote.first] === 1).length;
  const shownQuotes = instruction.quotes.filter((_, q) =>
    summary.some((mark) => mark.valueQuote === q),
  ).length;
  const last = past.at(-1)?.action;
  const focused = (observation?.marks ?? []).some(
    (mark, m) => mark.states.includes("focused") && summary[m]!.editable,
  );
  const values = [
    ...verbs(1),
    ...verbs(2),
    ...Array.from({ length: STEPS }, (_, n) => flag(n === Math.min(past.length, STEPS - 1))),
    flag(text?.error !== undefined),
    flag(previous !== undefined && previous.title !== text?.title),
    flag(previous !== undefined && previous.lines === observation?.lines),
    flag(quotes === 0),
    flag(quotes === 1),
    flag(quotes === 2),
    flag(quotes > 2),
    flag(quotes > 0 && usedQuotes === quotes),
    quotes > 0 ? usedQuotes / quotes : 0,
    flag(quotes > 0 && shownQuotes === quotes),
    quotes > 0 ? shownQuotes / quotes : 0,
    flag(openRuns === 0),
    flag(openRuns === 1),
    flag(openRuns > 1),
    flag(closed > 0),
    flag(focused),
    flag((text?.above ?? 0) > 0),
    flag((text?.below ?? 0) > 0),
    flag(summary.some((mark) => mark.editable)),
    flag(summary.some((mark) => mark.wantedOption)),
    flag(open.some((mark) => mark.editable)),
    flag(last?.verb === "type_text" && last.submit === true),
    flag(summary.length === 0),
    summary.length / 50,
    flag(summary.some((mark) => mark.valueNamed)),
    flag(past.length > 0 && openRuns === 0 && closed > 0),
    1,
    flag(instruction.text.trimEnd().endsWith("?")),
  ];
  return Float32Array.from(values);
}
