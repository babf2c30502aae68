import type { Mark, Observation } from "@openforgerl/contracts/observation";

export interface ObservationTextOptions {
  /** What happened, or why nothing did: the first line. Left out for a mere look. */
  headline?: string;
  /** Image pixels per CSS pixel of the screenshot the text belongs to. */
  scale: number;
}

/**
 * Prints an observation the way every harness, model and test reads it: one line per thing, names as JSON
 * string literals, `@x,y` the centre in pixels of the sent image. Marks are printed where the observation
 * has them.
 */
export function observationText(observation: Observation, options: ObservationTextOptions): string {
  const lines = ["<observation>"];
  if (options.headline !== undefined) lines.push(oneLine(options.headline));
  lines.push(`Page: ${quote(observation.title)}`);
  lines.push(`URL: ${oneLine(observation.url)}`);
  lines.push(
    `Scroll: ${Math.round(observation.scroll.above)} px above, ${Math.round(observation.scroll.below)} px below`,
  );
  const { dialog, tabs } = observation;
  if (dialog) lines.push(`Dialog: ${dialog.kind} ${quote(dialog.message)}`);
  if (tabs.length > 1) {
    const shown = tabs.map((tab) => `${tab.index}${tab.active ? "*" : ""} ${quote(tab.title)}`);
    lines.push(`Tabs: ${shown.join(" | ")}`);
  }
  for (const mark of observation.marks ?? []) lines.push(markLine(mark, options.scale));
  lines.push("</observation>");
  return lines.join("\n");
}

/** `button "Add to cart"`: how a mark is named in sentences. */
export function markLabel(mark: Mark): string {
  return `${mark.role} ${quote(mark.name)}`;
}

function markLine(mark: Mark, scale: number): string {
  const { box } = mark;
  const parts = [`[${mark.id}] ${markLabel(mark)}`];
  if (mark.value !== undefined) parts.push(`value=${quote(mark.value)}`);
  if (mark.options !== undefined) parts.push(`options=[${mark.options.map(quote).join(",")}]`);
  if (mark.checked !== undefined) parts.push(mark.checked ? "checked" : "unchecked");
  if (mark.selected) parts.push("selected");
  if (mark.expanded !== undefined) parts.push(mark.expanded ? "expanded" : "collapsed");
  if (mark.disabled) parts.push("disabled");
  if (mark.focused) parts.push("focused");
  const x = Math.round((box.x + box.width / 2) * scale);
  const y = Math.round((box.y + box.height / 2) * scale);
  parts.push(`@${x},${y}`);
  return parts.join(" ");
}

// JSON leaves these two as they are, yet many readers take them for the end of a line.
const LINE_SEPARATORS = /[\u2028\u2029]/g;

function quote(text: string): string {
  return JSON.stringify(text).replace(LINE_SEPARATORS, (c) => `\\u${c.charCodeAt(0).toString(16)}`);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
