import type { Verb } from "../../../embedded/tokens.ts";

/** An element of a made-up page. */
export interface Thing {
  role: string;
  name: string;
  value?: string;
  options?: string[];
  checked?: boolean;
  click?(): void;
  enter?(text: string, submit: boolean): void;
  choose?(option: string): void;
}

/** A made-up page that behaves: no browser, the same text format. */
export interface World {
  instruction: string;
  title(): string;
  things(): Thing[];
  /** Screenshot, where the task needs one, with its size. */
  picture?: { png: Uint8Array; width: number; height: number };
  clickAt?(x: number, y: number): void;
  /** The right final words, where the task is a question. */
  answers?: string;
  solved(): boolean;
  maxSteps: number;
}

export const MARK_TOOLS: ReadonlySet<Verb> = new Set<Verb>([
  "screenshot",
  "click",
  "type_text",
  "select_option",
  "press_key",
  "scroll",
  "go_back",
  "answer_dialog",
]);
export const PIXEL_TOOLS: ReadonlySet<Verb> = new Set<Verb>([
  "screenshot",
  "click_at",
  "type_text",
  "press_key",
  "scroll",
  "go_back",
  "answer_dialog",
]);

/** The observation text of a page in the format of the environment's tools. */
export function observationOf(
  world: World,
  headline: string | undefined,
  places: readonly [number, number][],
): string {
  const lines = ["<observation>"];
  if (headline !== undefined) lines.push(headline);
  lines.push(
    `Page: ${JSON.stringify(world.title())}`,
    "URL: http://127.0.0.1:1/x",
    "Scroll: 0 px above, 0 px below",
  );
  world.things().forEach((thing, i) => {
    const parts = [`[${i}] ${thing.role} ${JSON.stringify(thing.name)}`];
    if (thing.value !== undefined) parts.push(`value=${JSON.stringify(thing.value)}`);
    if (thing.options)
      parts.push(`options=[${thing.options.map((option) => JSON.stringify(option)).join(",")}]`);
    if (thing.checked !== undefined) parts.push(thing.checked ? "checked" : "unchecked");
    const [x, y] = places[i] ?? [20 + (i % 3) * 90, 20 + i * 16];
    lines.push(`${parts.join(" ")} @${x},${y}`);
  });
  lines.push("</observation>");
  return lines.join("\n");
}
