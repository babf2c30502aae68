import { document, type Html, html, json, raw } from "../core/html.ts";
import type { BoardState, Control } from "./state.ts";

const CSS = `
*{box-sizing:border-box}body{margin:0;font:14px/1.35 sans-serif;color:#1f2430;background:var(--page);height:240px;overflow:hidden;position:relative}
canvas{display:block}
h1{font-size:13px;margin:0;padding:7px 12px;font-weight:600;color:#fff;background:var(--bar)}
button,select,input{font:inherit;color:inherit}
.btn{border:1px solid var(--edge);background:#fff;border-radius:7px;padding:5px 10px;cursor:pointer;box-shadow:0 1px 2px #0002}
.btn:hover{background:var(--soft)}.hit{outline:3px solid var(--bar);outline-offset:1px}
a{color:var(--link);padding:5px 2px}
.at{position:absolute}
.rows{padding:8px 12px;display:grid;gap:7px}.row{display:flex;align-items:center;justify-content:space-between;background:#fff;border-radius:7px;padding:5px 10px;border:1px solid var(--edge)}
.row label{flex:1}.start{justify-content:flex-start;gap:8px}
[role=switch]{width:38px;height:20px;border-radius:10px;border:0;background:#b9bec9;position:relative;cursor:pointer;padding:0}
[role=switch]::after{content:"";position:absolute;width:16px;height:16px;border-radius:8px;background:#fff;top:2px;left:2px}
[role=switch][aria-checked=true]{background:var(--bar)}[role=switch][aria-checked=true]::after{left:20px}
[role=tablist]{display:flex;gap:4px;padding:10px 10px 0;border-bottom:2px solid var(--bar)}
[role=tab]{border:1px solid var(--edge);border-bottom:0;border-radius:7px 7px 0 0;background:#fff;padding:5px 8px;cursor:pointer}
[role=tab][aria-selected=true]{background:var(--bar);color:#fff}
form{padding:10px 12px;display:grid;gap:8px}.field{display:grid;grid-template-columns:92px 1fr;align-items:center}
.field input,.field select{border:1px solid var(--edge);border-radius:6px;padding:4px 7px;background:#fff;width:100%}
form .btn{justify-self:end;background:var(--bar);color:#fff;border-color:transparent}
.note{padding:0 12px;margin:6px 0;color:#4a5163}
.list{list-style:none;margin:8px 12px;padding:0;background:#fff;border:1px solid var(--edge);border-radius:7px}
.list a{padding:2px}.list li{padding:4px 10px;border-top:1px solid #0001;display:flex;justify-content:space-between}.list li:first-child{border:0}
`;

/** The request is synchronous so that a click has reached the server before the browser reports it done. */
const SEND = `
function send(path,data){const r=new XMLHttpRequest();r.open("POST",path,false);
r.setRequestHeader("content-type","application/json");r.send(JSON.stringify(data));return JSON.parse(r.responseText)}
`;

const DRAW = `
const pen=document.querySelector("canvas").getContext("2d");
function trace(f){pen.beginPath();const{x,y,width:w,height:h}=f;
if(f.form==="circle")pen.ellipse(x+w/2,y+h/2,w/2,h/2,0,0,7);
else if(f.form==="triangle"){pen.moveTo(x+w/2,y);pen.lineTo(x+w,y+h);pen.lineTo(x,y+h);pen.closePath()}
else pen.roundRect(x,y,w,h,f.form==="button"?8:2)}
for(const f of figures){trace(f);pen.fillStyle=f.fill;pen.fill();pen.lineWidth=1.5;pen.strokeStyle="#0005";pen.stroke()}
document.querySelector("canvas").addEventListener("click",e=>{
const f=send("/point",{x:e.clientX,y:e.clientY}).figure;
if(f){trace(f);pen.lineWidth=4;pen.strokeStyle="#111";pen.stroke()}});
`;

const CONTROLS = `
for(const e of document.querySelectorAll("[data-click]"))e.addEventListener("click",ev=>{ev.preventDefault();
send("/click",{name:e.dataset.click});e.classList.add("hit")});
for(const e of document.querySelectorAll("[role=switch]"))e.addEventListener("click",()=>{
const on=e.getAttribute("aria-checked")!=="true";send("/value",{name:e.dataset.name,value:on});e.setAttribute("aria-checked",on)});
for(const e of document.querySelectorAll("[role=tab]"))e.addEventListener("click",()=>{
send("/value",{name:e.dataset.name,value:e.textContent});
for(const t of document.querySelectorAll("[role=tab]"))t.setAttribute("aria-selected",t===e);
document.querySelector("[role=tabpanel]").textContent="This is the "+e.textContent+" tab."});
for(const e of document.querySelectorAll("[data-live]"))e.addEventListener(e.type==="text"?"input":"change",()=>
send("/value",{name:e.dataset.live,value:e.type==="checkbox"?e.checked:e.value}));
`;

