import { choose, click, fill, type Move, type Script } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { type Change, type Control, drawValue, SECTIONS } from "./state.ts";

/** Draws `count` changes of different settings of one section, of the kinds given. */
export function drawChanges(
  section: string,
  count: number,
  rng: Rng,
  kinds: readonly Control["kind"][] = ["switch", "select", "text"],
): Change[] {
  const controls = (SECTIONS[section] ?? []).filter(({ kind }) => kinds.includes(kind));
  return rng
    .sample(controls, count)
    .map((control) => ({ section, name: control.name, to: drawValue(control, rng) }));
}

/** How an instruction says it: text in quotes, names as on the page. */
export function say({ section, name, to }: Change): string {
  if (typeof to === "boolean") return `turn ${to ? "on" : "off"} ${name}`;
  return `set ${name} to ${isText(section, name) ? `"${to}"` : to}`;
}

/** The action that makes the change; not yet saved. */
export function carryOut({ section, name, to }: Change): Move {
  if (typeof to === "boolean") return click("switch", name);
  return isText(section, name) ? fill(name, to) : choose(name, to);
}

/** Goes to a section by its link. */
export function goTo(section: string): Move {
  return click("link", section);
}

export const save: Move = click("button", "Save changes");

/** The change of another setting, or to another value: what a careless agent might do. */
export function mistake({ section, name, to }: Change): Change {
  const controls = SECTIONS[section] ?? [];
  const control = controls.find((candidate) => candidate.name === name);
  if (control?.kind === "select") {
    return { section, name, to: control.options.find((option) => option !== to) ?? "" };
  }
  if (typeof to === "string") return { section, name, to: `${to}s` };
  const other = controls.find((candidate) => candidate.kind === "switch" && candidate.name !== name);
  return { section, name: other?.name ?? "", to };
}

/** Makes all changes of one section and saves. */
export function changeAndSave(changes: readonly Change[]): Script {
  return [...changes.map(carryOut), save];
}

function isText(section: string, name: string): boolean {
  return (SECTIONS[section] ?? []).some((control) => control.kind === "text" && control.name === name);
}
