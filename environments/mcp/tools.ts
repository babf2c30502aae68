import type { ActionInput } from "@openforgerl/contracts/action";
import type { ToolStyle } from "@openforgerl/contracts/environment";
import { z } from "zod";

/** What a tool call is read against: the image the agent last saw. */
export interface View {
  /** Pixels of the screenshot image. */
  width: number;
  height: number;
  /** Image pixels per CSS pixel. */
  scale: number;
}

/** One tool of the environment. */
export interface EnvironmentTool {
  readonly name: string;
  readonly description: string;
  readonly styles: readonly ToolStyle[];
  readonly input: z.ZodObject;
  /** The canonical action of valid input; undefined where the tool only looks. */
  toAction(input: never, view: View): ActionInput | undefined;
}

const ALL: readonly ToolStyle[] = ["marks", "pixels", "both"];
const MARKS: readonly ToolStyle[] = ["marks", "both"];
const PIXELS: readonly ToolStyle[] = ["pixels", "both"];

const mark = z.int().nonnegative().describe("Number of the element in the latest observation");
const button = z.enum(["left", "middle", "right"]).optional().describe("Default left");
const double = z.boolean().optional().describe("Double-click");
const x = z.number().describe("Pixels from the left edge of the latest screenshot");
const y = z.number().describe("Pixels from the top edge of the latest screenshot");
const submit = z.boolean().optional().describe("Press Enter afterwards; default false");
const direction = z.enum(["up", "down", "left", "right"]);
const amount = z.number().positive().optional().describe("CSS pixels; default three quarters of the page");

/** Every tool of every style. A name that stands twice has a different shape in each of its styles. */
export const ENVIRONMENT_TOOLS: readonly EnvironmentTool[] = [
  tool("screenshot", "Look at the page: what is on it, as text and as an image.", ALL, {}, () => undefined),

  tool("click", "Click an element.", MARKS, { mark, button, double }, (input) => ({
    type: "click",
    at: byMark(input.mark),
    button: input.button,
    count: input.double ? 2 : 1,
  })),
  tool("hover", "Move the pointer over an element.", MARKS, { mark }, (input) => ({
    type: "hover",
    at: byMark(input.mark),
  })),
  tool(
    "type_text",
    "Type text into a field, or without a mark into whatever has the focus.",
    MARKS,
    {
      text: z.string(),
      mark: mark.optional(),
      clear: z.boolean().optional().describe("Replace what the field holds; default true with a mark"),
      submit,
    },
    (input) => ({
      type: "type",
      text: input.text,
      submit: input.submit,
      ...(input.mark === undefined ? {} : { into: byMark(input.mark), clear: input.clear ?? true }),
    }),
  ),
  tool(
    "select_option",
    "Choose an option of a select list by its visible label.",
    MARKS,
    { mark, option: z.string() },
    (input) => ({ type: "select", at: byMark(input.mark), options: [input.option] }),
  ),
  tool(
    "scroll",
    "Scroll the page, or the scrollable area around an element.",
    MARKS,
    { direction, mark: mark.optional(), amount },
    (input, view) => ({
      type: "scroll",
      ...(input.mark === undefined ? {} : { at: byMark(input.mark) }),
      ...wheel(input.direction, input.amount, view),
    }),
  ),
  tool(
    "drag",
    "Press the left button on one element and release it on another.",
    MARKS,
    { from_mark: mark, to_mark: mark },
    (input) => ({ type: "drag", from: byMark(input.from_mark), to: byMark(input.to_mark) }),
  ),
  tool("upload_file", "Put a file into a file field.", MARKS, { mark, path: z.string().min(1) }, (input) => ({
    type: "upload",
    at: byMark(input.mark),
    files: [input.path],
  })),

  tool("click_at", "Click a point.", PIXELS, { x, y, button, double }, (input, view) => ({
    type: "click",
    at: byPoint(input.x, input.y, view),
    button: input.button,
    count: input.double ? 2 : 1,
  })),
  tool("hover_at", "Move the pointer to a point.", PIXELS, { x, y }, (input, view) => ({
    type: "hover",
    at: byPoint(input.x, input.y, view),
  })),
  tool(
    "type_text",
    "Type text into whatever has the focus.",
    ["pixels"],
    { text: z.string(), submit },
    (input) => ({
      type: "type",
      text: input.text,
      submit: input.submit,
    }),
  ),
  tool(
    "scroll_at",
    "Scroll what lies under a point.",
    PIXELS,
    { x, y, direction, amount },
    (input, view) => ({
      type: "scroll",
      at: byPoint(input.x, input.y, view),
      ...wheel(input.direction, input.amount, view),
    }),
  ),
  tool(
    "drag_at",
    "Press the left button at one point and release it at another.",
    PIXELS,
    { from_x: x, from_y: y, to_x: x, to_y: y },
    (input, view) => ({
      type: "drag",
      from: byPoint(input.from_x, input.from_y, view),
      to: byPoint(input.to_x, input.to_y, view),
    }),
  ),

  tool(
    "press_key",
    'Press a key or a chord, named as KeyboardEvent.key: "Enter", "Control+a".',
    ALL,
    { keys: z.string().min(1) },
    (input) => ({ type: "press", keys: input.keys }),
  ),
  tool("wait", "Wait, then look.", ALL, { seconds: z.number().min(0).max(60) }, (input) => ({
    type: "wait",
    ms: Math.round(input.seconds * 1000),
  })),
  tool("go_back", "Go back in the tab's history.", ALL, {}, () => ({ type: "back" })),
  tool("go_forward", "Go forward in the tab's history.", ALL, {}, () => ({ type: "forward" })),
  tool("reload", "Reload the page.", ALL, {}, () => ({ type: "reload" })),
  tool("goto", "Open an address in the current tab.", ALL, { url: z.string().min(1) }, (input) => ({
    type: "goto",
    url: input.url,
  })),
  tool("new_tab", "Open a tab and switch to it.", ALL, { url: z.string().min(1).optional() }, (input) => ({
    type: "tab_new",
    url: input.url,
  })),
  tool("switch_tab", "Switch to a tab.", ALL, { index: z.int().nonnegative() }, (input) => ({
    type: "tab_switch",
    index: input.index,
  })),
  tool(
    "close_tab",
    "Close a tab, by default the current one.",
    ALL,
    { index: z.int().nonnegative().optional() },
    (input) => ({ type: "tab_close", index: input.index }),
  ),
  tool(
    "answer_dialog",
    "Accept or dismiss the open dialog.",
    ALL,
    { accept: z.boolean(), text: z.string().optional().describe("What to enter in a prompt") },
    (input) => ({ type: "dialog", accept: input.accept, text: input.text }),
  ),
  tool(
    "report_infeasible",
    "Give up: the task cannot be done here. Say why.",
    ALL,
    { reason: z.string().min(1) },
    (input) => ({ type: "infeasible", reason: input.reason }),
  ),
];

