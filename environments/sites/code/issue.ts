import { choose, click, fill, type Move, type Script } from "../core/moves.ts";
import type { Rng } from "../core/rng.ts";
import {
  type CodeState,
  drawIssueSeed,
  drawRepositoryName,
  type HostNeeds,
  type Issue,
  type IssueSeed,
  issueNamed,
  openHost,
} from "./state.ts";

/** An issue to go for, another of the same repository that a careless agent might take. */
export interface Errand {
  repository: string;
  target: IssueSeed;
  other: IssueSeed;
}

export function drawErrand(rng: Rng): Errand {
  const target = drawIssueSeed(rng);
  let other = drawIssueSeed(rng);
  while (other.title === target.title || other.author === target.author) other = drawIssueSeed(rng);
  return { repository: drawRepositoryName(rng), target, other };
}

/** Many tasks about one issue differ by its title alone. */
export function errandKey({ target }: Errand): string {
  return target.title;
}

/** The host of an errand; `extra` for closed issues and people needed. */
export function hostOf(
  { repository, target, other }: Errand,
  rng: Rng,
  extra: Partial<HostNeeds> = {},
): CodeState {
  return openHost({ repository, issues: [target, other], ...extra }, rng);
}

/** The errand's issue in a state. */
export function targetOf({ repository, target }: Errand, state: CodeState): Issue {
  return issueNamed(state, repository, target.title);
}

/** Path of the errand's repository. */
export function repositoryPath({ repository }: Errand): string {
  return `/${repository}`;
}

export function open({ title }: IssueSeed): Move {
  return click("link", title);
}

export function comment(text: string): Script {
  return [fill("Comment", text), click("button", "Add comment")];
}

export function assign(person: string): Script {
  return [choose("Assignee", person), click("button", "Assign")];
}

export function label(...labels: readonly string[]): Script {
  return [...labels.map((name) => click("checkbox", name)), click("button", "Apply labels")];
}

export const close = click("button", "Close issue");
