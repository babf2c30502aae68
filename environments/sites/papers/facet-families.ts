import { defineFamily } from "../core/family.ts";
import { answer, choose, click, fill, guess, type Script } from "../core/moves.ts";
import { Rng } from "../core/rng.ts";
import { ADJECTIVES, NOUNS } from "../core/words.ts";
import {
  addToList,
  drawPaper,
  FIELDS,
  findPapers,
  LISTS,
  PAGE_VIEWPORT,
  type Paper,
  type PapersState,
  SORTS,
  stockArchive,
  YEARS,
} from "./state.ts";

const PAPERS = { viewport: PAGE_VIEWPORT } as const;
const MOST_CITED = SORTS[1];

interface Facets {
  field: string;
  year: string;
  /** Which archive: facets are few, so they recur with different holdings. */
  archive: number;
}

const ARCHIVES = 40;
const FACET_COUNT = FIELDS.length * YEARS.length * ARCHIVES;

function drawFacets(rng: Rng): Facets {
  return { field: rng.pick(FIELDS), year: rng.pick(YEARS), archive: rng.int(1, ARCHIVES) };
}

/** An archive with at least three papers of that field and year. */
function facetArchive({ field, year, archive }: Facets): PapersState {
  const rng = new Rng(`archive ${archive} ${field} ${year}`);
  const chosen = Array.from({ length: rng.int(3, 5) }, () => ({ ...drawPaper(rng), field, year }));
  return stockArchive(chosen, "later page", rng);
}

/** Papers of the facets, most cited first. */
function ranked({ field, year }: Facets, state: PapersState): Paper[] {
  return findPapers(state.papers, { q: "", field, year, sort: MOST_CITED });
}

function top(facets: Facets, state: PapersState): Paper {
  return ranked(facets, state)[0] as Paper;
}

function filter({ field, year }: Facets): Script {
  return [choose("Field", field), choose("Year", year), click("button", "Apply")];
}

function filterAndSort({ field, year }: Facets): Script {
  return [choose("Field", field), choose("Year", year), choose("Sort", MOST_CITED), click("button", "Apply")];
}

const askCount = defineFamily<Facets, PapersState>({
  ...PAPERS,
  id: "papers/ask-count",
  level: 3,
  maxSteps: 5,
  title: "Say how many papers there are of a field and year (a question)",
  distinct: FACET_COUNT,
  draw: drawFacets,
  world: facetArchive,
  phrasings: ({ field, year }) => [
    `How many papers are there in the field ${field} from the year ${year}?`,
    `Set Field to ${field} and Year to ${year}, press Apply and say how many papers there are.`,
  ],
  answer: (facets, state) => `${ranked(facets, state).length}`,
  oracle: (facets, state) => [...filter(facets), answer(`${ranked(facets, state).length}`)],
  wrong: (facets, state) => [...filter(facets), guess(`${ranked(facets, state).length + 1}`)],
});

const openMostCited = defineFamily<Facets, PapersState>({
  ...PAPERS,
  id: "papers/open-most-cited",
  level: 4,
  maxSteps: 7,
  title: "Open the most cited paper of a field and year (its title is not in the instruction)",
  distinct: FACET_COUNT,
  draw: drawFacets,
  world: facetArchive,
  phrasings: ({ field, year }) => [
    `Open the most cited paper in the field ${field} from the year ${year}.`,
    `Set Field to ${field}, Year to ${year} and Sort to ${MOST_CITED}, press Apply and open the first paper.`,
  ],
  goal(facets, state) {
    state.view = `/paper/${top(facets, state).id}`;
  },
  oracle: (facets, state) => [...filterAndSort(facets), click("link", top(facets, state).title)],
  wrong: (facets, state) => [
    ...filterAndSort(facets),
    click("link", (ranked(facets, state)[1] as Paper).title),
  ],
});

const keepMostCited = defineFamily<Facets & { list: string; note: string }, PapersState>({
  ...PAPERS,
  id: "papers/keep-most-cited",
  level: 5,
  maxSteps: 12,
  title: "Put the most cited paper of a field and year on a list and keep a note with it",
  distinct: FACET_COUNT * 100,
  draw: (rng) => ({
    ...drawFacets(rng),
    list: rng.pick(LISTS.slice(1)),
    note: `${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)}`,
  }),
  world: facetArchive,
  phrasings: ({ field, year, list, note }) => [
    `Find the most cited paper in the field ${field} from the year ${year}, add it to the list ${list} and save the note "${note}" with it.`,
    `Set Field to ${field}, Year to ${year} and Sort to ${MOST_CITED}, press Apply and open the first paper. Set List to ${list}, press Add to list, type "${note}" as Note and press Save note.`,
  ],
  goal(facets, state) {
    const { id } = top(facets, state);
    addToList(state, facets.list, id);
    state.notes[id] = facets.note;
  },
  oracle: (params, state) => keep(params, top(params, state)),
  wrong: (params, state) => keep(params, ranked(params, state)[1] as Paper),
});

function keep(params: Facets & { list: string; note: string }, { title }: Paper): Script {
  return [
    ...filterAndSort(params),
    click("link", title),
    choose("List", params.list),
    click("button", "Add to list"),
    fill("Note", params.note),
    click("button", "Save note"),
  ];
}

/** Families about what facets and order show. */
export const facetFamilies = [askCount, openMostCited, keepMostCited];
