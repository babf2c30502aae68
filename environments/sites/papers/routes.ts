import { document, type Html, html, options } from "../core/html.ts";
import { defineSite, formText, queryText } from "../core/site.ts";
import { safePath, viewPath } from "../core/view.ts";
import {
  addToList,
  FIELDS,
  findPapers,
  LISTS,
  type Paper,
  type PaperQuery,
  type PapersState,
  PER_PAGE,
  SORTS,
  YEARS,
} from "./state.ts";

const TITLE = "Quiet Stacks";

const CSS = `
*{box-sizing:border-box}body{margin:0;font:13px/1.4 "Times New Roman",serif;color:#1c2b2a;background:#fff}
header{display:flex;gap:14px;align-items:center;padding:8px 14px;border-bottom:3px double #1f5f5b}
header .logo{font-size:19px;color:#1f5f5b;text-decoration:none;font-style:italic;white-space:nowrap}header form{flex:1;display:flex;gap:6px}header input{flex:1}
header a{color:#1f5f5b;white-space:nowrap}
input,select,button,textarea{font:12px sans-serif;padding:4px 7px;border:1px solid #9fb8b5;border-radius:3px;background:#fff;color:#1c2b2a}
button{background:#1f5f5b;color:#fff;border-color:#1f5f5b;cursor:pointer}button:hover{background:#174845}
main{padding:8px 14px}h1{font-size:19px;margin:6px 0}
.bar{display:flex;gap:12px;align-items:center;padding-bottom:8px;border-bottom:1px solid #d6e2e0;font:12px sans-serif}.pick{display:flex;gap:5px;align-items:center}
.hit{display:flex;justify-content:space-between;align-items:center;padding:8px 0;border-bottom:1px solid #e6eeed}
.hit a{font-size:15px;color:#123f7a;text-decoration:none}.hit a:hover{text-decoration:underline}
.meta{font:12px sans-serif;color:#5a6c6a;display:flex;gap:12px;margin-top:2px}
dl{display:grid;grid-template-columns:90px 1fr;gap:4px;margin:8px 0 12px;font:13px sans-serif}dt{color:#5a6c6a}dd{margin:0}
.box{background:#f1f6f5;border:1px solid #d6e2e0;border-radius:4px;padding:10px 12px;margin-bottom:10px;display:flex;gap:8px;align-items:center;font:12px sans-serif}
.box input{flex:1}.pages{display:flex;justify-content:space-between;padding:8px 0;font:12px sans-serif}.pages a{color:#123f7a}
`;

function page(title: string, content: Html, q = ""): string {
  const body = html`<header><a class="logo" href="/">${TITLE}</a><form action="/">
    <input name="q" aria-label="Search" placeholder="Title or author" value="${q}" autocomplete="off"><button>Search</button></form>
    <a href="/lists">My lists</a></header><main>${content}</main>`;
  return document({ title: `${title} - ${TITLE}`, css: CSS, body });
}

function resultsPage(state: PapersState, query: PaperQuery, number: number): string {
  const found = findPapers(state.papers, query);
  const shown = found.slice((number - 1) * PER_PAGE, number * PER_PAGE);
  const self = (n: number) => viewPath("/", { ...query, page: n > 1 ? String(n) : "" });
  const pick = (label: string, name: string, any: string, values: readonly string[], chosen: string) =>
    html`<span class="pick"><label for="${name}">${label}</label><select id="${name}" name="${name}">
      <option value="">${any}</option>${options(values, chosen)}</select></span>`;
  const content = html`<form class="bar" action="/">${query.q !== "" && html`<input type="hidden" name="q" value="${query.q}">`}
    ${pick("Field", "field", "All", FIELDS, query.field)}${pick("Year", "year", "Any", YEARS, query.year)}
    ${pick("Sort", "sort", "Relevance", SORTS, query.sort)}<button>Apply</button>
    <span>${found.length} ${found.length === 1 ? "paper" : "papers"}</span></form>
    ${shown.map((paper) => hit(paper, self(number)))}
    <div class="pages">${number > 1 ? html`<a href="${self(number - 1)}">Previous page</a>` : html`<span></span>`}
    ${found.length > number * PER_PAGE && html`<a href="${self(number + 1)}">Next page</a>`}</div>`;
  return page(query.q === "" ? "Papers" : `Search: ${query.q}`, content, query.q);
}

