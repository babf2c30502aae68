import sharp from "sharp";
import { Draws } from "./random.ts";
import { vocabulary } from "./vocabulary.ts";
import type { Thing, World } from "./world.ts";

export type LessonName = "colour" | "click" | "toggle" | "type" | "select" | "two" | "form" | "shop";

type Split = "train" | "held-out";

/** Makes a task of a lesson; the same seed gives the same task. */
export function makeWorld(lesson: LessonName, seed: number, split: Split): Promise<World> | World {
  return LESSONS[lesson](new Draws(seed * 2 + (split === "train" ? 0 : 1)), vocabulary(split));
}

type Words = ReturnType<typeof vocabulary>;

const COLOURS: Record<string, string> = {
  red: "#d33",
  green: "#2a4",
  blue: "#36d",
  yellow: "#ed3",
  purple: "#83b",
  orange: "#f83",
};

async function colour(draws: Draws): Promise<World> {
  const names = draws.sample(Object.keys(COLOURS), draws.int(3, 6));
  const [target = ""] = names;
  const boxes: { name: string; x: number; y: number; w: number; h: number }[] = [];
  for (const name of names) {
    for (let attempt = 0; attempt < 50; attempt++) {
      const w = draws.int(56, 88);
      const h = draws.int(30, 44);
      const box = { name, x: draws.int(2, 318 - w), y: draws.int(2, 238 - h), w, h };
      const clear = boxes.every(
        (b) => b.x + b.w < box.x || box.x + w < b.x || b.y + b.h < box.y || box.y + h < b.y,
      );
      if (clear) {
        boxes.push(box);
        break;
      }
    }
  }
  const shapes = boxes.map(
    (b) => `<rect x="${b.x}" y="${b.y}" width="${b.w}" height="${b.h}" rx="4" fill="${COLOURS[b.name]}"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240"><rect width="320" height="240" fill="#f5f5f2"/>${shapes.join("")}</svg>`;
  const png = await sharp(Buffer.from(svg)).png().toBuffer();
  let hit = "";
  return {
    instruction: draws.pick([
      `Click the ${target} box.`,
      `Press the ${target} shape.`,
      `Find the ${target} one and click it.`,
    ]),
    title: () => "Board",
    things: () => [],
    picture: { png, width: 320, height: 240 },
    clickAt(x, y) {
      hit = boxes.find((b) => x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h)?.name ?? "nothing";
    },
    solved: () => hit === target,
    maxSteps: 1,
  };
}

function click(draws: Draws, { nouns, adjectives, capital }: Words): World {
  const phrase = draws.float() < 0.4;
  const names = phrase
    ? draws.sample(nouns, draws.int(4, 8)).map((noun) => capital(`${draws.pick(adjectives)} ${noun}`))
    : draws.sample(nouns, draws.int(4, 8)).map(capital);
  const [target = ""] = names;
  const clicked: string[] = [];
  const things = draws
    .shuffle(names)
    .map((name): Thing => ({ role: "button", name, click: () => clicked.push(name) }));
  return {
    instruction: draws.pick([
      `Click the ${target} button.`,
      `Press ${target}.`,
      `Find the button called ${target} and click it.`,
    ]),
    title: () => "Board",
    things: () => [{ role: "heading", name: "Board" }, ...things],
    solved: () => clicked.length === 1 && clicked[0] === target,
    maxSteps: 1,
  };
}

function toggle(draws: Draws, { switches }: Words): World {
  const names = draws.sample(switches, draws.int(3, 6));
  const [target = ""] = names;
  const on = draws.float() < 0.5;
  const state = new Map(names.map((name) => [name, name === target ? !on : draws.float() < 0.5]));
  const before = new Map(state);
  const order = draws.shuffle(names);
  const way = on ? "on" : "off";
  return {
    instruction: draws.pick([
      `Turn ${way} ${target}.`,
      `Switch ${target} ${way}.`,
      `Set the ${target} switch to ${way}.`,
    ]),
    title: () => "Switches",
    things: () => [
      { role: "heading", name: "Switches" },
      ...order.map(
        (name): Thing => ({
          role: "switch",
          name,
          checked: state.get(name)!,
          click: () => state.set(name, !state.get(name)),
        }),
      ),
    ],
    solved: () => names.every((name) => state.get(name) === (name === target ? on : before.get(name))),
    maxSteps: 1,
  };
}

function type(draws: Draws, { fields, nouns, adjectives }: Words): World {
  const names = draws.sample(fields, draws.int(1, 4));
  const [target = ""] = names;
  const word = draws.float() < 0.5 ? draws.pick(nouns) : `${draws.pick(adjectives)} ${draws.pick(nouns)}`;
  const button = draws.pick(["Send", "Save", "Submit", "Go"]);
  const order = draws.shuffle(names);
  const values = new Map(order.map((name) => [name, ""]));
  let saved: string | undefined;
  const save = () => {
    saved = JSON.stringify([...values]);
  };
  return {
    instruction: draws.pick([
      `Type "${word}" into the ${target} field and press ${button}.`,
      `Set ${target} to "${word}" and press ${button}.`,
      `Enter "${word}" as ${target}, then click ${button}.`,
    ]),
    title: () => "Form",
    things: () => [
      { role: "heading", name: "Form" },
      ...order.flatMap((name): Thing[] => [
        { role: "text", name },
        {
          role: "textbox",
          name,
          value: values.get(name)!,
          enter(text, submit) {
            values.set(name, text);
            if (submit) save();
          },
        },
      ]),
      { role: "button", name: button, click: save },
    ],
    solved: () => saved === JSON.stringify(order.map((name) => [name, name === target ? word : ""])),
    maxSteps: 3,
  };
}

function select(draws: Draws, { selects }: Words): World {
  const names = draws.sample(Object.keys(selects), draws.int(2, 4));
  const [target = ""] = names;
  const option = draws.pick(selects[target]!);
  const values = new Map(names.map((name) => [name, "Choose…"]));
  const order = draws.shuffle(names);
  return {
    instruction: draws.pick([
      `Select ${option} in the ${target} list.`,
      `Set ${target} to ${option}.`,
      `Choose ${option} as ${target}.`,
    ]),
    title: () => "Options",
    things: () => [
      { role: "heading", name: "Options" },
      ...order.flatMap((name): Thing[] => [
        { role: "text", name },
        {
          role: "combobox",
          name,
          value: values.get(name)!,
          options: ["Choose…", ...selects[name]!],
          choose: (label) => values.set(name, label),
        },
      ]),
    ],
    solved: () => names.every((name) => values.get(name) === (name === target ? option : "Choose…")),
    maxSteps: 2,
  };
}

function two(draws: Draws, { nouns, capital }: Words): World {
  const names = draws.sample(nouns, draws.int(4, 8)).map(capital);
  const [first = "", second = ""] = names;
  const clicked: string[] = [];
  const things = draws
    .shuffle(names)
    .map((name): Thing => ({ role: "button", name, click: () => clicked.push(name) }));
  return {
    instruction: draws.pick([
      `Click ${first}, then click ${second}.`,
      `First press the ${first} button, then the ${second} button.`,
      `Click the ${first} button and after it the ${second} button.`,
    ]),
    title: () => "Board",
    things: () => [{ role: "heading", name: "Board" }, ...things],
    solved: () => clicked.length === 2 && clicked[0] === first && clicked[1] === second,
    maxSteps: 2,
  };
}

function form(draws: Draws, { fields, nouns, adjectives, switches }: Words): World {
  const order = draws.sample(fields, draws.int(2, 4));
  const [a = "", b = ""] = draws.shuffle(order);
  const boxes = draws.sample(switches, draws.int(2, 3));
  const [box = ""] = draws.shuffle(boxes);
  const word = () =>
    draws.float() < 0.5 ? draws.pick(nouns) : `${draws.pick(adjectives)} ${draws.pick(nouns)}`;
  const [va, vb] = [word(), word()];
  const values = new Map(order.map((name) => [name, ""]));
  const checks = new Map(boxes.map((name) => [name, false]));
  let saved: string | undefined;
  const save = () => {
    saved = JSON.stringify([[...values], [...checks]]);
  };
  return {
    instruction: draws.pick([
      `Set ${a} to "${va}" and ${b} to "${vb}", tick ${box} and press Save.`,
      `Type "${va}" into the ${a} field and "${vb}" into the ${b} field, check ${box}, then save.`,
    ]),
    title: () => (saved ? "Saved" : "Form"),
    things: () => [
      { role: "heading", name: "Form" },
      ...order.flatMap((name): Thing[] => [
        { role: "text", name },
        {
          role: "textbox",
          name,
          value: values.get(name)!,
          enter: (text, submit) => {
            values.set(name, text);
            if (submit) save();
          },
        },
      ]),
      ...boxes.map(
        (name): Thing => ({
          role: "checkbox",
          name,
          checked: checks.get(name)!,
          click: () => checks.set(name, !checks.get(name)),
        }),
      ),
      { role: "button", name: "Save", click: save },
    ],
    solved: () =>
      saved ===
      JSON.stringify([
        order.map((name) => [name, name === a ? va : name === b ? vb : ""]),
        boxes.map((name) => [name, name === box]),
      ]),
    maxSteps: 6,
  };
}

function shop(draws: Draws, { nouns, adjectives, capital }: Words): World {
  const [noun = "", other = ""] = draws.sample(nouns, 2);
  const variants = draws
    .sample(adjectives, draws.int(2, 4))
    .map((adjective) => capital(`${adjective} ${noun}`));
  const strangers = draws.sample(adjectives, 3).map((adjective) => capital(`${adjective} ${other}`));
  const [target = ""] = draws.shuffle(variants);
  let query: string | undefined;
  let typed = "";
  const cart: string[] = [];
  const all = draws.shuffle([...variants, ...strangers]);
  const search = () => {
    query = typed;
  };
  return {
    instruction: draws.pick([
      `Search for "${noun}" and add ${target} to the cart.`,
      `Find "${noun}" with the search and put ${target} in the cart.`,
    ]),
    title: () => (query === undefined ? "Larder" : "Results"),
    things() {
      const shown =
        query === undefined ? [] : all.filter((name) => name.toLowerCase().includes(query!.toLowerCase()));
      return [
        { role: "link", name: "Larder" },
        { role: "link", name: "Cart" },
        {
          role: "searchbox",
          name: "Search",
          value: typed,
          enter: (text, submit) => {
            typed = text;
            if (submit) search();
          },
        },
        { role: "button", name: "Search", click: search },
        ...shown.flatMap((name): Thing[] => [
          { role: "link", name },
          { role: "text", name: "$12.00" },
          { role: "button", name: "Add to cart", click: () => cart.push(name) },
        ]),
      ];
    },
    solved: () => cart.length === 1 && cart[0] === target,
    maxSteps: 5,
  };
}

const LESSONS: Record<LessonName, (draws: Draws, words: Words) => Promise<World> | World> = {
  colour: (draws) => colour(draws),
  click,
  toggle,
  type,
  select,
  two,
  form,
  shop,
};
