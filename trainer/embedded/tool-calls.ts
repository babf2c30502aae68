import type { PolicyAction } from "./action.ts";
import type { EpisodeState } from "./episode.ts";
import { answerTable, DONE_TEXT, legalSources, NO_MARK } from "./grammar.ts";
import { findSpan, spanText } from "./instruction.ts";
import { DIRECTIONS, KEYS, VERBS, type Verb, X_BINS, Y_BINS } from "./tokens.ts";

/** Offered tools by the verb they stand for: the name to answer with, prefix included. */
export type OfferedTools = ReadonlyMap<Verb, string>;

/** Size of an image in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** A tool call, or the words that end the episode. */
export type ActionCall = { tool: string; input: Record<string, unknown> } | { text: string };

/** Verbs that are no tools by that name. */
const UNNAMED: readonly Verb[] = ["done", "answer", "copy_text"];
const TOOL_VERBS = new Map<string, Verb>(
  VERBS.filter((verb) => !UNNAMED.includes(verb)).map((verb) => [verb, verb]),
);
TOOL_VERBS.set("scroll_at", "scroll");

/** The verb of a tool's name, prefixes such as `mcp__env__` taken off; undefined for tools we can't use. */
export function toolVerb(name: string): Verb | undefined {
  return TOOL_VERBS.get(bareName(name));
}

/** The tools of a request that the policy can use; of several for one verb the first. */
export function offeredTools(names: readonly string[]): OfferedTools {
  const offered = new Map<Verb, string>();
  for (const name of names) {
    const verb = toolVerb(name);
    if (verb && !offered.has(verb)) offered.set(verb, name);
  }
  return offered;
}

/**
 * An action as a harness is told it.
 * @param size of the newest screenshot, for aims by pixel.
 */
export function printAction(
  action: PolicyAction,
  state: EpisodeState,
  tools: OfferedTools,
  size: ImageSize | undefined,
): ActionCall {
  const { verb } = action;
  const mark = state.observation?.marks[action.mark ?? -1];
  if (verb === "done") return { text: DONE_TEXT };
  if (verb === "answer") return { text: answerTable(state)[action.mark ?? 0]?.[action.skip ?? 0] ?? "" };
  const named = verb === "copy_text" ? "type_text" : verb;
  const tool = tools.get(named) ?? named;
  switch (verb) {
    case "click":
      return { tool, input: { mark: mark?.id } };
    case "click_at":
      return { tool, input: binCentre(action.x ?? 0, action.y ?? 0, size) };
    case "type_text":
      return {
        tool,
        input: {
          text: spanText(state.instruction, action.first ?? 0, action.last ?? 0),
          ...(mark ? { mark: mark.id } : {}),
          ...(action.submit ? { submit: true } : {}),
        },
      };
    case "copy_text":
      return {
        tool,
        input: { text: state.observation?.marks[action.source ?? -1]?.name, mark: mark?.id },
      };
    case "select_option":
      return { tool, input: { mark: mark?.id, option: mark?.options[action.option ?? 0] } };
    case "press_key":
      return { tool, input: { keys: action.key } };
    case "scroll":
      return {
        tool,
        input: {
          ...(bareName(tool) === "scroll_at" ? binCentre(X_BINS / 2, Y_BINS / 2, size) : {}),
          direction: action.direction,
        },
      };
    case "answer_dialog":
      return { tool, input: { accept: action.accept === true } };
    default:
      return { tool, input: {} };
  }
}

/**
 * The action that a turn of the conversation was: the inverse of `printAction`. A harness may have printed the
 * input anew and dropped or added defaults.
 * @returns undefined for a turn that the policy could not have said.
 */
export function readAction(
  call: ActionCall,
  state: EpisodeState,
  size: ImageSize | undefined,
): PolicyAction | undefined {
  if ("text" in call) return readWords(call.text, state);
  const verb = toolVerb(call.tool);
  const { input } = call;
  const marks = state.observation?.marks ?? [];
  const index = marks.findIndex((candidate) => candidate.id === input.mark);
  switch (verb) {
    case "click":
      return index === -1 ? undefined : { verb, mark: index };
    case "click_at": {
      if (!size || typeof input.x !== "number" || typeof input.y !== "number") return undefined;
      return {
        verb,
        x: Math.min(X_BINS - 1, Math.max(0, Math.floor((input.x * X_BINS) / size.width))),
        y: Math.min(Y_BINS - 1, Math.max(0, Math.floor((input.y * Y_BINS) / size.height))),
      };
    }
    case "type_text": {
      const mark = input.mark === undefined ? NO_MARK : index;
      if (mark === -1 || typeof input.text !== "string") return undefined;
      const span = findSpan(state.instruction, input.text);
      if (span) return { verb, mark, ...span, submit: input.submit === true };
      const legal = legalSources(state);
      const source = marks.findIndex(({ name }, i) => legal[i] === 1 && name === input.text);
      return source === -1 ? undefined : { verb: "copy_text", mark, source };
    }
    case "select_option": {
      const option = marks[index]?.options.indexOf(String(input.option)) ?? -1;
      return option === -1 ? undefined : { verb, mark: index, option };
    }
    case "press_key": {
      const key = KEYS.find((name) => name === input.keys);
      return key && { verb, key };
    }
    case "scroll": {
      const direction = DIRECTIONS.find((name) => name === input.direction);
      return direction && { verb, direction };
    }
    case "answer_dialog":
      return { verb, accept: input.accept === true };
    case "screenshot":
    case "go_back":
      return { verb };
    default:
      return undefined;
  }
}

function readWords(text: string, state: EpisodeState): PolicyAction | undefined {
  if (text === DONE_TEXT) return { verb: "done" };
  for (const [mark, answers] of answerTable(state).entries()) {
    const skip = answers.indexOf(text);
    if (skip !== -1) return { verb: "answer", mark, skip };
  }
  return undefined;
}

/** Middle of a bin in pixels of the image. */
function binCentre(x: number, y: number, size: ImageSize | undefined): { x: number; y: number } {
  const { width, height } = size ?? { width: X_BINS, height: Y_BINS };
  return {
    x: Math.floor(((x + 0.5) * width) / X_BINS),
    y: Math.floor(((y + 0.5) * height) / Y_BINS),
  };
}

function bareName(name: string): string {
  return name.replace(/^.*(?:__|\.)/, "");
}
