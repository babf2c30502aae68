import type { Action, Target } from "@openforgerl/contracts/action";
import type { Mark } from "@openforgerl/contracts/observation";
import type { Drawing } from "./model.ts";

interface Spot {
  x: number;
  y: number;
  mark?: Mark;
}

/**
 * What to draw over the picture an agent saw, to show what it did then.
 * @param marks the marks of that same picture.
 * @param view CSS pixels of the picture.
 */
export function drawingsOf(
  action: Action,
  marks: readonly Mark[] | undefined,
  view: { width: number; height: number },
): Drawing[] {
  const spot = (target: Target | undefined) => target && locate(target, marks);
  switch (action.type) {
    case "click":
      return pointer(spot(action.at), action.count);
    case "hover":
      return pointer(spot(action.at), 1);
    case "type": {
      const at = spot(action.into) ?? spotOf(marks?.find(({ focused }) => focused));
      return at ? [...outline(at), label(at, action.text)] : [];
    }
    case "select": {
      const at = spot(action.at);
      return at ? [...outline(at), label(at, action.options.join(", "))] : [];
    }
    case "upload": {
      const at = spot(action.at);
      return at ? [...outline(at), label(at, action.files.join(", "))] : [];
    }
    case "drag": {
      const [from, to] = [spot(action.from), spot(action.to)];
      if (!from || !to) return [];
      return [...outline(from), ...outline(to), arrow(from, to)];
    }
    case "scroll": {
      const at = spot(action.at) ?? { x: view.width / 2, y: view.height / 2 };
      // Long scrolls would leave the picture; the arrow shows the direction, the sentence the distance.
      const reach = Math.min(view.width, view.height) / 4;
      const length = Math.hypot(action.dx, action.dy) || 1;
      const by = Math.min(reach, length) / length;
      return [arrow(at, { x: at.x + action.dx * by, y: at.y + action.dy * by })];
    }
    default:
      return [];
  }
}

function locate(target: Target, marks: readonly Mark[] | undefined): Spot | undefined {
  if (target.by === "point") return { x: target.x, y: target.y };
  return spotOf(marks?.find(({ id }) => id === target.mark));
}

function spotOf(mark: Mark | undefined): Spot | undefined {
  if (!mark) return undefined;
  const { box } = mark;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, mark };
}

function pointer(at: Spot | undefined, rings: number): Drawing[] {
  return at ? [...outline(at), { shape: "ring", x: at.x, y: at.y, rings }] : [];
}

function outline({ mark }: Spot): Drawing[] {
  return mark ? [{ shape: "box", box: mark.box }] : [];
}

function arrow(from: Spot, to: Spot): Drawing {
  return { shape: "arrow", x1: from.x, y1: from.y, x2: to.x, y2: to.y };
}

/** Words under the thing they went into. */
function label({ x, y, mark }: Spot, text: string): Drawing {
  if (!mark) return { shape: "label", x, y: y + 14, text };
  return { shape: "label", x: mark.box.x, y: mark.box.y + mark.box.height, text };
}
