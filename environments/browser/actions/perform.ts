import { setTimeout as sleep } from "node:timers/promises";
import type { Action } from "@openforgerl/contracts/action";
import type { ActResult } from "@openforgerl/contracts/environment";
import type { Dialogs } from "../dialogs.ts";
import type { Tabs } from "../tabs.ts";
import { failure, type Stage } from "./aim.ts";
import { select, type, upload } from "./forms.ts";
import { press } from "./keyboard.ts";
import { goto, reload, travel } from "./navigation.ts";
import { click, drag, hover, scroll } from "./pointer.ts";

/** Actions that need nothing of the page, and so can be done while a dialog is open. */
const DESPITE_DIALOG = new Set<Action["type"]>(["dialog", "wait", "answer", "done", "infeasible"]);

/**
 * Carries out one action of the canonical union. Settling afterwards is the caller's.
 * @param closing aborted when the episode is being closed.
 */
export async function perform(
  action: Action,
  stage: Stage,
  tabs: Tabs,
  dialogs: Dialogs,
  closing: AbortSignal,
): Promise<ActResult> {
  const open = dialogs.current;
  if (open !== undefined && !DESPITE_DIALOG.has(action.type)) {
    return failure(
      "dialog_open",
      `A dialog is open (${open.kind} ${JSON.stringify(open.message)}) and blocks the page; accept or dismiss it first.`,
    );
  }
  switch (action.type) {
    case "click":
      return await click(stage, action.at, action.button, action.count);
    case "hover":
      return await hover(stage, action.at);
    case "drag":
      return await drag(stage, action.from, action.to);
    case "type":
      return await type(stage, action);
    case "press":
      return await press(stage.page, action.keys);
    case "scroll":
      return await scroll(stage, action.at, action.dx, action.dy);
    case "wait":
      await sleep(action.ms, undefined, { signal: closing }).catch(() => {});
      return { ok: true };
    case "goto":
      return await goto(stage.page, action.url);
    case "back":
      return await travel(stage.page, -1);
    case "forward":
      return await travel(stage.page, 1);
    case "reload":
      return await reload(stage.page);
    case "tab_new": {
      const page = await tabs.open();
      return action.url === undefined ? { ok: true } : await goto(page, action.url);
    }
    case "tab_switch": {
      const page = tabs.all[action.index];
      if (page === undefined) return noSuchTab(tabs, action.index);
      await tabs.show(page);
      return { ok: true };
    }
    case "tab_close":
      return await closeTab(tabs, action.index);
    case "select":
      return await select(stage, action);
    case "upload":
      return await upload(stage, action);
    case "dialog":
      if (open === undefined) return failure("no_dialog", "No dialog is open.");
      await dialogs.answer(action.accept, action.text);
      return { ok: true };
    case "answer":
    case "done":
    case "infeasible":
      return { ok: true };
  }
}

async function closeTab(tabs: Tabs, index: number | undefined): Promise<ActResult> {
  const page = index === undefined ? tabs.active : tabs.all[index];
  if (page === undefined) return noSuchTab(tabs, index!);
  if (tabs.all.length === 1) return failure("invalid_action", "This is the only tab; it cannot be closed.");
  await page.driver.close();
  await tabs.show(tabs.active);
  return { ok: true };
}

function noSuchTab(tabs: Tabs, index: number): ActResult {
  return failure("no_such_tab", `There is no tab ${index}; there are tabs 0 to ${tabs.all.length - 1}.`);
}
