import { Action } from "@openforgerl/contracts/action";
import type { Mark } from "@openforgerl/contracts/observation";
import { describe, expect, it } from "vitest";
import { drawingsOf } from "../../report/drawings.ts";

const view = { width: 400, height: 200 };
const marks: Mark[] = [
  { id: 0, role: "textbox", name: "Search", focused: true, box: { x: 10, y: 20, width: 100, height: 30 } },
  { id: 1, role: "button", name: "Go", box: { x: 200, y: 20, width: 40, height: 30 } },
];
const draw = (action: object) => drawingsOf(Action.parse(action), marks, view);

describe("what is drawn over a picture", () => {
  it("rings the point of a click, once a click, and boxes the mark aimed at", () => {
    expect(draw({ type: "click", at: { by: "point", x: 7, y: 8 }, count: 2 })).toEqual([
      { shape: "ring", x: 7, y: 8, rings: 2 },
    ]);
    expect(draw({ type: "click", at: { by: "mark", mark: 1 } })).toEqual([
      { shape: "box", box: marks[1]!.box },
      { shape: "ring", x: 220, y: 35, rings: 1 },
    ]);
  });

  it("puts typed words under the field, or under the one that has the focus", () => {
    const label = { shape: "label", x: 10, y: 50, text: "mug" };
    expect(draw({ type: "type", text: "mug", into: { by: "mark", mark: 0 } })).toContainEqual(label);
    expect(draw({ type: "type", text: "mug" })).toContainEqual(label);
  });

  it("draws a drag from thing to thing", () => {
    expect(
      draw({ type: "drag", from: { by: "mark", mark: 1 }, to: { by: "point", x: 300, y: 150 } }),
    ).toContainEqual({
      shape: "arrow",
      x1: 220,
      y1: 35,
      x2: 300,
      y2: 150,
    });
  });

  it("keeps the arrow of a long scroll inside the picture", () => {
    expect(draw({ type: "scroll", dy: 5000 })).toEqual([
      { shape: "arrow", x1: 200, y1: 100, x2: 200, y2: 150 },
    ]);
    expect(draw({ type: "scroll", dy: -20 })).toEqual([
      { shape: "arrow", x1: 200, y1: 100, x2: 200, y2: 80 },
    ]);
  });

  it("draws nothing for a mark that the picture does not have, or an action without a place", () => {
    expect(draw({ type: "click", at: { by: "mark", mark: 9 } })).toEqual([]);
    expect(draw({ type: "press", keys: "Enter" })).toEqual([]);
  });
});
