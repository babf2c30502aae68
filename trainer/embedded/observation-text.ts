import { MAX_MARKS, MAX_OPTIONS } from "./tokens.ts";

/** A `[n]` line of an observation. */
export interface MarkLine {
  id: number;
  role: string;
  name: string;
  value?: string;
  options: string[];
  states: string[];
  /** Centre, in pixels of the image. */
  x: number;
  y: number;
}

/** What the policy reads of an observation's text. */
export interface ObservationText {
  /** Code of the failed action, if the last one failed. */
  error?: string;
  /** First line that tells what happened. */
  headline: string;
  title: string;
  above: number;
  below: number;
  /** An open JavaScript dialog's line. */
  dialog?: string;
  /** At most MAX_MARKS, in order; `marks[i].id` is i unless the text was made by someone else. */
  marks: MarkLine[];
}

const STRING = '"(?:[^"\\\\]|\\\\.)*"';
const MARK = new RegExp(
  `^\\[(\\d+)\\] (\\S+) (${STRING})(?: value=(${STRING}))?(?: options=\\[((?:${STRING},?)*)\\])?((?: [a-z]+)*) @(-?\\d+),(-?\\d+)$`,
);

/**
 * The lines of an observation that go into the prompt: all between the tags but the page's address and the
 * list of tabs, which differ between runs of one task.
 * @returns undefined when the text holds no observation.
 */
export function observationLines(text: string): string | undefined {
  const start = text.lastIndexOf("<observation>");
  if (start === -1) return undefined;
  const end = text.indexOf("</observation>", start);
  const inner = text.slice(start + "<observation>".length, end === -1 ? undefined : end);
  return inner
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^(URL|Tabs): /.test(line))
    .join("\n");
}

/** Reads the rendered lines of an observation; lines of unknown form are passed over. */
export function readObservation(lines: string): ObservationText {
  const observation: ObservationText = { headline: "", title: "", above: 0, below: 0, marks: [] };
  for (const [i, line] of lines.split("\n").entries()) {
    const mark = line.startsWith("[") ? readMark(line) : undefined;
    if (mark) {
      if (observation.marks.length < MAX_MARKS) observation.marks.push(mark);
      continue;
    }
    const [, kind, rest = ""] = /^(Page|Scroll|Dialog): (.*)$/.exec(line) ?? [];
    if (kind === "Page") observation.title = readString(rest);
    else if (kind === "Dialog") observation.dialog = rest;
    else if (kind === "Scroll") {
      const [above = 0, below = 0] = Array.from(rest.matchAll(/-?\d+/g), Number);
      observation.above = above;
      observation.below = below;
    } else if (i === 0) {
      observation.headline = line;
      const code = /^Error \(([a-z_]+)\)/.exec(line)?.[1];
      if (code !== undefined) observation.error = code;
    }
  }
  return observation;
}

function readMark(line: string): MarkLine | undefined {
  const match = MARK.exec(line);
  if (!match) return undefined;
  const [, id, role = "", name = '""', value, options = "", states = "", x, y] = match;
  return {
    id: Number(id),
    role,
    name: readString(name),
    ...(value === undefined ? {} : { value: readString(value) }),
    options: Array.from(options.matchAll(new RegExp(STRING, "g")), ([text]) => readString(text)).slice(
      0,
      MAX_OPTIONS,
    ),
    states: states.split(" ").filter((word) => word !== ""),
    x: Number(x),
    y: Number(y),
  };
}

function readString(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : json;
  } catch {
    return json;
  }
}
