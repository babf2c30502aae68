import { defineFamily } from "../core/family.ts";
import { answer, choose, click, fill, guess } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, capital, NOUNS } from "../core/words.ts";
import { FIELD_NAMES, SELECTS, UNCHOSEN } from "./names.ts";
import { BOARD_VIEWPORT, type BoardState, type Control, emptyBoard } from "./state.ts";

const SMALL = { viewport: BOARD_VIEWPORT } as const;

/** A board with a form of these text fields, all empty. */
function fields(names: readonly string[], button: string, rng: Rng): BoardState {
  const board = emptyBoard("form", "Form", rng.int(0, 359));
  board.controls = [
    ...names.map((name): Control => ({ kind: "field", name })),
    { kind: "button", name: button },
  ];
  return board;
}

const typeNote = defineFamily<{ field: string; others: string[]; text: string; other: string }, BoardState>({
  ...SMALL,
  id: "board/type-note",
  level: 1,
  maxSteps: 1,
  title: "Type a text into the named field",
  distinct: 20_000,
  draw(rng) {
    const [field = "", ...others] = rng.sample(FIELD_NAMES, rng.int(1, 3));
    const [noun = "", other = ""] = rng.sample(NOUNS, 2);
    return {
      field,
      others: others.sort(),
      text: rng.chance(0.5) ? noun : `${rng.pick(ADJECTIVES)} ${noun}`,
      other,
    };
  },
  key: ({ field, others, text }) => [field, text, ...others],
  world({ field, others }, rng) {
    const board = emptyBoard("rows", "Notes", rng.int(0, 359));
    board.controls = rng.shuffle([field, ...others]).map((name): Control => ({ kind: "field", name }));
    return board;
  },
  phrasings: ({ field, text }) => [
    `Type "${text}" into ${field}.`,
    `Write "${text}" in the ${field} field.`,
    `Fill the field ${field} with "${text}".`,
  ],
  goal({ field, text }, state) {
    state.values[field] = text;
  },
  oracle: ({ field, text }) => [fill(field, text)],
  wrong: ({ field, other }) => [fill(field, other)],
});

const typeWord = defineFamily<{ field: string; word: string; button: string }, BoardState>({
  ...SMALL,
  id: "board/type-word",
  level: 2,
  maxSteps: 3,
  title: "Type a word into the only field and send it",
  distinct: 10_000,
  draw: (rng) => ({
    field: rng.pick(FIELD_NAMES),
    word: rng.chance(0.5) ? rng.pick(NOUNS) : `${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)}`,
    button: rng.pick(["Send", "Save", "Submit", "Go"]),
  }),
  key: ({ word, field }) => [word, field],
  world: ({ field, button }, rng) => fields([field], button, rng),
  phrasings: ({ field, word, button }) => [
    `Type "${word}" into the field and press ${button}.`,
    `Enter "${word}" as ${field} and press ${button}.`,
    `Write "${word}" in the ${field} field, then click ${button}.`,
  ],
  goal({ field, word }, state) {
    state.values[field] = word;
  },
  oracle: ({ field, word, button }) => [fill(field, word), click("button", button)],
  wrong: ({ field, button }) => [fill(field, button), click("button", button)],
});

const typeInField = defineFamily<{ field: string; others: string[]; word: string }, BoardState>({
  ...SMALL,
  id: "board/type-in-field",
  level: 2,
  maxSteps: 3,
  title: "Type a word into the named field among several and save",
  distinct: 50_000,
  draw(rng) {
    const [field = "", ...others] = rng.sample(FIELD_NAMES, rng.int(2, 4));
    return { field, others: others.sort(), word: rng.pick(NOUNS) };
  },
  world: ({ field, others }, rng) => fields(rng.shuffle([field, ...others]), "Save", rng),
  phrasings: ({ field, word }) => [
    `Type "${word}" into the ${field} field and press Save.`,
    `Set ${field} to "${word}" and press Save.`,
    `Fill in "${word}" as ${field}, then save.`,
  ],
  goal({ field, others, word }, state) {
    for (const name of others) state.values[name] = "";
    state.values[field] = word;
  },
  oracle: ({ field, word }) => [fill(field, word), click("button", "Save")],
  wrong: ({ others, word }) => [fill(others[0] ?? "", word), click("button", "Save")],
});

const selectOption = defineFamily<{ select: string; option: string; others: string[] }, BoardState>({
  ...SMALL,
  id: "board/select-option",
  level: 1,
  maxSteps: 1,
  title: "Choose an option of the named drop-down list",
  distinct: 3000,
  draw(rng) {
    const [select = "", ...others] = rng.sample(Object.keys(SELECTS), rng.int(1, 3));
    return { select, option: rng.pick(SELECTS[select] ?? []), others: others.sort() };
  },
  world({ select, others }, rng) {
    const board = emptyBoard("form", "Options", rng.int(0, 359));
    board.controls = rng.shuffle([select, ...others]).map(
      (name): Control => ({
        kind: "select",
        name,
        options: [UNCHOSEN, ...(SELECTS[name] ?? [])],
      }),
    );
    return board;
  },
  phrasings: ({ select, option }) => [
    `Select ${option} in the ${select} list.`,
    `Set ${select} to ${option}.`,
    `Choose ${option} as ${select}.`,
  ],
  goal({ select, option }, state) {
    state.values[select] = option;
  },
  oracle: ({ select, option }) => [choose(select, option)],
  wrong: ({ select, option }) => [
    choose(select, (SELECTS[select] ?? []).find((other) => other !== option) ?? UNCHOSEN),
  ],
});

/** As many codes as asked for, no two alike. */
function drawCodes(count: number, rng: Rng): string[] {
  return rng.sample(["K", "M", "R", "T", "V", "W"], count).map((letter) => `${letter}${rng.int(100, 999)}`);
}

