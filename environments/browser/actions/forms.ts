import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { Action } from "@openforgerl/contracts/action";
import type { ActResult } from "@openforgerl/contracts/environment";
import type { Done } from "../in-page/kit.ts";
import { type Failure, failure, inFrame, name, type Stage, spotOf } from "./aim.ts";
import { press, typeText } from "./keyboard.ts";
import { click } from "./pointer.ts";

type Of<T extends Action["type"]> = Extract<Action, { type: T }>;

/** How long a clicked element may take to open its file chooser. */
const CHOOSER_MS = 1_000;

/** Types text, into a field if one is named, replacing what it holds if asked. */
export async function type(stage: Stage, action: Of<"type">): Promise<ActResult> {
  const { page } = stage;
  if (action.into !== undefined) {
    const place = inFrame(stage, action.into);
    if ("ok" in place) return place;
    const focused = await page.ask(place.world.call("focus", { ...place.aim, clear: action.clear }));
    if (!focused.ok) return translated(stage, action.into, focused);
    if (focused.fill) {
      const filled = await page.ask(place.world.call("fill", { ...place.aim, text: action.text }));
      if (!filled.ok) return translated(stage, action.into, filled);
      return action.submit ? await press(page, "Enter") : { ok: true };
    }
    if (action.clear && action.text === "" && !focused.empty) await press(page, "Delete");
  }
  await typeText(page, action.text);
  return action.submit ? await press(page, "Enter") : { ok: true };
}

/** Chooses options of a native select by label. */
export async function select(stage: Stage, action: Of<"select">): Promise<ActResult> {
  const place = inFrame(stage, action.at);
  if ("ok" in place) return place;
  const done = await stage.page.ask(place.world.call("select", { ...place.aim, options: action.options }));
  return done.ok ? { ok: true } : translated(stage, action.at, done);
}

/** Gives files to a file input, or to the chooser that a click on the target opens. */
export async function upload(stage: Stage, action: Of<"upload">): Promise<ActResult> {
  const { page } = stage;
  const files = action.files.map((file) => resolve(file));
  for (const file of files) {
    const there = await access(file).then(
      () => true,
      () => false,
    );
    if (!there) return failure("file_not_found", `There is no file ${JSON.stringify(file)} to upload.`);
  }
  const place = inFrame(stage, action.at);
  if ("ok" in place) return place;
  const input = await page.ask(place.world.handle("fileInput", place.aim));
  if (input !== undefined) {
    await page.ask(place.world.session.send("DOM.setFileInputFiles", { files, objectId: input }));
    return { ok: true };
  }
  if (page.fileChooser === undefined) {
    const clicked = await click(stage, action.at, "left", 1);
    if (!clicked.ok) return clicked;
    const end = Date.now() + CHOOSER_MS;
    while (page.fileChooser === undefined && Date.now() < end) await new Promise((go) => setTimeout(go, 20));
  }
  if (page.fileChooser === undefined) {
    const spot = await spotOf(stage, action.at);
    return failure(
      "invalid_action",
      `${"ok" in spot ? "That" : spot.label} is not a file input and opens no file chooser.`,
    );
  }
  await page.ask(page.session.send("DOM.setFileInputFiles", { files, backendNodeId: page.fileChooser }));
  page.fileChooser = undefined;
  return { ok: true };
}

function translated(stage: Stage, target: Of<"select">["at"], done: Extract<Done, { ok: false }>): Failure {
  if (target.by === "point") return failure(done.code, done.message);
  const index = stage.marks[target.mark]?.index ?? target.mark;
  return failure(done.code, name(target.mark, index, done.message));
}