/** The tools of one style, by name, in the order they are listed to the agent. */
export function toolsOf(style: ToolStyle): ReadonlyMap<string, EnvironmentTool> {
  return new Map(
    ENVIRONMENT_TOOLS.filter((entry) => entry.styles.includes(style)).map((entry) => [entry.name, entry]),
  );
}

/** An action whose optional fields may also be spelt out as undefined, which zod reads as left out. */
type LooseAction = ActionInput extends infer A
  ? A extends { type: string }
    ? { [K in keyof A]: undefined extends A[K] ? A[K] | undefined : A[K] }
    : never
  : never;

function tool<S extends z.ZodRawShape>(
  name: string,
  description: string,
  styles: readonly ToolStyle[],
  shape: S,
  toAction: (input: z.output<z.ZodObject<S>>, view: View) => LooseAction | undefined,
): EnvironmentTool {
  return {
    name,
    description,
    styles,
    input: z.strictObject(shape) as unknown as z.ZodObject,
    toAction: toAction as EnvironmentTool["toAction"],
  };
}

function byMark(id: number) {
  return { by: "mark" as const, mark: id };
}

function byPoint(imageX: number, imageY: number, view: View) {
  return { by: "point" as const, x: imageX / view.scale, y: imageY / view.scale };
}

function wheel(towards: z.infer<typeof direction>, by: number | undefined, view: View) {
  const horizontal = towards === "left" || towards === "right";
  const page = (horizontal ? view.width : view.height) / view.scale;
  const distance = by ?? Math.round(page * 0.75);
  const signed = towards === "up" || towards === "left" ? -distance : distance;
  return horizontal ? { dx: signed } : { dy: signed };
}
