import type { Request, Response } from "express";
import { defineSite, formList, formText, queryText } from "../core/site.ts";
import { CODE_TITLE, homePage, issuePage, issuesPage, newIssuePage } from "./pages.ts";
import { type CodeState, findRepository, type Issue, LABELS, ME, NOBODY, type Repository } from "./state.ts";

/** A code host: repositories, issues, labels, assignees, comments. */
export const codeSite = defineSite<CodeState>(
  {
    name: "code",
    title: CODE_TITLE,
    description: "A code host: repositories, issues, labels, assignees, comments.",
  },
  (router, state) => {
    type Handler<T> = (found: T, req: Request, res: Response) => void;

    const withRepository =
      (handle: Handler<Repository>) => (req: Request, res: Response, next: () => void) => {
        const repository = findRepository(state(res), String(req.params.repository));
        if (repository) handle(repository, req, res);
        else next();
      };
    const withIssue = (handle: Handler<{ repository: Repository; issue: Issue }>) =>
      withRepository((repository, req, res) => {
        const issue = repository.issues.find(({ number }) => number === Number(req.params.number));
        if (issue) handle({ repository, issue }, req, res);
        else res.redirect(303, `/${repository.name}`);
      });
    /** A change to an issue that leads back to its page. */
    const change = (action: string, apply: (issue: Issue, req: Request, res: Response) => void) => {
      router.post(
        `/:repository/:number/${action}`,
        withIssue(({ repository, issue }, req, res) => {
          apply(issue, req, res);
          res.redirect(303, `/${repository.name}/${issue.number}`);
        }),
      );
    };

    router.get("/", (_req, res) => {
      res.send(homePage(state(res)));
    });

    router.post(
      "/:repository/star",
      withRepository((repository, req, res) => {
        repository.starred = formText(req, "on") === "yes";
        res.redirect(303, "/");
      }),
    );

    router.get(
      "/:repository",
      withRepository((repository, req, res) => {
        const query = {
          q: queryText(req, "q"),
          state: queryText(req, "state"),
          label: queryText(req, "label"),
        };
        res.send(issuesPage(repository, query));
      }),
    );

    router.get(
      "/:repository/new",
      withRepository((repository, _req, res) => {
        res.send(newIssuePage(repository));
      }),
    );

    router.post(
      "/:repository/new",
      withRepository((repository, req, res) => {
        const title = formText(req, "title");
        if (title === "") return res.redirect(303, `/${repository.name}/new`);
        if (formText(req, "n") === String(repository.issues.length)) {
          repository.issues.push({
            number: nextNumber(repository),
            title,
            body: formText(req, "description"),
            author: ME,
            open: true,
            labels: inOrder([formText(req, "label")]),
            assignee: NOBODY,
            comments: [],
          });
        }
        res.redirect(303, `/${repository.name}/${nextNumber(repository) - 1}`);
      }),
    );

    router.get(
      "/:repository/:number",
      withIssue(({ repository, issue }, _req, res) => {
        res.send(issuePage(state(res), repository, issue));
      }),
    );

    change("comment", (issue, req) => {
      const text = formText(req, "text");
      const fresh = formText(req, "n") === String(issue.comments.length);
      if (text !== "" && fresh) issue.comments.push({ author: ME, text });
    });
    change("state", (issue, req) => {
      issue.open = formText(req, "open") === "yes";
    });
    change("assign", (issue, req, res) => {
      const assignee = formText(req, "assignee");
      if (assignee === NOBODY || state(res).people.includes(assignee)) issue.assignee = assignee;
    });
    change("labels", (issue, req) => {
      issue.labels = inOrder(formList(req, "label"));
    });
  },
);

/** The number that the repository's next issue gets. */
export function nextNumber({ issues }: Repository): number {
  return Math.max(0, ...issues.map(({ number }) => number)) + 1;
}

function inOrder(labels: readonly string[]): string[] {
  return LABELS.filter((label) => labels.includes(label));
}
