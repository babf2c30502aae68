import { defineFamily } from "../core/family.ts";
import { answer, choose, click, guess } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, NOUNS } from "../core/words.ts";
import {
  assign,
  close,
  comment,
  drawErrand,
  type Errand,
  errandKey,
  hostOf,
  label,
  open,
  repositoryPath,
  targetOf,
} from "./issue.ts";
import {
  type CodeState,
  drawPerson,
  drawRepositoryName,
  findRepository,
  LABELS,
  ME,
  openHost,
  PAGE_VIEWPORT,
  TITLE_COUNT,
} from "./state.ts";

const CODE = { viewport: PAGE_VIEWPORT } as const;

function phrase(rng: Rng): string {
  return `${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)}`;
}

const star = defineFamily<{ repository: string }, CodeState>({
  ...CODE,
  id: "code/star",
  level: 2,
  maxSteps: 2,
  title: "Star the named repository",
  distinct: 10_000,
  draw: (rng) => ({ repository: drawRepositoryName(rng) }),
  world: ({ repository }, rng) => openHost({ repository, issues: [] }, rng),
  phrasings: ({ repository }) => [
    `Star ${repository}.`,
    `Give the repository ${repository} a star.`,
    `Press Star next to ${repository}.`,
  ],
  goal({ repository }, state) {
    const found = findRepository(state, repository);
    if (found) found.starred = true;
  },
  oracle: ({ repository }) => [click("button", `Star ${repository}`)],
  wrong: ({ repository }, { repositories }) => [
    click("button", `Star ${repositories.find(({ name }) => name !== repository)?.name}`),
  ],
});

const openIssue = defineFamily<Errand, CodeState>({
  ...CODE,
  id: "code/open-issue",
  level: 2,
  maxSteps: 2,
  title: "Open the named issue of the list",
  distinct: TITLE_COUNT,
  draw: drawErrand,
  key: errandKey,
  world: (errand, rng) => hostOf(errand, rng),
  startPath: repositoryPath,
  phrasings: ({ target: { title } }) => [
    `Open the issue ${title}.`,
    `Open ${title}.`,
    `Show the issue ${title}.`,
  ],
  goal(errand, state) {
    state.view = `/${errand.repository}/${targetOf(errand, state).number}`;
  },
  oracle: ({ target }) => [open(target)],
  wrong: ({ other }) => [open(other)],
});

const closeIssue = defineFamily<Errand, CodeState>({
  ...CODE,
  id: "code/close-issue",
  level: 3,
  maxSteps: 4,
  title: "Open the named issue and close it",
  distinct: TITLE_COUNT,
  draw: drawErrand,
  key: errandKey,
  world: (errand, rng) => hostOf(errand, rng),
  startPath: repositoryPath,
  phrasings: ({ target: { title } }) => [`Close the issue ${title}.`, `Open ${title} and press Close issue.`],
  goal(errand, state) {
    targetOf(errand, state).open = false;
  },
  oracle: ({ target }) => [open(target), close],
  wrong: ({ other }) => [open(other), close],
});

const addComment = defineFamily<Errand & { text: string }, CodeState>({
  ...CODE,
  id: "code/comment",
  level: 3,
  maxSteps: 5,
  title: "Open the named issue and comment on it",
  distinct: TITLE_COUNT * 100,
  draw: (rng) => ({ ...drawErrand(rng), text: phrase(rng) }),
  key: ({ target, text }) => [target.title, text],
  world: (errand, rng) => hostOf(errand, rng),
  startPath: repositoryPath,
  phrasings: ({ target: { title }, text }) => [
    `Open ${title}, type "${text}" as Comment and press Add comment.`,
    `Comment "${text}" on the issue ${title}.`,
  ],
  goal(errand, state) {
    targetOf(errand, state).comments.push({ author: ME, text: errand.text });
  },
  oracle: ({ target, text }) => [open(target), ...comment(text)],
  wrong: ({ other, text }) => [open(other), ...comment(text)],
});

