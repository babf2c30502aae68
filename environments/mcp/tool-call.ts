import { Action } from "@openforgerl/contracts/action";
import type { z } from "zod";
import type { EnvironmentTool, View } from "./tools.ts";

/** A tool call read: an action to do, a wish to look, or a sentence saying what is wrong with it. */
export type ToolCall =
  | { kind: "act"; action: Action }
  | { kind: "look" }
  | { kind: "invalid"; message: string };

/**
 * Reads a tool call. Never throws: whatever a model sends, the outcome is something the model can be told.
 * @param input the call's arguments as they arrived.
 */
export function parseToolCall(
  tools: ReadonlyMap<string, EnvironmentTool>,
  name: string,
  input: unknown,
  view: View,
): ToolCall {
  const tool = tools.get(name);
  if (!tool) {
    const names = [...tools.keys()].join(", ");
    return { kind: "invalid", message: `There is no tool ${JSON.stringify(name)}. The tools are ${names}.` };
  }
  const parsed = tool.input.safeParse(input ?? {});
  if (!parsed.success) return { kind: "invalid", message: explain(tool, parsed.error, input) };
  const action = tool.toAction(parsed.data as never, view);
  return action === undefined ? { kind: "look" } : { kind: "act", action: Action.parse(action) };
}

function explain(tool: EnvironmentTool, error: z.ZodError, input: unknown): string {
  const problems = error.issues.map((issue) => {
    if (issue.code === "unrecognized_keys") {
      const known = Object.keys(tool.input.shape).join(", ") || "nothing";
      return `${tool.name} does not take ${issue.keys.join(", ")}; it takes ${known}`;
    }
    const field = issue.path.map(String).join(".");
    if (field === "") return `the arguments of ${tool.name} must be an object, got ${shown(input)}`;
    const value = Reflect.get(input as object, field);
    if (value === undefined) return `${field} is missing: ${issue.message}`;
    return `${field} is ${shown(value)}: ${issue.message}`;
  });
  return `${problems.join("; ")}. Call ${tool.name} again with this corrected.`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
