import { defineFamily } from "../core/family.ts";
import { click } from "../core/moves.ts";
import { capital, NOUNS } from "../core/words.ts";
import { OPTION_NAMES, TAB_NAMES } from "./names.ts";
import { BOARD_VIEWPORT, type BoardState, emptyBoard } from "./state.ts";

const LEVEL_1 = { level: 1, viewport: BOARD_VIEWPORT, maxSteps: 1 } as const;

const toggle = defineFamily<{ target: string; on: boolean; others: string[] }, BoardState>({
  ...LEVEL_1,
  id: "board/toggle",
  title: "Turn the named switch on or off",
  distinct: 20_000,
  draw(rng) {
    const [target = "", ...others] = rng.sample(OPTION_NAMES, rng.int(3, 5));
    return { target, on: rng.chance(0.5), others: others.sort() };
  },
  world({ target, on, others }, rng) {
    const board = emptyBoard("rows", "Switches", rng.int(0, 359));
    board.controls = rng.shuffle([target, ...others]).map((name) => ({ kind: "switch", name }));
    for (const name of others) board.values[name] = rng.chance(0.5);
    board.values[target] = !on;
    return board;
  },
  phrasings({ target, on }) {
    const way = on ? "on" : "off";
    return [`Turn ${way} ${target}.`, `Switch ${target} ${way}.`, `Set the ${target} switch to ${way}.`];
  },
  goal({ target, on }, state) {
    state.values[target] = on;
  },
  oracle: ({ target }) => [click("switch", target)],
  wrong: ({ others }) => [click("switch", others[0] ?? "")],
});

const chooseTab = defineFamily<{ target: string; others: string[] }, BoardState>({
  ...LEVEL_1,
  id: "board/choose-tab",
  title: "Open the named tab",
  distinct: 15_000,
  draw(rng) {
    const [target = "", ...others] = rng.sample(TAB_NAMES, rng.int(3, 4));
    return { target, others: others.sort() };
  },
  world({ target, others }, rng) {
    const board = emptyBoard("rows", "Project", rng.int(0, 359));
    const names = rng.shuffle([target, ...others]);
    board.controls = names.map((name) => ({ kind: "tab", name, group: "tab" }));
    return board;
  },
  phrasings: ({ target }) => [`Open the ${target} tab.`, `Go to the tab ${target}.`, `Switch to ${target}.`],
  goal({ target }, state) {
    state.values.tab = target;
  },
  oracle: ({ target }) => [click("tab", target)],
  wrong: ({ others }) => [click("tab", others[0] ?? "")],
});

const chooseRadio = defineFamily<{ target: string; others: string[] }, BoardState>({
  ...LEVEL_1,
  id: "board/choose-radio",
  title: "Choose the named radio button",
  distinct: 1_000_000,
  draw(rng) {
    const [target = "", ...others] = rng.sample(NOUNS, rng.int(3, 5)).map(capital);
    return { target, others: others.sort() };
  },
  world({ target, others }, rng) {
    const board = emptyBoard("rows", "Your choice", rng.int(0, 359));
    board.controls = rng
      .shuffle([target, ...others])
      .map((name) => ({ kind: "radio", name, group: "choice" }));
    board.values.choice = others[0] ?? "";
    return board;
  },
  phrasings: ({ target }) => [
    `Choose ${target}.`,
    `Select the option ${target}.`,
    `Pick ${target} from the list of choices.`,
  ],
  goal({ target }, state) {
    state.values.choice = target;
  },
  oracle: ({ target }) => [click("radio", target)],
  wrong: ({ others }) => [click("radio", others[1] ?? "")],
});

const checkTwo = defineFamily<{ first: string; second: string; others: string[] }, BoardState>({
  level: 2,
  viewport: BOARD_VIEWPORT,
  maxSteps: 3,
  id: "board/check-two",
  title: "Tick two named check boxes and no other",
  distinct: 50_000,
  draw(rng) {
    const [first = "", second = "", ...others] = rng.sample(OPTION_NAMES, rng.int(4, 5));
    return { first, second, others: others.sort() };
  },
  world({ first, second, others }, rng) {
    const board = emptyBoard("rows", "Preferences", rng.int(0, 359));
    const names = rng.shuffle([first, second, ...others]);
    board.controls = names.map((name) => ({ kind: "checkbox", name }));
    for (const name of names) board.values[name] = false;
    return board;
  },
  phrasings: ({ first, second }) => [
    `Tick ${first} and ${second}.`,
    `Check the boxes ${first} and ${second}.`,
    `Select both ${first} and ${second}.`,
  ],
  goal({ first, second }, state) {
    state.values[first] = true;
    state.values[second] = true;
  },
  oracle: ({ first, second }) => [click("checkbox", first), click("checkbox", second)],
  wrong: ({ first, others }) => [click("checkbox", first), click("checkbox", others[0] ?? "")],
});

/** Lessons on switches, tabs, radio buttons and check boxes. */
export const controlFamilies = [toggle, chooseTab, chooseRadio, checkTwo];