const assignIssue = defineFamily<Errand & { person: string }, CodeState>({
  ...CODE,
  id: "code/assign",
  level: 3,
  maxSteps: 5,
  title: "Open the named issue and assign it to somebody",
  distinct: TITLE_COUNT,
  draw: (rng) => ({ ...drawErrand(rng), person: drawPerson(rng) }),
  key: ({ target, person }) => [target.title, person],
  world: (errand, rng) => hostOf(errand, rng, { people: [errand.person] }),
  startPath: repositoryPath,
  phrasings: ({ target: { title }, person }) => [
    `Assign the issue ${title} to ${person}.`,
    `Open ${title}, set Assignee to ${person} and press Assign.`,
  ],
  goal(errand, state) {
    targetOf(errand, state).assignee = errand.person;
  },
  oracle: ({ target, person }) => [open(target), ...assign(person)],
  wrong: ({ target, person }, { people }) => [
    open(target),
    ...assign(people.find((name) => name !== person) ?? ""),
  ],
});

const labelIssue = defineFamily<Errand & { labels: string[] }, CodeState>({
  ...CODE,
  id: "code/label",
  level: 4,
  maxSteps: 6,
  title: "Open the named issue and give it two labels",
  distinct: TITLE_COUNT * 10,
  draw(rng) {
    const chosen = rng.sample(LABELS, 2);
    return { ...drawErrand(rng), labels: LABELS.filter((name) => chosen.includes(name)) };
  },
  key: ({ target, labels }) => [target.title, labels],
  world: (errand, rng) => hostOf(errand, rng),
  startPath: repositoryPath,
  phrasings: ({ target: { title }, labels }) => [
    `Give the issue ${title} the labels ${labels.join(" and ")}.`,
    `Open ${title}, check ${labels.join(" and ")} and press Apply labels.`,
  ],
  goal(errand, state) {
    targetOf(errand, state).labels = errand.labels;
  },
  oracle: ({ target, labels }) => [open(target), ...label(...labels)],
  wrong: ({ target, labels }) => [open(target), ...label(labels[0] ?? "")],
});

const reopenIssue = defineFamily<Errand, CodeState>({
  ...CODE,
  id: "code/reopen",
  level: 4,
  maxSteps: 6,
  title: "Find a closed issue with the filter and reopen it",
  distinct: TITLE_COUNT,
  draw: drawErrand,
  key: errandKey,
  world: (errand, rng) => hostOf(errand, rng, { open: false }),
  startPath: repositoryPath,
  phrasings: ({ target: { title } }) => [
    `Reopen the closed issue ${title}.`,
    `Set State to Closed, press Filter, open ${title} and press Reopen issue.`,
  ],
  goal(errand, state) {
    targetOf(errand, state).open = true;
  },
  oracle: ({ target }) => [
    choose("State", "Closed"),
    click("button", "Filter"),
    open(target),
    click("button", "Reopen issue"),
  ],
  wrong: ({ other }) => [
    choose("State", "Closed"),
    click("button", "Filter"),
    open(other),
    click("button", "Reopen issue"),
  ],
});

const askAuthor = defineFamily<Errand, CodeState>({
  ...CODE,
  id: "code/ask-author",
  level: 3,
  maxSteps: 4,
  title: "Say who opened an issue of a named repository (a question)",
  distinct: TITLE_COUNT,
  draw: drawErrand,
  key: ({ repository, target }) => [repository, target.title],
  world: (errand, rng) => hostOf(errand, rng),
  phrasings: ({ repository, target: { title } }) => [
    `Who opened the issue ${title} in ${repository}?`,
    `Open ${repository} and say who the issue ${title} is by.`,
  ],
  answer: ({ target }) => target.author,
  oracle: ({ repository, target }) => [click("link", repository), open(target), answer(target.author)],
  wrong: ({ repository, target, other }) => [click("link", repository), open(target), guess(other.author)],
});

/** Families of one to four actions. */
export const codeFamilies = [
  star,
  openIssue,
  closeIssue,
  addComment,
  assignIssue,
  askAuthor,
  labelIssue,
  reopenIssue,
];
