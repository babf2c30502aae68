import { document, type Html, html, options, raw } from "../core/html.ts";
import { type CodeState, type Issue, LABEL_COLOURS, LABELS, NOBODY, type Repository } from "./state.ts";

export const CODE_TITLE = "Patchbay";

const CSS = `
*{box-sizing:border-box}body{margin:0;font:13px/1.4 sans-serif;color:#1d2129;background:#fbfbf9;min-height:480px}
header{display:flex;gap:10px;align-items:center;background:#191c24;padding:8px 14px}header a{color:#f4f4ef;text-decoration:none}header .logo{font:bold 15px monospace;color:#9be28f}
main{padding:10px 14px}h1{font-size:17px;margin:2px 0 8px}a{color:#1c5fa8;text-decoration:none}a:hover{text-decoration:underline}
input,select,textarea,button{font:inherit;padding:4px 8px;border:1px solid #c5c8cf;border-radius:5px;background:#fff;color:#1d2129}
button{background:#26803b;border-color:#26803b;color:#fff;cursor:pointer}button:hover{background:#1d6630}
button.plain{background:#f0f0ec;color:#1d2129;border-color:#c5c8cf}button.plain:hover{background:#e2e2dc}
.list{border:1px solid #dcdcd4;border-radius:7px;background:#fff}.item{display:flex;justify-content:space-between;align-items:center;padding:8px 12px;border-top:1px solid #ecece6}.item:first-child{border:0}
.item a{font-weight:bold}.soft{color:#6a707c;font-size:12px;display:flex;gap:10px}.right{display:flex;gap:10px;align-items:center}
.bar{display:flex;gap:8px;align-items:center;margin-bottom:9px}.bar .grow{flex:1}.bar a.go{background:#26803b;color:#fff;padding:5px 10px;border-radius:5px}
.tag{color:#fff;border-radius:9px;padding:1px 8px;font-size:11px}
.two{display:grid;grid-template-columns:1fr 190px;gap:14px}.note{border:1px solid #dcdcd4;border-radius:7px;background:#fff;padding:8px 12px;margin-bottom:8px}.note p{margin:3px 0}
.side{border:1px solid #dcdcd4;border-radius:7px;background:#fff;padding:8px 10px;margin-bottom:8px;display:grid;gap:5px}.side div{display:flex;gap:6px;align-items:center}
.state{color:#fff;border-radius:10px;padding:2px 10px;font-size:12px;background:#26803b}.state.closed{background:#7a4fb0}
.stack{display:grid;gap:7px}.stack input,.stack textarea{width:100%}textarea{resize:none;height:52px}
`;

function page(title: string, trail: Html, content: Html): string {
  const body = html`<header><a class="logo" href="/">${CODE_TITLE}</a>${trail}</header><main>${content}</main>`;
  return document({ title: `${title} - ${CODE_TITLE}`, css: CSS, body });
}

function trailOf({ name }: Repository): Html {
  return html`<a href="/${name}">${name}</a>`;
}

/** All repositories, each with its star. */
export function homePage(state: CodeState): string {
  const content = html`<h1>Repositories</h1><div class="list">${state.repositories.map(
    ({
      name,
      description,
      stars,
      starred,
    }) => html`<div class="item"><div><a href="/${name}">${name}</a><div class="soft">${description}</div></div>
      <div class="right"><span>${stars + (starred ? 1 : 0)} stars</span><form method="post" action="/${name}/star"><input type="hidden" name="on" value="${starred ? "no" : "yes"}">
      <button class="plain" aria-label="${starred ? "Unstar" : "Star"} ${name}">${starred ? "Unstar" : "Star"}</button></form></div></div>`,
  )}</div>`;
  return page("Repositories", html``, content);
}

export interface IssueQuery {
  q: string;
  state: string;
  label: string;
}

