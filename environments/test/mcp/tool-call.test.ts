import { ActFailureCode, type ToolStyle } from "@openforgerl/contracts/environment";
import { toolList } from "@openforgerl/environments/mcp/protocol";
import { parseToolCall } from "@openforgerl/environments/mcp/tool-call";
import { toolsOf } from "@openforgerl/environments/mcp/tools";
import { describe, expect, test } from "vitest";

const view = { width: 640, height: 360, scale: 0.5 };

function read(style: ToolStyle, name: string, input: unknown) {
  return parseToolCall(toolsOf(style), name, input, view);
}

function action(style: ToolStyle, name: string, input: unknown) {
  const call = read(style, name, input);
  if (call.kind !== "act") throw new Error(`${name} is ${JSON.stringify(call)}`);
  return call.action;
}

function complaint(style: ToolStyle, name: string, input: unknown) {
  const call = read(style, name, input);
  if (call.kind !== "invalid") throw new Error(`${name} was accepted`);
  return call.message;
}

describe("tools of each style", () => {
  const common =
    "press_key wait go_back go_forward reload goto new_tab switch_tab close_tab answer_dialog report_infeasible";
  const marks = "click hover type_text select_option scroll drag upload_file";
  const pixels = "click_at hover_at type_text scroll_at drag_at";
  test.each([
    ["marks", `screenshot ${marks} ${common}`],
    ["pixels", `screenshot ${pixels} ${common}`],
    ["both", `screenshot ${marks} click_at hover_at scroll_at drag_at ${common}`],
  ] as const)("%s", (style, names) => {
    expect([...toolsOf(style).keys()]).toEqual(names.split(" "));
  });

  test("type_text takes a mark only where there are marks", () => {
    expect(Object.keys(toolsOf("marks").get("type_text")!.input.shape)).toContain("mark");
    expect(Object.keys(toolsOf("pixels").get("type_text")!.input.shape)).toEqual(["text", "submit"]);
  });

  test("are listed as plain JSON schema", () => {
    const click = toolList(toolsOf("marks")).find((tool) => tool.name === "click");
    expect(click?.inputSchema).toEqual({
      type: "object",
      properties: {
        mark: { type: "integer", minimum: 0, description: "Number of the element in the latest observation" },
        button: { type: "string", enum: ["left", "middle", "right"], description: "Default left" },
        double: { type: "boolean", description: "Double-click" },
      },
      required: ["mark"],
      additionalProperties: false,
    });
  });
});

describe("valid calls become canonical actions", () => {
  const at = { by: "mark", mark: 3 };
  test.each([
    ["click", { mark: 3 }, { type: "click", at, button: "left", count: 1 }],
    ["click", { mark: 3, button: "right", double: true }, { type: "click", at, button: "right", count: 2 }],
    ["hover", { mark: 3 }, { type: "hover", at }],
    ["type_text", { text: "a" }, { type: "type", text: "a", clear: false, submit: false }],
    ["type_text", { text: "a", clear: true }, { type: "type", text: "a", clear: false, submit: false }],
    ["type_text", { text: "a", mark: 3 }, { type: "type", text: "a", into: at, clear: true, submit: false }],
    [
      "type_text",
      { text: "a", mark: 3, clear: false, submit: true },
      { type: "type", text: "a", into: at, clear: false, submit: true },
    ],
    ["select_option", { mark: 3, option: "Red" }, { type: "select", at, options: ["Red"] }],
    ["scroll", { direction: "down" }, { type: "scroll", dx: 0, dy: 540 }],
    ["scroll", { direction: "left", mark: 3, amount: 50 }, { type: "scroll", at, dx: -50, dy: 0 }],
    ["drag", { from_mark: 3, to_mark: 4 }, { type: "drag", from: at, to: { by: "mark", mark: 4 } }],
    ["upload_file", { mark: 3, path: "/f" }, { type: "upload", at, files: ["/f"] }],
    ["press_key", { keys: "Control+a" }, { type: "press", keys: "Control+a" }],
    ["wait", { seconds: 1.5 }, { type: "wait", ms: 1500 }],
    ["go_back", {}, { type: "back" }],
    ["go_forward", undefined, { type: "forward" }],
    ["reload", {}, { type: "reload" }],
    ["goto", { url: "http://a/" }, { type: "goto", url: "http://a/" }],
    ["new_tab", {}, { type: "tab_new" }],
    ["switch_tab", { index: 1 }, { type: "tab_switch", index: 1 }],
    ["close_tab", {}, { type: "tab_close" }],
    ["answer_dialog", { accept: true, text: "x" }, { type: "dialog", accept: true, text: "x" }],
    ["report_infeasible", { reason: "no" }, { type: "infeasible", reason: "no" }],
  ])("%s %j", (name, input, expected) => {
    expect(action("marks", name, input)).toEqual(expected);
  });

  test("image pixels become CSS pixels", () => {
    expect(action("pixels", "click_at", { x: 100, y: 50 })).toMatchObject({
      at: { by: "point", x: 200, y: 100 },
    });
    expect(action("both", "drag_at", { from_x: 1, from_y: 2, to_x: 3, to_y: 4 })).toEqual({
      type: "drag",
      from: { by: "point", x: 2, y: 4 },
      to: { by: "point", x: 6, y: 8 },
    });
    expect(action("pixels", "scroll_at", { x: 10, y: 20, direction: "right" })).toEqual({
      type: "scroll",
      at: { by: "point", x: 20, y: 40 },
      dx: 960,
      dy: 0,
    });
  });

  test("screenshot only looks", () => {
    expect(read("pixels", "screenshot", {})).toEqual({ kind: "look" });
  });
});

describe("bad calls name the field, the value and the mend", () => {
  test.each([
    ["click", {}, /mark is missing.*Call click again/],
    ["click", { mark: "three" }, /mark is "three".*expected number.*Call click again/],
    ["click", { mark: -1 }, /mark is -1/],
    ["click", { mark: 1, x: 4 }, /click does not take x; it takes mark, button, double/],
    ["scroll", { direction: "sideways" }, /direction is "sideways".*"up"/],
    ["click", [1], /arguments of click must be an object, got \[1\]/],
    ["click", "1", /arguments of click must be an object, got "1"/],
    ["click_at", { x: 1, y: 1 }, /no tool "click_at".*screenshot, click/],
    ["constructor", {}, /no tool "constructor"/],
  ])("%s %j", (name, input, words) => {
    expect(complaint("marks", name, input)).toMatch(words);
  });

  test("the code used for them is one that agents may be told", () => {
    expect(ActFailureCode.options).toContain("invalid_action");
  });
});
