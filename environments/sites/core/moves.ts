import type { ActionInput } from "@openforgerl/contracts/action";
import type { Mark, Observation } from "@openforgerl/contracts/observation";
import type { Policy } from "../types.ts";

/** An action, or something to do before the move can be tried again (scrolling). */
type Choice = { act: ActionInput } | { first: ActionInput };

/** One action of a script, aimed by what is on the screen. */
export interface Move {
  (look: Observation): Choice;
  /** Ends the episode and is no environment action. */
  readonly ends?: true;
}

export type Script = readonly Move[];

/** Follows a script through the episode, then says `done`. */
export function follow(script: Script): Policy {
  let at = 0;
  return (look) => {
    const move = script[at];
    if (!move) return { type: "done" };
    const choice = move(look);
    if ("first" in choice) return choice.first;
    at += 1;
    return choice.act;
  };
}

/** Environment actions of a script, scrolling left out. */
export function countSteps(script: Script): number {
  return script.filter((move) => !move.ends).length;
}

/** Names one mark: role and accessible name, white space and case aside. */
export interface Sought {
  role: string;
  name: string;
  /** Take the first match after this text: for controls that only their row tells apart. */
  after?: string;
}

/** Clicks the mark of that role and name. */
export function click(role: string, name: string, after?: string): Move {
  return aim(after === undefined ? { role, name } : { role, name, after }, (mark) => ({
    type: "click",
    at: { by: "mark", mark },
  }));
}

/** Clicks a point in CSS pixels: for pages that are pictures. */
export function clickPoint(point: { x: number; y: number }): Move {
  return () => ({ act: { type: "click", at: { by: "point", x: point.x, y: point.y } } });
}

/** Replaces what the named field holds; `submit` presses Enter afterwards. */
export function fill(name: string, text: string, options: { submit?: boolean; role?: string } = {}): Move {
  return aim({ role: options.role ?? "textbox", name }, (mark) => ({
    type: "type",
    text,
    into: { by: "mark", mark },
    clear: true,
    submit: options.submit ?? false,
  }));
}

/** Chooses an option of the named native select. */
export function choose(name: string, option: string, after?: string): Move {
  const sought = after === undefined ? { role: "combobox", name } : { role: "combobox", name, after };
  return aim(sought, (mark) => ({ type: "select", at: { by: "mark", mark }, options: [option] }));
}

/** Answers the browser's own dialog, once one is open. */
export function answerDialog(accept: boolean): Move {
  return (look) => (look.dialog ? { act: { type: "dialog", accept } } : fail(look, "open dialog"));
}

/** Answers the task's question, once the answer is to be seen on the page. */
export function answer(text: string): Move {
  return ends((look) => {
    const shown = (look.marks ?? []).some(
      (mark) => folded(mark.name).includes(folded(text)) || mark.value === text,
    );
    if (shown) return { act: { type: "answer", text } };
    return scrollOn(look) ?? fail(look, `text that contains ${JSON.stringify(text)}`);
  });
}

/** Answers without looking: for wrong attempts. */
export function guess(text: string): Move {
  return ends(() => ({ act: { type: "answer", text } }));
}

function ends(move: (look: Observation) => Choice): Move {
  return Object.assign(move, { ends: true as const });
}

function aim(sought: Sought, act: (mark: number) => ActionInput): Move {
  return (look) => {
    const mark = findMark(look.marks ?? [], sought);
    if (mark) return { act: act(mark.id) };
    const after = sought.after === undefined ? "" : ` after ${JSON.stringify(sought.after)}`;
    return scrollOn(look) ?? fail(look, `${sought.role} ${JSON.stringify(sought.name)}${after}`);
  };
}

/** The one mark sought; undefined where there is none, or where more than one would do. */
export function findMark(marks: readonly Mark[], sought: Sought): Mark | undefined {
  const name = folded(sought.name);
  const matches = (mark: Mark) => mark.role === sought.role && folded(mark.name) === name && !mark.disabled;
  if (sought.after !== undefined) {
    const anchor = folded(sought.after);
    const from = marks.findIndex((mark) => folded(mark.name) === anchor);
    return from < 0 ? undefined : marks.slice(from + 1).find(matches);
  }
  const found = marks.filter(matches);
  return found.length === 1 ? found[0] : undefined;
}

function scrollOn(look: Observation): Choice | undefined {
  return look.scroll.below > 0 ? { first: { type: "scroll", dy: 320 } } : undefined;
}

function fail(look: Observation, sought: string): never {
  const there = (look.marks ?? []).map((mark) => `${mark.role} ${JSON.stringify(mark.name)}`).join(", ");
  throw new Error(`${look.url} shows no (or more than one) ${sought}; there are: ${there || "no marks"}.`);
}

function folded(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