function hit(paper: Paper, back: string): Html {
  return html`<div class="hit"><div><a href="/paper/${paper.id}">${paper.title}</a>
    <div class="meta"><span>${paper.author}</span><span>${paper.field}, ${paper.year}</span><span>${paper.citations} citations</span></div></div>
    <form method="post" action="/save"><input type="hidden" name="id" value="${paper.id}"><input type="hidden" name="list" value="${LISTS[0]}">
    <input type="hidden" name="back" value="${back}"><button aria-label="Save ${paper.title}">Save</button></form></div>`;
}

function paperPage(state: PapersState, paper: Paper): string {
  const back = `/paper/${paper.id}`;
  const on = LISTS.filter((list) => state.lists[list]?.includes(paper.id));
  const content = html`<h1>${paper.title}</h1><dl><dt>Author</dt><dd>${paper.author}</dd><dt>Field</dt><dd>${paper.field}</dd>
    <dt>Year</dt><dd>${paper.year}</dd><dt>Published in</dt><dd>${paper.venue}</dd><dt>Citations</dt><dd>${paper.citations}</dd></dl>
    <form class="box" method="post" action="/save"><input type="hidden" name="id" value="${paper.id}"><input type="hidden" name="back" value="${back}">
    <label for="list">List</label><select id="list" name="list">${options(LISTS, LISTS[0])}</select><button>Add to list</button>
    ${on.length > 0 && html`<span>On: ${on.join(", ")}</span>`}</form>
    <form class="box" method="post" action="/note"><input type="hidden" name="id" value="${paper.id}">
    <label for="note">Note</label><input id="note" name="note" value="${state.notes[paper.id] ?? ""}" autocomplete="off"><button>Save note</button></form>`;
  return page(paper.title, content);
}

function listsPage(state: PapersState): string {
  const content = html`<h1>My lists</h1>${LISTS.map((list) => {
    const held = state.papers.filter(({ id }) => state.lists[list]?.includes(id));
    return html`<div class="hit"><b>${list}</b><span>${held.length}</span></div>
      ${held.map(({ id, title }) => html`<div class="meta"><a href="/paper/${id}">${title}</a></div>`)}`;
  })}`;
  return page("My lists", content);
}

/** A catalogue of papers: search, facets, order, details, lists and notes. */
export const papersSite = defineSite<PapersState>(
  {
    name: "papers",
    title: TITLE,
    description: "A catalogue of papers: search, facets, order, lists, notes.",
  },
  (router, state) => {
    router.get("/", (req, res) => {
      const number = Math.max(1, Math.trunc(Number(queryText(req, "page"))) || 1);
      const query = {
        q: queryText(req, "q"),
        field: queryText(req, "field"),
        year: queryText(req, "year"),
        sort: queryText(req, "sort"),
      };
      res.send(resultsPage(state(res), query, number));
    });

    router.get("/paper/:id", (req, res, next) => {
      const paper = state(res).papers.find(({ id }) => id === req.params.id);
      if (paper) res.send(paperPage(state(res), paper));
      else next();
    });

    router.get("/lists", (_req, res) => {
      res.send(listsPage(state(res)));
    });

    router.post("/save", (req, res) => {
      const archive = state(res);
      const id = formText(req, "id");
      if (archive.papers.some((paper) => paper.id === id)) addToList(archive, formText(req, "list"), id);
      res.redirect(303, safePath(formText(req, "back")));
    });

    router.post("/note", (req, res) => {
      const { notes, papers } = state(res);
      const id = formText(req, "id");
      const note = formText(req, "note");
      if (papers.some((paper) => paper.id === id)) {
        if (note === "") delete notes[id];
        else notes[id] = note;
      }
      res.redirect(303, `/paper/${id}`);
    });
  },
);
