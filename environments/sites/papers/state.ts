import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, capital, FAMILY_NAMES, GIVEN_NAMES, NOUNS } from "../core/words.ts";
import type { SiteState } from "../types.ts";

export const PAGE_VIEWPORT = { width: 640, height: 480 };

export interface Paper {
  id: string;
  title: string;
  author: string;
  field: string;
  year: string;
  citations: number;
  venue: string;
}

export interface PapersState extends SiteState {
  papers: Paper[];
  /** Paper ids by list, sorted. */
  lists: Record<string, string[]>;
  /** Notes by paper id. */
  notes: Record<string, string>;
}

export const FIELDS = ["Acoustics", "Botany", "Climate", "Geology", "Linguistics", "Optics"] as const;
export const YEARS = ["2018", "2019", "2020", "2021", "2022", "2023"] as const;
export const SORTS = ["Newest", "Most cited", "Title"] as const;
/** The lists everybody has; the first is where the list's Save buttons put things. */
export const LISTS = ["Reading list", "Favourites", "To review", "For class"] as const;
/** Papers on a page of results. */
export const PER_PAGE = 5;
const HOLDINGS = 30;

const METHODS = [
  "dynamics",
  "theory",
  "surveys",
  "sampling",
  "networks",
  "estimates",
  "records",
  "models",
] as const;

/** Distinct titles there can be. */
export const TITLE_COUNT = 10_000 * METHODS.length;

/** A paper with a title of three words, its other details drawn. */
export function drawPaper(rng: Rng): Paper {
  const title = capital(`${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)} ${rng.pick(METHODS)}`);
  return {
    id: title.toLowerCase().replaceAll(" ", "-"),
    title,
    author: `${rng.pick(GIVEN_NAMES)} ${rng.pick(FAMILY_NAMES)}`,
    field: rng.pick(FIELDS),
    year: rng.pick(YEARS),
    citations: rng.int(2, 480),
    venue: `${capital(rng.pick(NOUNS))} Letters`,
  };
}

/** An archive that holds these papers; on its first page, or only beyond it. */
export function stockArchive(
  chosen: readonly Paper[],
  placement: "first page" | "later page",
  rng: Rng,
): PapersState {
  const papers = new Map(chosen.map((paper) => [paper.id, paper]));
  while (papers.size < HOLDINGS) {
    const paper = drawPaper(rng);
    if (!papers.has(paper.id)) papers.set(paper.id, paper);
  }
  const counts = new Set<number>();
  for (const paper of papers.values()) {
    // No two alike, so that "the most cited" is one paper.
    while (counts.has(paper.citations)) paper.citations += 1;
    counts.add(paper.citations);
  }
  const mine = [...papers.values()].slice(0, chosen.length);
  const others = rng.shuffle([...papers.values()].slice(chosen.length));
  const first = others.slice(0, placement === "first page" ? PER_PAGE - chosen.length : PER_PAGE);
  const rest = others.slice(first.length);
  (placement === "first page" ? first : rest).push(...mine);
  return {
    view: "",
    papers: [...rng.shuffle(first), ...rng.shuffle(rest)],
    lists: Object.fromEntries(LISTS.map((name) => [name, []])),
    notes: {},
  };
}

export interface PaperQuery {
  q: string;
  field: string;
  year: string;
  sort: string;
}

/** What a search shows, in order. */
export function findPapers(papers: readonly Paper[], { q, field, year, sort }: PaperQuery): Paper[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = papers.filter(
    (paper) =>
      words.every((word) => `${paper.title} ${paper.author}`.toLowerCase().includes(word)) &&
      (field === "" || paper.field === field) &&
      (year === "" || paper.year === year),
  );
  if (sort === "Newest") found.sort((a, b) => Number(b.year) - Number(a.year));
  if (sort === "Most cited") found.sort((a, b) => b.citations - a.citations);
  if (sort === "Title") found.sort((a, b) => (a.title < b.title ? -1 : 1));
  return found;
}

/** Puts a paper on a list; once, however often it is asked. */
export function addToList(state: PapersState, list: string, id: string): void {
  const held = state.lists[list];
  if (held) state.lists[list] = [...new Set([...held, id])].sort();
}
