import { defineFamily } from "../core/family.ts";
import { choose, click, fill, type Script } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, capital, NOUNS } from "../core/words.ts";
import { assign, close, comment, drawErrand, type Errand, hostOf, label, open, targetOf } from "./issue.ts";
import { nextNumber } from "./routes.ts";
import {
  type CodeState,
  drawPerson,
  drawRepositoryName,
  findRepository,
  LABELS,
  ME,
  NOBODY,
  openHost,
  PAGE_VIEWPORT,
  TITLE_COUNT,
} from "./state.ts";

const CODE = { viewport: PAGE_VIEWPORT } as const;

interface Report {
  repository: string;
  title: string;
  description: string;
  label: string;
}

function file({ title, description, label: chosen }: Report): Script {
  return [
    click("link", "New issue"),
    fill("Title", title),
    fill("Description", description),
    choose("Label", chosen),
    click("button", "Create issue"),
  ];
}

const phrase = (rng: Rng) => `${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)}`;

const newIssue = defineFamily<Report, CodeState>({
  ...CODE,
  id: "code/new-issue",
  level: 4,
  maxSteps: 7,
  title: "File a new issue with title, description and label",
  distinct: 1_000_000,
  draw: (rng) => ({
    repository: drawRepositoryName(rng),
    title: capital(phrase(rng)),
    description: phrase(rng),
    label: rng.pick(LABELS),
  }),
  key: ({ title, description, label: chosen }) => [title, description, chosen],
  world: ({ repository }, rng) => openHost({ repository, issues: [] }, rng),
  startPath: ({ repository }) => `/${repository}`,
  phrasings: ({ title, description, label: chosen }) => [
    `Press New issue, type "${title}" as Title and "${description}" as Description, set Label to ${chosen} and press Create issue.`,
    `Create a new issue with the Title "${title}", the Description "${description}" and the Label ${chosen}.`,
  ],
  goal({ repository, title, description, label: chosen }, state) {
    const found = findRepository(state, repository);
    found?.issues.push({
      number: nextNumber(found),
      title,
      body: description,
      author: ME,
      open: true,
      labels: [chosen],
      assignee: NOBODY,
      comments: [],
    });
  },
  oracle: file,
  wrong: (report) => file({ ...report, title: report.description, description: report.title }),
});

interface Triage extends Errand {
  person: string;
  label: string;
  text: string;
}

function triageSteps({ repository, target, person, label: chosen, text }: Triage): Script {
  return [
    click("link", repository),
    open(target),
    ...assign(person),
    ...label(chosen),
    ...comment(text),
    close,
  ];
}

const triage = defineFamily<Triage, CodeState>({
  ...CODE,
  id: "code/triage",
  level: 5,
  maxSteps: 13,
  title: "Find an issue, assign, label, comment and close it",
  distinct: TITLE_COUNT * 100,
  draw: (rng) => ({
    ...drawErrand(rng),
    person: drawPerson(rng),
    label: rng.pick(LABELS),
    text: phrase(rng),
  }),
  key: ({ target, person, label: chosen, text }) => [target.title, person, chosen, text],
  world: (errand, rng) => hostOf(errand, rng, { people: [errand.person] }),
  phrasings: ({ repository, target: { title }, person, label: chosen, text }) => [
    `In ${repository}, open the issue ${title}: assign it to ${person}, label it ${chosen}, comment "${text}" and close it.`,
    `Open ${repository} and then ${title}. Set Assignee to ${person} and press Assign, check ${chosen} and press Apply labels, type "${text}" as Comment and press Add comment, then press Close issue.`,
  ],
  goal(errand, state) {
    const issue = targetOf(errand, state);
    issue.assignee = errand.person;
    issue.labels = [errand.label];
    issue.comments.push({ author: ME, text: errand.text });
    issue.open = false;
  },
  oracle: triageSteps,
  wrong: (errand) => triageSteps(errand).slice(0, -1),
});

/** Families of five actions and more. */
export const longCodeFamilies = [newIssue, triage];
