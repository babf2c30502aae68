import type { ActionTokens } from "./grammar.ts";
import { DIRECTIONS, KEYS, type Verb } from "./tokens.ts";

/** What a completion says: a verb and the choices of its slots, as indices. */
export interface PolicyAction {
  verb: Verb;
  /** Index into the observation's marks; -1: no mark (type_text where marks are not offered). */
  mark?: number;
  /** First and last word of the instruction to type. */
  first?: number;
  last?: number;
  submit?: boolean;
  option?: number;
  /** Bins. */
  x?: number;
  y?: number;
  key?: (typeof KEYS)[number];
  direction?: (typeof DIRECTIONS)[number];
  accept?: boolean;
  /** Words of the mark's text that an answer leaves out at its start. */
  skip?: number;
  /** Index of the mark whose text is typed. */
  source?: number;
}

/** The action that a complete run of slot choices spells. */
export function actionOf({ verb, choices }: ActionTokens): PolicyAction {
  const [a = 0, b = 0, c = 0, d = 0] = choices;
  switch (verb) {
    case "click":
      return { verb, mark: a };
    case "answer":
      return { verb, mark: a, skip: b };
    case "copy_text":
      return { verb, mark: a, source: b };
    case "click_at":
      return { verb, x: a, y: b };
    case "type_text":
      return { verb, mark: a, first: b, last: c, submit: d === 1 };
    case "select_option":
      return { verb, mark: a, option: b };
    case "press_key":
      return { verb, key: KEYS[a] ?? KEYS[0] };
    case "scroll":
      return { verb, direction: DIRECTIONS[a] ?? DIRECTIONS[0] };
    case "answer_dialog":
      return { verb, accept: a === 1 };
    default:
      return { verb };
  }
}

/** The slot choices that spell an action. */
export function choicesOf(action: PolicyAction): ActionTokens {
  const { verb, mark = 0, first = 0, last = 0, option = 0, x = 0, y = 0 } = action;
  switch (verb) {
    case "click":
      return { verb, choices: [mark] };
    case "answer":
      return { verb, choices: [mark, action.skip ?? 0] };
    case "copy_text":
      return { verb, choices: [mark, action.source ?? 0] };
    case "click_at":
      return { verb, choices: [x, y] };
    case "type_text":
      return { verb, choices: [mark, first, last, action.submit ? 1 : 0] };
    case "select_option":
      return { verb, choices: [mark, option] };
    case "press_key":
      return { verb, choices: [KEYS.indexOf(action.key ?? KEYS[0])] };
    case "scroll":
      return { verb, choices: [DIRECTIONS.indexOf(action.direction ?? DIRECTIONS[0])] };
    case "answer_dialog":
      return { verb, choices: [action.accept ? 1 : 0] };
    default:
      return { verb, choices: [] };
  }
}
