import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, capital, FAMILY_NAMES, GIVEN_NAMES, NOUNS } from "../core/words.ts";
import type { SiteState } from "../types.ts";

export const PAGE_VIEWPORT = { width: 640, height: 480 };

export const LABELS = ["bug", "docs", "feature", "question", "urgent"] as const;
export const LABEL_COLOURS: Record<string, string> = {
  bug: "#c8372d",
  docs: "#2f6fb5",
  feature: "#2c7d4f",
  question: "#7a4fb0",
  urgent: "#b86a00",
};
/** Who is signed in: comments and new issues are theirs. */
export const ME = "you";
export const NOBODY = "Nobody";

export interface Issue {
  number: number;
  title: string;
  body: string;
  author: string;
  open: boolean;
  /** In the order of LABELS. */
  labels: string[];
  assignee: string;
  comments: { author: string; text: string }[];
}

export interface Repository {
  name: string;
  description: string;
  stars: number;
  starred: boolean;
  issues: Issue[];
}

export interface CodeState extends SiteState {
  people: string[];
  repositories: Repository[];
}

/** What identifies an issue in a task. */
export interface IssueSeed {
  title: string;
  author: string;
}

const FAULTS = [
  "crashes on start",
  "is too slow",
  "loses focus",
  "prints twice",
  "needs a test",
  "ignores tabs",
  "leaks memory",
  "shows old data",
  "lacks a title",
  "fails on Sundays",
] as const;
const REPOSITORIES_SHOWN = 5;
const ISSUES_HELD = 5;

/** Distinct issue titles there can be, at least. */
export const TITLE_COUNT = 2000;

export function drawRepositoryName(rng: Rng): string {
  return `${rng.pick(ADJECTIVES)}-${rng.pick(NOUNS)}`;
}

export function drawIssueSeed(rng: Rng): IssueSeed {
  return {
    title: `${capital(rng.pick(NOUNS))} ${rng.pick(FAULTS)}`,
    author: `${rng.pick(GIVEN_NAMES)} ${rng.pick(FAMILY_NAMES)}`,
  };
}

/** A person who can be given issues. */
export function drawPerson(rng: Rng): string {
  return `${rng.pick(GIVEN_NAMES)} ${rng.pick(FAMILY_NAMES)}`;
}

export interface HostNeeds {
  repository: string;
  issues: readonly IssueSeed[];
  /** Whether those issues are open; the others are open. */
  open?: boolean;
  people?: readonly string[];
}

/** A code host with the repository and issues a task needs, among others. */
export function openHost({ repository, issues, open = true, people = [] }: HostNeeds, rng: Rng): CodeState {
  const folk = [...new Set([...people, ...Array.from({ length: 5 }, () => drawPerson(rng))])]
    .slice(0, 5)
    .sort();
  const names = new Set([repository]);
  while (names.size < REPOSITORIES_SHOWN) names.add(drawRepositoryName(rng));
  const repositories = rng.shuffle([...names]).map((name): Repository => {
    const seeds = new Map((name === repository ? issues : []).map((seed) => [seed.title, { seed, open }]));
    while (seeds.size < ISSUES_HELD) {
      const seed = drawIssueSeed(rng);
      if (!seeds.has(seed.title)) seeds.set(seed.title, { seed, open: true });
    }
    const first = rng.int(3, 90);
    return {
      name,
      description: `${capital(rng.pick(ADJECTIVES))} tools for a ${rng.pick(NOUNS)}`,
      stars: rng.int(3, 900),
      starred: false,
      issues: rng.shuffle([...seeds.values()]).map(
        (held, i): Issue => ({
          number: first + i,
          ...held.seed,
          body: `It happens with the ${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)}.`,
          open: held.open,
          labels: [],
          assignee: NOBODY,
          comments: [],
        }),
      ),
    };
  });
  return { view: "", people: folk, repositories };
}

/** The repository of that name. */
export function findRepository(state: CodeState, name: string): Repository | undefined {
  return state.repositories.find((repository) => repository.name === name);
}

/** The issue of that title; a state made by `openHost` has every issue it was asked for. */
export function issueNamed(state: CodeState, repository: string, title: string): Issue {
  return findRepository(state, repository)?.issues.find((issue) => issue.title === title) as Issue;
}