/** A repository's issues; open ones unless asked otherwise. */
export function issuesPage(repository: Repository, { q, state, label }: IssueQuery): string {
  const found = repository.issues.filter(
    (issue) =>
      issue.title.toLowerCase().includes(q.toLowerCase()) &&
      (state === "All" || issue.open === (state !== "Closed")) &&
      (label === "" || issue.labels.includes(label)),
  );
  const content = html`<form class="bar" action="/${repository.name}"><input class="grow" name="q" aria-label="Search issues" placeholder="Search issues" value="${q}" autocomplete="off">
    <label for="state">State</label><select id="state" name="state">${options(["Open", "Closed", "All"], state || "Open")}</select>
    <label for="label">Label</label><select id="label" name="label"><option value="">Any</option>${options(LABELS, label)}</select>
    <button class="plain">Filter</button><a class="go" href="/${repository.name}/new">New issue</a></form>
    ${found.length === 0 ? html`<p>No issues match.</p>` : html`<div class="list">${found.map((issue) => entry(repository, issue))}</div>`}`;
  return page(repository.name, trailOf(repository), content);
}

function entry({ name }: Repository, issue: Issue): Html {
  return html`<div class="item"><div><a href="/${name}/${issue.number}">${issue.title}</a><div class="soft"><span>#${issue.number} by ${issue.author}</span></div></div>
    <div class="right">${issue.labels.map(tag)}${issue.comments.length > 0 && html`<span class="soft">${issue.comments.length} comments</span>`}</div></div>`;
}

function tag(label: string): Html {
  return html`<span class="tag" style="background:${LABEL_COLOURS[label]}">${label}</span>`;
}

/** One issue with everything that can be done to it. `n` makes a second submit of a comment do nothing. */
export function issuePage(state: CodeState, repository: Repository, issue: Issue): string {
  const path = `/${repository.name}/${issue.number}`;
  const content = html`<div class="bar"><h1>${issue.title}</h1><span class="state${issue.open ? "" : " closed"}">${issue.open ? "Open" : "Closed"}</span></div>
    <div class="two"><div><div class="note"><div class="soft">Opened by <span>${issue.author}</span></div><p>${issue.body}</p></div>
    ${issue.comments.map(({ author, text }) => html`<div class="note"><div class="soft">${author}</div><p>${text}</p></div>`)}
    <form class="stack" method="post" action="${path}/comment"><input type="hidden" name="n" value="${issue.comments.length}">
    <textarea name="text" aria-label="Comment" placeholder="Write a comment"></textarea><div class="right"><button>Add comment</button></div></form>
    <form method="post" action="${path}/state" style="margin-top:8px"><input type="hidden" name="open" value="${issue.open ? "no" : "yes"}">
    <button class="plain">${issue.open ? "Close issue" : "Reopen issue"}</button></form></div>
    <div><form class="side" method="post" action="${path}/assign"><label for="assignee">Assignee</label><select id="assignee" name="assignee">${options([NOBODY, ...state.people], issue.assignee)}</select>
    <div><button class="plain">Assign</button></div></form>
    <form class="side" method="post" action="${path}/labels"><span>Labels</span>${LABELS.map(
      (label) =>
        html`<div><input type="checkbox" id="${label}" name="label" value="${label}"${raw(issue.labels.includes(label) ? " checked" : "")}><label for="${label}">${label}</label></div>`,
    )}<div><button class="plain">Apply labels</button></div></form></div></div>`;
  return page(issue.title, trailOf(repository), content);
}

/** The form for a new issue; `n` makes a second submit of the same form do nothing. */
export function newIssuePage(repository: Repository): string {
  const content = html`<h1>New issue</h1><form class="stack" method="post" action="/${repository.name}/new"><input type="hidden" name="n" value="${repository.issues.length}">
    <label for="title">Title</label><input id="title" name="title" autocomplete="off">
    <label for="description">Description</label><textarea id="description" name="description"></textarea>
    <div class="right"><label for="label">Label</label><select id="label" name="label"><option value="">None</option>${options(LABELS, "")}</select>
    <button>Create issue</button></div></form>`;
  return page("New issue", trailOf(repository), content);
}