const readCode = defineFamily<{ target: string; others: string[]; codes: string[] }, BoardState>({
  ...SMALL,
  id: "board/read-code",
  level: 1,
  maxSteps: 1,
  title: "Say the code that the page shows beside a name (a question)",
  distinct: 1_000_000,
  draw(rng) {
    const [target = "", ...others] = rng.sample(NOUNS, rng.int(2, 4)).map(capital);
    return { target, others, codes: drawCodes(others.length + 1, rng) };
  },
  key: ({ target, others }) => [target, ...others],
  world({ target, others, codes }, rng) {
    const board = emptyBoard("form", "Codes", rng.int(0, 359));
    board.entries = rng.shuffle([target, ...others].map((name, i) => ({ name, note: codes[i] ?? "" })));
    return board;
  },
  phrasings: ({ target }) => [
    `What is the code of ${target}?`,
    `Which code stands next to ${target}?`,
    `Read the code of ${target} and say it.`,
  ],
  answer: ({ codes }) => codes[0] ?? "",
  oracle: ({ codes }) => [answer(codes[0] ?? "")],
  wrong: ({ codes }) => [guess(codes[1] ?? "")],
});

const copyCode = defineFamily<{ target: string; others: string[]; codes: string[] }, BoardState>({
  ...SMALL,
  id: "board/copy-code",
  level: 3,
  maxSteps: 3,
  title:
    "Copy the code that the page shows beside a name into the field (the text is not in the instruction)",
  distinct: 1_000_000,
  draw(rng) {
    const [target = "", ...others] = rng.sample(NOUNS, 3).map(capital);
    return { target, others, codes: drawCodes(3, rng) };
  },
  key: ({ target, others }) => [target, ...others],
  world({ target, others, codes }, rng) {
    const board = fields(["Code"], "Send", rng);
    board.entries = rng.shuffle([target, ...others].map((name, i) => ({ name, note: codes[i] ?? "" })));
    return board;
  },
  phrasings: ({ target }) => [
    `Type the code of ${target} into the Code field and press Send.`,
    `Look up the code next to ${target}, enter it as Code and press Send.`,
  ],
  goal({ codes }, state) {
    state.values.Code = codes[0] ?? "";
  },
  oracle: ({ codes }) => [fill("Code", codes[0] ?? ""), click("button", "Send")],
  wrong: ({ codes }) => [fill("Code", `${codes[1]}X`), click("button", "Send")],
});

interface Inbox {
  target: string;
  others: string[];
  notes: string[];
}

function drawInbox(rng: Rng): Inbox {
  const subject = () => capital(`${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)}`);
  const [target = "", ...others] = [...new Set(Array.from({ length: rng.int(4, 6) }, subject))];
  const notes = [target, ...others].map(() => `From ${capital(rng.pick(NOUNS))} ${capital(rng.pick(NOUNS))}`);
  return { target, others: others.length > 0 ? others : ["Odd note"], notes };
}

function inbox({ target, others, notes }: Inbox, rng: Rng): BoardState {
  const board = emptyBoard("inbox", "Inbox", rng.int(0, 359));
  board.entries = rng.shuffle([target, ...others].map((name, i) => ({ name, note: notes[i] ?? "" })));
  return board;
}

const openItem = defineFamily<Inbox, BoardState>({
  ...SMALL,
  id: "board/open-item",
  level: 2,
  maxSteps: 2,
  title: "Open the named message of a list",
  distinct: 10_000,
  draw: drawInbox,
  key: ({ target }) => target,
  world: inbox,
  phrasings: ({ target }) => [
    `Open ${target}.`,
    `Open the message ${target}.`,
    `Click ${target} in the inbox.`,
  ],
  goal({ target }, state) {
    state.view = `/entry/${state.entries.findIndex(({ name }) => name === target)}`;
  },
  oracle: ({ target }) => [click("link", target)],
  wrong: ({ others }) => [click("link", others[0] ?? "")],
});

const archiveItem = defineFamily<Inbox, BoardState>({
  ...SMALL,
  id: "board/archive-item",
  level: 2,
  maxSteps: 3,
  title: "Open the named message and archive it",
  distinct: 10_000,
  draw: drawInbox,
  key: ({ target }) => target,
  world: inbox,
  phrasings: ({ target }) => [
    `Archive ${target}.`,
    `Open the message ${target} and press Archive.`,
    `Open ${target}, then archive it.`,
  ],
  goal({ target }, state) {
    state.archived.push(target);
  },
  oracle: ({ target }) => [click("link", target), click("button", "Archive")],
  wrong: ({ others }) => [click("link", others[0] ?? ""), click("button", "Archive")],
});

const askSender = defineFamily<Inbox, BoardState>({
  ...SMALL,
  id: "board/ask-sender",
  level: 2,
  maxSteps: 3,
  title: "Say who sent a message (a question; the answer is inside the message)",
  distinct: 10_000,
  draw: drawInbox,
  key: ({ target }) => target,
  world: inbox,
  phrasings: ({ target }) => [`Who is the message ${target} from?`, `Open ${target} and say who it is from.`],
  answer: ({ notes }) => (notes[0] ?? "").replace(/^From /, ""),
  oracle: ({ target, notes }) => [click("link", target), answer((notes[0] ?? "").replace(/^From /, ""))],
  wrong: ({ target, notes }) => [
    click("link", target),
    guess(`${(notes[1] ?? "").replace(/^From /, "")} Jr`),
  ],
});

/** Lessons on forms and on lists with pages behind them. */
export const formFamilies = [
  typeNote,
  typeWord,
  typeInField,
  selectOption,
  readCode,
  copyCode,
  openItem,
  archiveItem,
  askSender,
];
