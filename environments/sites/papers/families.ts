import { defineFamily } from "../core/family.ts";
import { answer, choose, click, fill, guess } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, NOUNS } from "../core/words.ts";
import {
  addToList,
  drawPaper,
  LISTS,
  PAGE_VIEWPORT,
  type Paper,
  type PapersState,
  stockArchive,
  TITLE_COUNT,
} from "./state.ts";

const PAPERS = { viewport: PAGE_VIEWPORT } as const;
const READING = LISTS[0];

/** A paper to go for and another that a careless agent might take. */
interface Pair {
  target: Paper;
  other: Paper;
}

function drawPair(rng: Rng): Pair {
  const target = drawPaper(rng);
  let other = drawPaper(rng);
  while (other.id === target.id || other.author === target.author) other = drawPaper(rng);
  return { target, other };
}

const pairKey = ({ target }: Pair) => target.title;
const onFirstPage = ({ target, other }: Pair, rng: Rng) => stockArchive([target, other], "first page", rng);
const onLaterPage = ({ target, other }: Pair, rng: Rng) => stockArchive([target, other], "later page", rng);

function search({ title }: Paper) {
  return fill("Search", title.toLowerCase(), { submit: true });
}

const savePaper = defineFamily<Pair, PapersState>({
  ...PAPERS,
  id: "papers/save",
  level: 2,
  maxSteps: 2,
  title: "Save a paper of the first page",
  distinct: TITLE_COUNT,
  draw: drawPair,
  key: pairKey,
  world: onFirstPage,
  phrasings: ({ target: { title } }) => [
    `Save ${title}.`,
    `Save the paper ${title} to the reading list.`,
    `Press Save next to ${title}.`,
  ],
  goal: ({ target }, state) => addToList(state, READING, target.id),
  oracle: ({ target }) => [click("button", `Save ${target.title}`)],
  wrong: ({ other }) => [click("button", `Save ${other.title}`)],
});

const searchOpen = defineFamily<Pair, PapersState>({
  ...PAPERS,
  id: "papers/search-open",
  level: 3,
  maxSteps: 4,
  title: "Search for a paper and open it",
  distinct: TITLE_COUNT,
  draw: drawPair,
  key: pairKey,
  world: onLaterPage,
  phrasings: ({ target: { title } }) => [
    `Search for "${title.toLowerCase()}" and open the paper.`,
    `Search for "${title.toLowerCase()}", then open ${title}.`,
  ],
  goal({ target }, state) {
    state.view = `/paper/${target.id}`;
  },
  oracle: ({ target }) => [search(target), click("link", target.title)],
  wrong: ({ target }) => [search(target)],
});

const searchSave = defineFamily<Pair, PapersState>({
  ...PAPERS,
  id: "papers/search-save",
  level: 3,
  maxSteps: 4,
  title: "Search for a paper that the first page does not show and save it",
  distinct: TITLE_COUNT,
  draw: drawPair,
  key: pairKey,
  world: onLaterPage,
  phrasings: ({ target: { title } }) => [
    `Search for "${title.toLowerCase()}" and save it.`,
    `Find "${title.toLowerCase()}" and save it to the reading list.`,
    `Search for "${title.toLowerCase()}", then press Save ${title}.`,
  ],
  goal: ({ target }, state) => addToList(state, READING, target.id),
  oracle: ({ target }) => [search(target), click("button", `Save ${target.title}`)],
  wrong: ({ other }) => [search(other), click("button", `Save ${other.title}`)],
});

const askAuthor = defineFamily<Pair, PapersState>({
  ...PAPERS,
  id: "papers/ask-author",
  level: 3,
  maxSteps: 4,
  title: "Say who wrote a paper (a question)",
  distinct: TITLE_COUNT,
  draw: drawPair,
  key: pairKey,
  world: onLaterPage,
  phrasings: ({ target: { title } }) => [
    `Who wrote "${title.toLowerCase()}"?`,
    `Search for "${title.toLowerCase()}" and name its author.`,
  ],
  answer: ({ target }) => target.author,
  oracle: ({ target }) => [search(target), answer(target.author)],
  wrong: ({ target, other }) => [search(target), guess(other.author)],
});

const askVenue = defineFamily<Pair, PapersState>({
  ...PAPERS,
  id: "papers/ask-venue",
  level: 3,
  maxSteps: 5,
  title: "Say where a paper was published (a question; only the paper's own page tells)",
  distinct: TITLE_COUNT,
  draw: drawPair,
  key: pairKey,
  world: onLaterPage,
  phrasings: ({ target: { title } }) => [
    `Where was "${title.toLowerCase()}" published?`,
    `Search for "${title.toLowerCase()}", open it and say what it was published in.`,
  ],
  answer: ({ target }) => target.venue,
  oracle: ({ target }) => [search(target), click("link", target.title), answer(target.venue)],
  wrong: ({ target }) => [search(target), click("link", target.title), guess(target.author)],
});

const addNote = defineFamily<Pair & { note: string }, PapersState>({
  ...PAPERS,
  id: "papers/add-note",
  level: 4,
  maxSteps: 6,
  title: "Search for a paper, open it and keep a note with it",
  distinct: TITLE_COUNT,
  draw: (rng) => ({ ...drawPair(rng), note: `${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)}` }),
  key: ({ target, note }) => [target.title, note],
  world: onLaterPage,
  phrasings: ({ target: { title }, note }) => [
    `Search for "${title.toLowerCase()}", open ${title}, type "${note}" as Note and press Save note.`,
    `Keep the note "${note}" with the paper "${title.toLowerCase()}": search, open it, fill in Note, Save note.`,
  ],
  goal({ target, note }, state) {
    state.notes[target.id] = note;
  },
  oracle: ({ target, note }) => [
    search(target),
    click("link", target.title),
    fill("Note", note),
    click("button", "Save note"),
  ],
  wrong: ({ target, note }) => [
    search(target),
    click("link", target.title),
    fill("Note", note.split(" ")[0] ?? ""),
    click("button", "Save note"),
  ],
});

const addToNamedList = defineFamily<Pair & { list: string }, PapersState>({
  ...PAPERS,
  id: "papers/add-to-list",
  level: 4,
  maxSteps: 6,
  title: "Search for a paper, open it and put it on the named list",
  distinct: TITLE_COUNT,
  draw: (rng) => ({ ...drawPair(rng), list: rng.pick(LISTS.slice(1)) }),
  key: ({ target, list }) => [target.title, list],
  world: onLaterPage,
  phrasings: ({ target: { title }, list }) => [
    `Search for "${title.toLowerCase()}", open ${title}, set List to ${list} and press Add to list.`,
    `Put the paper "${title.toLowerCase()}" on the list ${list}: search, open it, choose the List, Add to list.`,
  ],
  goal: ({ target, list }, state) => addToList(state, list, target.id),
  oracle: ({ target, list }) => [
    search(target),
    click("link", target.title),
    choose("List", list),
    click("button", "Add to list"),
  ],
  wrong: ({ target }) => [search(target), click("link", target.title), click("button", "Add to list")],
});

/** Families about one named paper. */
export const paperFamilies = [
  savePaper,
  searchOpen,
  searchSave,
  askAuthor,
  askVenue,
  addNote,
  addToNamedList,
];
