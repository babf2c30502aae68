import sharp from "sharp";
import { Draws } from "./random.ts";
import { vocabulary } from "./vocabulary.ts";
import type { Thing, World } from "./world.ts";

export type LessonName =
  | "colour"
  | "shape"
  | "click"
  | "toggle"
  | "type"
  | "select"
  | "two"
  | "form"
  | "shop"
  | "ask"
  | "code"
  | "cart"
  | "settings";

type Split = "train" | "held-out";

/** Makes a task of a lesson; the same seed gives the same task. */
export function makeWorld(lesson: LessonName, seed: number, split: Split): Promise<World> | World {
  return LESSONS[lesson](new Draws(seed * 2 + (split === "train" ? 0 : 1)), vocabulary(split));
}

type Words = ReturnType<typeof vocabulary>;

/** Hue, saturation and lightness of the colours of pictures. */
const COLOURS: Record<string, [number, number, number]> = {
  red: [0, 78, 50],
  orange: [28, 92, 54],
  yellow: [52, 92, 56],
  green: [125, 55, 42],
  blue: [218, 78, 52],
  purple: [276, 58, 48],
  pink: [335, 85, 76],
  brown: [24, 50, 28],
  black: [220, 8, 12],
  grey: [220, 4, 60],
};
const FORMS = ["circle", "square", "triangle"];

interface Figure {
  name: string;
  form: string;
  colour: string;
  width: number;
  height: number;
}

