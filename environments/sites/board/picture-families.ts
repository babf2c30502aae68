import { defineFamily } from "../core/family.ts";
import { clickPoint } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { COLOURS, shade } from "./colours.ts";
import { scatter } from "./place.ts";
import { BOARD_VIEWPORT, type BoardState, emptyBoard, type Figure } from "./state.ts";

const FORMS = ["circle", "square", "triangle"] as const;
type Form = (typeof FORMS)[number];

interface Shape {
  colour: string;
  form: Form;
}

/** Where a click hits the figure whatever its form: a triangle's middle lies low. */
function inside({ x, y, width, height }: Figure): { x: number; y: number } {
  return { x: x + width / 2, y: y + height * 0.6 };
}

function aimAt(state: BoardState, name: string) {
  const figure = state.figures.find((candidate) => candidate.name === name);
  return [clickPoint(inside(figure as Figure))];
}

const clickColour = defineFamily<{ target: string; others: string[] }, BoardState>({
  id: "board/click-colour",
  level: 1,
  title: "Click the coloured button in a picture (no marks)",
  viewport: BOARD_VIEWPORT,
  toolStyle: "pixels",
  maxSteps: 1,
  distinct: 3720, // a target among 3 to 6 of 10 colours
  draw(rng) {
    const [target = "", ...others] = rng.sample(COLOURS, rng.int(3, 6));
    return { target, others: others.sort() };
  },
  world({ target, others }, rng) {
    const board = emptyBoard("picture", "Board", rng.int(0, 359));
    const names = [target, ...others];
    const sizes = names.map(() => ({ width: rng.int(56, 88), height: rng.int(30, 44) }));
    const places = scatter(rng, sizes, { columns: 3, rows: 3 });
    board.figures = names.map((name, i) => ({
      name,
      form: "button",
      fill: shade(name, rng),
      ...(sizes[i] ?? { width: 60, height: 30 }),
      ...(places[i] ?? { x: 0, y: 0 }),
    }));
    return board;
  },
  phrasings: ({ target }) => [
    `Click the ${target} button.`,
    `Press the ${target} button.`,
    `Find the ${target} button and click it.`,
  ],
  goal({ target }, state) {
    state.clicks.push(target);
  },
  oracle: ({ target }, state) => aimAt(state, target),
  wrong: ({ others }, state) => aimAt(state, others[0] ?? ""),
});

function nameOf({ colour, form }: Shape): string {
  return `${colour} ${form}`;
}

function drawShapes(rng: Rng): { target: Shape; others: Shape[] } {
  const [colour = "", ...colours] = rng.sample(COLOURS, 3);
  const [form = "circle", ...forms] = rng.shuffle(FORMS);
  const otherColour = rng.pick(colours);
  const otherForm = rng.pick(forms);
  // One distractor shares the colour, one the form: neither word alone finds the target.
  const near = [
    { colour, form: otherForm },
    { colour: otherColour, form },
  ];
  const taken = new Set([nameOf({ colour, form }), ...near.map(nameOf)]);
  const free = [colour, ...colours]
    .flatMap((c) => FORMS.map((f) => ({ colour: c, form: f })))
    .filter((shape) => !taken.has(nameOf(shape)));
  return { target: { colour, form }, others: [...near, ...rng.sample(free, rng.int(1, 3))] };
}

const clickShape = defineFamily<{ target: Shape; others: Shape[] }, BoardState>({
  id: "board/click-shape-colour",
  level: 1,
  title: "Click the shape of that colour in a picture, among shapes that share one or the other (no marks)",
  viewport: BOARD_VIEWPORT,
  toolStyle: "pixels",
  maxSteps: 1,
  distinct: 5000,
  draw: drawShapes,
  key: ({ target, others }) => [nameOf(target), ...others.map(nameOf).sort()],
  world({ target, others }, rng) {
    const board = emptyBoard("picture", "Board", rng.int(0, 359));
    const shapes = [target, ...others];
    const sizes = shapes.map(() => {
      const side = rng.int(38, 60);
      return { width: side, height: side };
    });
    const places = scatter(rng, sizes, { columns: 4, rows: 3 });
    board.figures = shapes.map((shape, i) => ({
      name: nameOf(shape),
      form: shape.form,
      fill: shade(shape.colour, rng),
      ...(sizes[i] ?? { width: 40, height: 40 }),
      ...(places[i] ?? { x: 0, y: 0 }),
    }));
    return board;
  },
  phrasings: ({ target }) => [
    `Click the ${nameOf(target)}.`,
    `Select the ${nameOf(target)}.`,
    `There is one ${nameOf(target)}. Click it.`,
  ],
  goal({ target }, state) {
    state.clicks.push(nameOf(target));
  },
  oracle: ({ target }, state) => aimAt(state, nameOf(target)),
  wrong: ({ others }, state) => aimAt(state, nameOf(others[0] as Shape)),
});

/** Lessons on a canvas: the agent sees a picture and points. */
export const pictureFamilies = [clickColour, clickShape];
