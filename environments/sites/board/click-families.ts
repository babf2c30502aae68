import { defineFamily } from "../core/family.ts";
import { click } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, capital, NOUNS } from "../core/words.ts";
import { scatter } from "./place.ts";
import { BOARD_VIEWPORT, type BoardState, type Control, emptyBoard } from "./state.ts";

const LEVEL_1 = { level: 1, viewport: BOARD_VIEWPORT, maxSteps: 1 } as const;

/** A scatter board of these controls, in random order. */
function scattered(controls: readonly Control[], rng: Rng): BoardState {
  const board = emptyBoard("scatter", "Board", rng.int(0, 359));
  board.controls = rng.shuffle(controls);
  const sizes = board.controls.map(({ name }) => ({ width: 24 + name.length * 8, height: 32 }));
  board.places = scatter(rng, sizes, { columns: 2, rows: 4 }).map(({ x, y }) => [x, y]);
  return board;
}

function buttons(names: readonly string[]): Control[] {
  return names.map((name) => ({ kind: "button", name }));
}

const clickLabel = defineFamily<{ target: string; others: string[] }, BoardState>({
  ...LEVEL_1,
  id: "board/click-label",
  title: "Click the button with that label",
  distinct: 1_000_000,
  draw(rng) {
    const [target = "", ...others] = rng.sample(NOUNS, rng.int(3, 6)).map(capital);
    return { target, others: others.sort() };
  },
  world: ({ target, others }, rng) => scattered(buttons([target, ...others]), rng),
  phrasings: ({ target }) => [
    `Click the ${target} button.`,
    `Press ${target}.`,
    `Find the button called ${target} and click it.`,
  ],
  goal({ target }, state) {
    state.clicks.push(`button ${target}`);
  },
  oracle: ({ target }) => [click("button", target)],
  wrong: ({ others }) => [click("button", others[0] ?? "")],
});

const clickPhrase = defineFamily<{ target: string; others: string[] }, BoardState>({
  ...LEVEL_1,
  id: "board/click-phrase",
  title: "Click the button with that two-word label, among labels that share a word with it",
  distinct: 10_000,
  draw(rng) {
    const [adjective = "", ...adjectives] = rng.sample(ADJECTIVES, 4);
    const [noun = "", ...nouns] = rng.sample(NOUNS, 4);
    const others = [`${adjective} ${nouns[0]}`, `${adjectives[0]} ${noun}`];
    const more = rng.int(1, 3);
    for (let i = 1; i <= more; i++) others.push(`${adjectives[i % 3]} ${nouns[(i + 1) % 3]}`);
    return { target: capital(`${adjective} ${noun}`), others: [...new Set(others)].map(capital) };
  },
  key: ({ target }) => target,
  world: ({ target, others }, rng) => scattered(buttons([target, ...others]), rng),
  phrasings: ({ target }) => [
    `Click the ${target} button.`,
    `Press ${target}.`,
    `Choose ${target} by clicking its button.`,
  ],
  goal({ target }, state) {
    state.clicks.push(`button ${target}`);
  },
  oracle: ({ target }) => [click("button", target)],
  wrong: ({ others }) => [click("button", others[0] ?? "")],
});

const clickRole = defineFamily<{ target: string; role: "button" | "link"; others: string[] }, BoardState>({
  ...LEVEL_1,
  id: "board/click-role",
  title: "Click the link, or the button, where both have the same text",
  distinct: 100_000,
  draw(rng) {
    const [target = "", ...others] = rng.sample(NOUNS, rng.int(2, 3)).map(capital);
    return { target, role: rng.pick(["button", "link"] as const), others: others.sort() };
  },
  world({ target, others }, rng) {
    const pair: Control[] = [
      { kind: "button", name: target },
      { kind: "link", name: target },
    ];
    const rest = others.map((name): Control => ({ kind: rng.pick(["button", "link"] as const), name }));
    return scattered([...pair, ...rest], rng);
  },
  phrasings: ({ target, role }) => [
    `Click the ${target} ${role}.`,
    `Use the ${role} that says ${target}.`,
    `Click ${target}, the ${role}.`,
  ],
  goal({ target, role }, state) {
    state.clicks.push(`${role} ${target}`);
  },
  oracle: ({ target, role }) => [click(role, target)],
  wrong: ({ target, role }) => [click(role === "button" ? "link" : "button", target)],
});

const clickTwo = defineFamily<{ first: string; second: string; others: string[] }, BoardState>({
  level: 2,
  viewport: BOARD_VIEWPORT,
  maxSteps: 2,
  id: "board/click-two",
  title: "Click two named buttons in order",
  distinct: 1_000_000,
  draw(rng) {
    const [first = "", second = "", ...others] = rng.sample(NOUNS, rng.int(3, 6)).map(capital);
    return { first, second, others: others.sort() };
  },
  world: ({ first, second, others }, rng) => scattered(buttons([first, second, ...others]), rng),
  phrasings: ({ first, second }) => [
    `Click ${first}, then click ${second}.`,
    `First press the ${first} button, then the ${second} button.`,
    `Click the ${first} button and after it the ${second} button.`,
  ],
  goal({ first, second }, state) {
    state.clicks.push(`button ${first}`, `button ${second}`);
  },
  oracle: ({ first, second }) => [click("button", first), click("button", second)],
  wrong: ({ first, second }) => [click("button", second), click("button", first)],
});

/** Lessons on clicking elements by what they are called. */
export const clickFamilies = [clickLabel, clickPhrase, clickRole, clickTwo];