/** A picture of figures in cells of a grid, to be clicked by pixel. */
async function picture(
  draws: Draws,
  figures: readonly Figure[],
  columns: number,
  instruction: string,
): Promise<World> {
  const [target] = figures;
  const cells = draws.sample(
    Array.from({ length: columns * 3 }, (_, i) => i),
    figures.length,
  );
  const placed = figures.map((figure, i) => {
    const cell = cells[i]!;
    const room = { x: 320 / columns - figure.width - 4, y: 80 - figure.height - 4 };
    const x = (cell % columns) * (320 / columns) + draws.int(4, Math.max(4, room.x));
    const y = Math.floor(cell / columns) * 80 + draws.int(4, Math.max(4, room.y));
    return { ...figure, x: Math.round(x), y };
  });
  const shapes = placed.map(({ x, y, width, height, form, colour }) => {
    const [h, s, l] = COLOURS[colour]!;
    const fill = `hsl(${(h + draws.int(-5, 5) + 360) % 360},${Math.min(100, Math.max(0, s + draws.int(-6, 6)))}%,${l + draws.int(-4, 4)}%)`;
    const style = `fill="${fill}" stroke="#0005" stroke-width="1.5"`;
    if (form === "circle")
      return `<ellipse cx="${x + width / 2}" cy="${y + height / 2}" rx="${width / 2}" ry="${height / 2}" ${style}/>`;
    if (form === "triangle")
      return `<path d="M${x + width / 2} ${y}L${x + width} ${y + height}L${x} ${y + height}Z" ${style}/>`;
    return `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${form === "button" ? 8 : 2}" ${style}/>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240"><rect width="320" height="240" fill="hsl(${draws.int(0, 359)},30%,95%)"/>${shapes.join("")}</svg>`;
  const png = await sharp(Buffer.from(svg)).png().toBuffer();
  let hit = "";
  return {
    instruction,
    title: () => "Board",
    things: () => [],
    picture: { png, width: 320, height: 240 },
    clickAt(x, y) {
      hit =
        placed.find((f) => {
          if (x < f.x || x > f.x + f.width || y < f.y || y > f.y + f.height) return false;
          const [u, v] = [(x - f.x) / f.width, (y - f.y) / f.height];
          if (f.form === "circle") return (u - 0.5) ** 2 + (v - 0.5) ** 2 <= 0.25;
          return f.form !== "triangle" || Math.abs(u - 0.5) <= v / 2;
        })?.name ?? "nothing";
    },
    solved: () => hit === target?.name,
    maxSteps: 1,
  };
}

function colour(draws: Draws): Promise<World> {
  const names = draws.sample(Object.keys(COLOURS), draws.int(4, 7));
  const [target = ""] = names;
  const figures = names.map((name) => ({
    name,
    form: "button",
    colour: name,
    width: draws.int(56, 88),
    height: draws.int(30, 44),
  }));
  const instruction = draws.pick([
    `Click the ${target} button.`,
    `Press the ${target} button.`,
    `Find the ${target} button and click it.`,
  ]);
  return picture(draws, figures, 3, instruction);
}

function shape(draws: Draws): Promise<World> {
  const [colour = "", other = "", third = ""] = draws.sample(Object.keys(COLOURS), 3);
  const [form = "", ...forms] = draws.shuffle(FORMS);
  const all = [
    [colour, form],
    [colour, draws.pick(forms)],
    [other, form],
    [third, draws.pick(FORMS)],
  ] as const;
  const figures = all.map(([hue, kind]) => {
    const side = draws.int(38, 60);
    return { name: `${hue} ${kind}`, form: kind, colour: hue, width: side, height: side };
  });
  const target = `${colour} ${form}`;
  const instruction = draws.pick([
    `Click the ${target}.`,
    `Select the ${target}.`,
    `There is one ${target}. Click it.`,
  ]);
  return picture(draws, figures, 4, instruction);
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

const PEOPLE =
  "Ada Amir Anika Bea Bruno Carla Dara Elio Emre Femi Greta Hana Hugo Ines Ivo Jonas Kaia Kofi Lars Leila".split(
    " ",
  );

function ask(draws: Draws, { nouns, adjectives, capital }: Words): World {
  const names = draws
    .sample(nouns, draws.int(3, 5))
    .map((noun) => capital(`${draws.pick(adjectives)} ${noun}`));
  const [target = ""] = draws.shuffle(names);
  const senders = new Map(names.map((name) => [name, `${draws.pick(PEOPLE)} ${capital(draws.pick(nouns))}`]));
  let open: string | undefined;
  return {
    instruction: draws.pick([`Who is the message ${target} from?`, `Open ${target} and say who it is from.`]),
    title: () => "Inbox",
    things: () =>
      open === undefined
        ? [
            { role: "heading", name: "Inbox" },
            ...names.map(
              (name): Thing => ({
                role: "link",
                name,
                click: () => {
                  open = name;
                },
              }),
            ),
          ]
        : [
            { role: "heading", name: open },
            { role: "text", name: `From ${senders.get(open)}` },
            { role: "button", name: "Archive" },
            {
              role: "link",
              name: "Back to list",
              click: () => {
                open = undefined;
              },
            },
          ],
    answers: senders.get(target)!,
    solved: () => true,
    maxSteps: 3,
  };
}

function code(draws: Draws, { nouns, capital }: Words): World {
  const names = draws.sample(nouns, 3).map(capital);
  const codes = names.map(() => `${draws.pick(["K", "M", "R", "T"])}${draws.int(100, 999)}`);
  const [target = ""] = names;
  const order = draws.shuffle([0, 1, 2]);
  let value = "";
  let saved = "";
  return {
    instruction: draws.pick([
      `Type the code of ${target} into the Code field and press Send.`,
      `Look up the code next to ${target}, enter it as Code and press Send.`,
    ]),
    title: () => "Form",
    things: () => [
      { role: "heading", name: "Form" },
      { role: "text", name: "Code" },
      {
        role: "textbox",
        name: "Code",
        value,
        enter(text, submit) {
          value = text;
          if (submit) saved = text;
        },
      },
      {
        role: "button",
        name: "Send",
        click: () => {
          saved = value;
        },
      },
      ...order.flatMap((i): Thing[] => [
        { role: "text", name: names[i]! },
        { role: "text", name: codes[i]! },
      ]),
    ],
    solved: () => saved === codes[0],
    maxSteps: 3,
  };
}

function cart(draws: Draws, { nouns, adjectives, capital }: Words): World {
  const names = draws.sample(nouns, 3).map((noun) => capital(`${draws.pick(adjectives)} ${noun}`));
  const [target = ""] = draws.shuffle(names);
  const deeds: string[] = [];
  const kind = draws.pick(["remove", "later"]);
  return {
    instruction:
      kind === "remove"
        ? draws.pick([
            `Remove the ${target} from the cart.`,
            `Take the ${target} out of the cart.`,
            `Remove ${target}.`,
          ])
        : draws.pick([`Save the ${target} for later.`, `Press Save for later in the row of the ${target}.`]),
    title: () => "Cart",
    things: () => [
      { role: "link", name: "Larder" },
      { role: "link", name: "Cart (4)" },
      { role: "heading", name: "Cart" },
      ...names.flatMap((name): Thing[] => [
        { role: "link", name },
        { role: "text", name: "$12.00" },
        { role: "combobox", name: `Quantity of ${name}`, value: "1", options: ["1", "2", "3", "4"] },
        { role: "button", name: "Save for later", click: () => deeds.push(`later ${name}`) },
        { role: "button", name: `Remove ${name}`, click: () => deeds.push(`remove ${name}`) },
      ]),
      { role: "button", name: "Update cart" },
      { role: "link", name: "Checkout" },
    ],
    solved: () => deeds.length === 1 && deeds[0] === `${kind} ${target}`,
    maxSteps: 2,
  };
}

function settings(draws: Draws, { nouns, selects, switches, fields }: Words): World {
  const sections = ["Privacy", "Sound", "Display", "Account"];
  const boxes = draws.shuffle(switches);
  const lists = draws.shuffle(Object.keys(selects));
  const texts = draws.shuffle(fields);
  const held = new Map(
    sections.map((section, i) => [
      section,
      [
        ...boxes
          .slice(3 * i, 3 * i + 3)
          .map((name) => ({ kind: "switch", name, value: draws.pick(["on", "off"]) })),
        ...lists.slice(2 * i, 2 * i + 2).map((name) => ({ kind: "select", name, value: selects[name]![0]! })),
        ...texts.slice(2 * i, 2 * i + 2).map((name) => ({ kind: "text", name, value: draws.pick(nouns) })),
      ],
    ]),
  );
  const section = draws.pick(sections);
  let at = draws.pick(sections.filter((name) => name !== section));
  const wanted = draws.sample(held.get(section)!, draws.int(1, 3)).map((control) => {
    const { kind, name, value } = control;
    if (kind === "switch")
      return {
        name,
        to: value === "on" ? "off" : "on",
        say: `turn ${value === "on" ? "off" : "on"} ${name}`,
      };
    const to =
      kind === "select"
        ? draws.pick(selects[name]!.slice(1))
        : draws.pick(nouns.filter((noun) => noun !== value));
    return { name, to, say: `set ${name} to ${kind === "text" ? `"${to}"` : to}` };
  });
  const goal = JSON.stringify(
    sections.map((name) =>
      held.get(name)!.map((c) => (name === section && wanted.find((w) => w.name === c.name)?.to) || c.value),
    ),
  );
  let saved = "";
  const said = wanted.map(({ say }) => say);
  return {
    instruction: draws.pick([
      `Open ${section}: ${said.join(", ")}; then save the changes.`,
      `In the section ${section}, ${said.join(" and ")}. Press Save changes at the end.`,
      `Go to ${section}, ${said.join(" and ")}, then press Save changes.`,
    ]),
    title: () => at,
    things: () => [
      ...sections.map(
        (name): Thing => ({
          role: "link",
          name,
          click: () => {
            at = name;
          },
        }),
      ),
      { role: "heading", name: at },
      ...held.get(at)!.map((control): Thing => {
        const { kind, name } = control;
        const set = (value: string) => {
          control.value = value;
        };
        if (kind === "switch") {
          return {
            role: "switch",
            name,
            checked: control.value === "on",
            click: () => set(control.value === "on" ? "off" : "on"),
          };
        }
        return kind === "select"
          ? { role: "combobox", name, value: control.value, options: selects[name]!, choose: set }
          : { role: "textbox", name, value: control.value, enter: set };
      }),
      {
        role: "button",
        name: "Save changes",
        click: () => {
          saved = JSON.stringify(sections.map((name) => held.get(name)!.map(({ value }) => value)));
        },
      },
      { role: "button", name: "Restore defaults" },
    ],
    solved: () => saved === goal,
    maxSteps: 7,
  };
}

const LESSONS: Record<LessonName, (draws: Draws, words: Words) => Promise<World> | World> = {
  colour,
  shape,
  click,
  toggle,
  type,
  select,
  two,
  form,
  shop,
  ask,
  code,
  cart,
  settings,
};