/** The board's page, or that of one inbox entry. */
export function boardPage(state: BoardState, entry?: string): string {
  const css = `:root{--page:hsl(${state.hue} 30% 95%);--bar:hsl(${state.hue} 45% 36%);--edge:hsl(${state.hue} 18% 74%);--soft:hsl(${state.hue} 40% 92%);--link:hsl(${state.hue} 70% 32%)}${CSS}`;
  if (state.layout === "picture") {
    const script = `const figures=${json(state.figures).markup};${SEND}${DRAW}`;
    return document({
      title: state.heading,
      css,
      body: raw(`<canvas width="320" height="240"></canvas>`),
      script,
    });
  }
  return document({ title: state.heading, css, body: body(state, entry), script: SEND + CONTROLS });
}

function body(state: BoardState, entry: string | undefined): Html {
  const tabs = state.controls.filter((control) => control.kind === "tab");
  switch (state.layout) {
    case "scatter":
      return html`${state.controls.map((control, i) => {
        const [x, y] = state.places[i] ?? [0, 0];
        return html`<div class="at" style="left:${x}px;top:${y}px">${one(state, control)}</div>`;
      })}`;
    case "form":
      return html`<h1>${state.heading}</h1><form method="post" action="/save">
        ${state.controls.map((control) => one(state, control))}</form>
        ${Object.keys(state.values).length > 0 && html`<p class="note" role="status">Saved.</p>`}
        ${state.entries.map(({ name, note }) => html`<p class="note"><b>${name}</b> <span>${note}</span></p>`)}`;
    case "inbox":
      return entry === undefined ? inbox(state) : letter(state, entry);
    default:
      return html`<h1>${state.heading}</h1>
        ${
          tabs.length > 0 &&
          html`<div role="tablist">${tabs.map((control) => one(state, control))}</div>
          <p class="note" role="tabpanel">Choose a tab.</p>`
        }
        <div class="rows">${state.controls.filter((c) => c.kind !== "tab").map((control) => one(state, control))}</div>`;
  }
}

function one(state: BoardState, control: Control): Html {
  const { name } = control;
  const value = state.values[name];
  switch (control.kind) {
    case "button":
      if (state.layout === "form") return html`<button class="btn">${name}</button>`;
      return html`<button class="btn" type="button" data-click="button ${name}">${name}</button>`;
    case "link":
      return html`<a href="#" data-click="link ${name}">${name}</a>`;
    case "switch":
      return html`<div class="row"><span>${name}</span><button type="button" role="switch" aria-label="${name}"
        aria-checked="${value === true ? "true" : "false"}" data-name="${name}"></button></div>`;
    case "checkbox":
      return html`<div class="row start"><input type="checkbox" id="${name}" data-live="${name}"${checked(value === true)}>
        <label for="${name}">${name}</label></div>`;
    case "radio":
      return html`<div class="row start"><input type="radio" name="${control.group}" id="${name}" value="${name}"
        data-live="${control.group}"${checked(state.values[control.group] === name)}><label for="${name}">${name}</label></div>`;
    case "tab":
      return html`<button type="button" role="tab" data-name="${control.group}"
        aria-selected="${state.values[control.group] === name ? "true" : "false"}">${name}</button>`;
    case "field": {
      // Where there is nothing to send, what is typed counts as it is typed.
      const live = state.layout === "rows" && html` data-live="${name}"`;
      return html`<div class="field"><label for="${name}">${name}</label>
        <input id="${name}" name="${name}" autocomplete="off" value="${typeof value === "string" ? value : ""}"${live}></div>`;
    }
    case "select":
      return html`<div class="field"><label for="${name}">${name}</label><select id="${name}" data-live="${name}">
        ${control.options.map((option) => html`<option${raw(value === option ? " selected" : "")}>${option}</option>`)}
        </select></div>`;
  }
}

function checked(on: boolean): Html {
  return raw(on ? " checked" : "");
}

function inbox(state: BoardState): Html {
  const open = state.entries
    .map((entry, index) => ({ ...entry, index }))
    .filter(({ name }) => !state.archived.includes(name));
  return html`<h1>${state.heading}</h1><ul class="list">${open.map(
    ({ name, index }) => html`<li><a href="/entry/${index}">${name}</a></li>`,
  )}</ul>`;
}

function letter(state: BoardState, entry: string): Html {
  const note = state.entries.find(({ name }) => name === entry)?.note ?? "";
  return html`<h1>${entry}</h1><p class="note">${note}</p>
    <form method="post" action="/archive"><input type="hidden" name="name" value="${entry}">
    <button class="btn">Archive</button></form><p class="note"><a href="/">Back to list</a></p>`;
}
