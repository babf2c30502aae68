import type { Action, Target } from "@openforgerl/contracts/action";
import type { Mark } from "@openforgerl/contracts/observation";
import { markLabel } from "./observation-text.ts";

/**
 * Says in one sentence what an action did, in the past tense, as the first line of the answer to it.
 * @param marks the marks of the observation that the action was aimed at.
 * @param scale image pixels per CSS pixel, so that points are named as the agent gave them.
 */
export function actionText(action: Action, marks: readonly Mark[] | undefined, scale: number): string {
  const at = (target: Target) => targetText(target, marks, scale);
  switch (action.type) {
    case "click": {
      const verb = action.count === 1 ? "Clicked" : action.count === 2 ? "Double-clicked" : "Triple-clicked";
      return `${action.button === "left" ? verb : `${verb} (${action.button} button)`} ${at(action.at)}.`;
    }
    case "hover":
      return `Moved the pointer over ${at(action.at)}.`;
    case "drag":
      return `Dragged ${at(action.from)} to ${at(action.to)}.`;
    case "type": {
      const into = action.into ? ` into ${at(action.into)}` : "";
      return `Typed ${JSON.stringify(action.text)}${into}${action.submit ? " and pressed Enter" : ""}.`;
    }
    case "press":
      return `Pressed ${action.keys}.`;
    case "scroll":
      return `Scrolled ${scrollText(action.dx, action.dy)}${action.at ? ` at ${at(action.at)}` : ""}.`;
    case "wait":
      return `Waited ${action.ms / 1000} s.`;
    case "goto":
      return `Opened ${action.url}.`;
    case "back":
      return "Went back.";
    case "forward":
      return "Went forward.";
    case "reload":
      return "Reloaded the page.";
    case "tab_new":
      return action.url === undefined ? "Opened a new tab." : `Opened ${action.url} in a new tab.`;
    case "tab_switch":
      return `Switched to tab ${action.index}.`;
    case "tab_close":
      return action.index === undefined ? "Closed the tab." : `Closed tab ${action.index}.`;
    case "select":
      return `Selected ${action.options.map((option) => JSON.stringify(option)).join(", ")} in ${at(action.at)}.`;
    case "upload":
      return `Put ${action.files.join(", ")} into ${at(action.at)}.`;
    case "dialog":
      return action.accept ? "Accepted the dialog." : "Dismissed the dialog.";
    case "answer":
      return `Answered ${JSON.stringify(action.text)}.`;
    case "done":
      return "Done.";
    case "infeasible":
      return "Reported the task as infeasible. The episode is over: stop here.";
  }
}

function targetText(target: Target, marks: readonly Mark[] | undefined, scale: number): string {
  if (target.by === "point") return `(${Math.round(target.x * scale)}, ${Math.round(target.y * scale)})`;
  const mark = marks?.[target.mark];
  return mark ? `[${target.mark}] ${markLabel(mark)}` : `[${target.mark}]`;
}

function scrollText(dx: number, dy: number): string {
  const parts: string[] = [];
  if (dy !== 0) parts.push(`${dy > 0 ? "down" : "up"} ${Math.abs(dy)} px`);
  if (dx !== 0) parts.push(`${dx > 0 ? "right" : "left"} ${Math.abs(dx)} px`);
  return parts.join(" and ") || "by nothing";
}
