import type { PointerButton, Target } from "@openforgerl/contracts/action";
import type { ActResult } from "@openforgerl/contracts/environment";
import type { BrowserPage } from "../page.ts";
import { type Spot, type Stage, spotOf } from "./aim.ts";

const BUTTONS = { left: 1, right: 2, middle: 4 } as const;
/** How long a native drag may take to start. */
const DRAG_START_MS = 500;

export async function click(
  stage: Stage,
  target: Target,
  button: PointerButton,
  count: number,
): Promise<ActResult> {
  const spot = await spotOf(stage, target);
  if ("ok" in spot) return spot;
  const { page } = stage;
  page.fileChooser = undefined;
  if (spot.select !== null) await page.ask(spot.world.call("holdPicker", spot.aim));
  const { session } = page;
  const at = { x: spot.x, y: spot.y, button, pointerType: "mouse" } as const;
  // Sent without waiting for each: DevTools keeps their order.
  const sent: Promise<unknown>[] = [move(page, spot)];
  for (let n = 1; n <= count; n++) {
    sent.push(
      session.send("Input.dispatchMouseEvent", {
        type: "mousePressed",
        ...at,
        buttons: BUTTONS[button],
        clickCount: n,
      }),
      session.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at, buttons: 0, clickCount: n }),
    );
  }
  await page.ask(Promise.all(sent));
  if (spot.select !== null) {
    const labels = spot.select.slice(0, 40).map((label) => JSON.stringify(label));
    return {
      ok: true,
      note: `${spot.label} is a native drop-down list and now has the focus; select one of ${labels.join(", ")}, or use the arrow keys.`,
    };
  }
  if (spot.file)
    return { ok: true, note: `${spot.label} opens a file chooser; answer it by uploading a file to it.` };
  return { ok: true };
}

export async function hover(stage: Stage, target: Target): Promise<ActResult> {
  const spot = await spotOf(stage, target);
  if ("ok" in spot) return spot;
  await stage.page.ask(move(stage.page, spot));
  return { ok: true };
}

/** Drags with the left button; native drags (draggable elements, links, images) are carried to their drop. */
export async function drag(stage: Stage, from: Target, to: Target): Promise<ActResult> {
  const end = await spotOf(stage, to);
  if ("ok" in end) return end;
  const start = await spotOf(stage, from);
  if ("ok" in start) return start;
  // Scrolling the start into view may have moved the end.
  const goal = to.by === "mark" ? await spotOf(stage, to) : end;
  if ("ok" in goal) return goal;
  const { page } = stage;
  return start.draggable ? await nativeDrag(page, start, goal) : await plainDrag(page, start, goal);
}

async function plainDrag(page: BrowserPage, start: Spot, end: Spot): Promise<ActResult> {
  const held = (type: "mousePressed" | "mouseReleased", at: Spot) =>
    page.session.send("Input.dispatchMouseEvent", {
      type,
      x: at.x,
      y: at.y,
      button: "left",
      buttons: type === "mousePressed" ? 1 : 0,
      clickCount: 1,
    });
  await page.ask(
    Promise.all([
      move(page, start),
      held("mousePressed", start),
      ...path(start, end).map((at) => move(page, at, 1)),
      held("mouseReleased", end),
    ]),
  );
  return { ok: true };
}

async function nativeDrag(page: BrowserPage, start: Spot, end: Spot): Promise<ActResult> {
  const { session } = page;
  await page.ask(session.send("Input.setInterceptDrags", { enabled: true }));
  try {
    type Data = Parameters<Parameters<typeof session.on<"Input.dragIntercepted">>[1]>[0]["data"];
    let taken = (_: Data | undefined) => {};
    const intercepted = new Promise<Data | undefined>((resolve) => {
      taken = resolve;
    });
    const listener = (event: { data: Data }) => taken(event.data);
    session.on("Input.dragIntercepted", listener);
    const press = { button: "left", buttons: 1, clickCount: 1, x: start.x, y: start.y } as const;
    // The moves are not answered while the drag is being intercepted, so they are not waited for.
    const moving = Promise.all([
      move(page, start),
      session.send("Input.dispatchMouseEvent", { type: "mousePressed", ...press }),
      ...path(start, end).map((at) => move(page, at, 1)),
    ]);
    moving.catch(() => {});
    const timer = setTimeout(() => taken(undefined), DRAG_START_MS);
    const data = await page.ask(intercepted);
    clearTimeout(timer);
    session.off("Input.dragIntercepted", listener);
    if (data !== undefined) {
      const at = { x: end.x, y: end.y, data };
      for (const type of ["dragEnter", "dragOver", "drop"] as const) {
        await page.ask(session.send("Input.dispatchDragEvent", { type, ...at }));
      }
    }
    await page.ask(
      session.send("Input.dispatchMouseEvent", {
        type: "mouseReleased",
        x: end.x,
        y: end.y,
        button: "left",
        clickCount: 1,
      }),
    );
  } finally {
    await session.send("Input.setInterceptDrags", { enabled: false }).catch(() => {});
  }
  return { ok: true };
}

function path(start: Spot, end: Spot): { x: number; y: number }[] {
  const steps = 8;
  return Array.from({ length: steps }, (_, at) => ({
    x: start.x + ((end.x - start.x) * (at + 1)) / steps,
    y: start.y + ((end.y - start.y) * (at + 1)) / steps,
  }));
}

function move(page: BrowserPage, to: { x: number; y: number }, buttons = 0): Promise<unknown> {
  return page.session.send("Input.dispatchMouseEvent", {
    type: "mouseMoved",
    x: to.x,
    y: to.y,
    button: buttons === 0 ? "none" : "left",
    buttons,
  });
}

/** Turns the wheel at a target, or in the middle of the viewport. */
export async function scroll(
  stage: Stage,
  target: Target | undefined,
  dx: number,
  dy: number,
): Promise<ActResult> {
  const { page } = stage;
  const middle = { x: stage.viewport.width / 2, y: stage.viewport.height / 2 };
  const spot = target === undefined ? middle : await spotOf(stage, target);
  if ("ok" in spot) return spot;
  const point = { x: spot.x, y: spot.y };
  const before = await page.ask(page.main.call("scrolled", point));
  await page.ask(
    page.session.send("Input.dispatchMouseEvent", { type: "mouseWheel", ...point, deltaX: dx, deltaY: dy }),
  );
  await page.ask(page.main.call("quiet", { thorough: true, maxMs: 800, hold: false }));
  const after = await page.ask(page.main.call("scrolled", point));
  const moved = before.length !== after.length || before.some((value, at) => value !== after[at]);
  return moved
    ? { ok: true }
    : { ok: true, note: "Nothing moved: there is no more to scroll in that direction here." };
}
