import { document, type Html, html, options } from "../core/html.ts";
import { defineSite, formText } from "../core/site.ts";
import {
  type Control,
  defaultValue,
  SECTION_NAMES,
  SECTIONS,
  type SettingsState,
  type Value,
} from "./state.ts";

const TITLE = "Preferences";

const CSS = `
*{box-sizing:border-box}body{margin:0;font:13px/1.4 sans-serif;color:#20242c;background:#eef1f6;display:grid;grid-template-columns:150px 1fr;min-height:480px}
nav{background:#232a3b;padding:14px 10px;display:flex;flex-direction:column;gap:3px}nav b{color:#fff;font-size:15px;padding:2px 8px 10px}
nav a{color:#c9d2e6;text-decoration:none;padding:6px 8px;border-radius:6px}nav a:hover{background:#303a52}nav a[aria-current]{background:#3d5afe;color:#fff}
main{padding:14px 18px}h1{font-size:17px;margin:0 0 10px}
.row{display:flex;justify-content:space-between;align-items:center;background:#fff;border:1px solid #dde3ee;border-bottom:0;padding:8px 12px}
.row:first-of-type{border-radius:8px 8px 0 0}.row.last{border-bottom:1px solid #dde3ee;border-radius:0 0 8px 8px;margin-bottom:12px}
input,select{font:inherit;width:220px;padding:4px 7px;border:1px solid #c3cbdb;border-radius:5px;background:#fff;color:inherit}
.btn{font:inherit;border:0;border-radius:6px;padding:6px 14px;background:#3d5afe;color:#fff;cursor:pointer}.btn:hover{background:#2d44d4}
.plain{background:#dfe5f1;color:#20242c}.plain:hover{background:#cfd8ea}.acts{display:flex;gap:10px;align-items:center}
[role=switch]{width:40px;height:22px;border-radius:11px;border:0;background:#b7bfce;position:relative;cursor:pointer;padding:0}
[role=switch]::after{content:"";position:absolute;width:18px;height:18px;border-radius:9px;background:#fff;top:2px;left:2px}
[role=switch][aria-checked=true]{background:#3d5afe}[role=switch][aria-checked=true]::after{left:20px}
.saved{color:#1b7a43;margin:0}
`;

const SCRIPT = `
for(const s of document.querySelectorAll("[role=switch]"))s.addEventListener("click",()=>{
const on=s.getAttribute("aria-checked")!=="true";s.setAttribute("aria-checked",on);s.nextElementSibling.value=on?"on":"off"});
for(const f of document.querySelectorAll("form[data-ask]"))f.addEventListener("submit",e=>{if(!confirm(f.dataset.ask))e.preventDefault()});
`;

function sectionPage(state: SettingsState, section: string, saved: boolean): string {
  const controls = SECTIONS[section] ?? [];
  const body = html`<nav aria-label="Sections"><b>${TITLE}</b>${SECTION_NAMES.map((name) =>
    name === section
      ? html`<a href="${pathOf(name)}" aria-current="page">${name}</a>`
      : html`<a href="${pathOf(name)}">${name}</a>`,
  )}</nav><main><h1>${section} settings</h1><form id="settings" method="post" action="${pathOf(section)}">
    ${controls.map((control, i) => row(control, state.values[section]?.[control.name], i === controls.length - 1))}</form>
    <div class="acts"><button class="btn" form="settings">Save changes</button>
    <form method="post" action="${pathOf(section)}/defaults" data-ask="Restore the defaults of ${section}?">
    <button class="btn plain">Restore defaults</button></form>${saved && html`<p class="saved" role="status">Saved.</p>`}</div></main>`;
  return document({ title: `${section} - ${TITLE}`, css: CSS, body, script: SCRIPT });
}

function row(control: Control, value: Value | undefined, last: boolean): Html {
  const { name } = control;
  const id = name.toLowerCase().replaceAll(" ", "-");
  const field = () => {
    if (control.kind === "switch") {
      const on = value === true;
      return html`<span>${name}</span><span><button type="button" role="switch" aria-label="${name}" aria-checked="${on ? "true" : "false"}"></button><input
        type="hidden" name="${name}" value="${on ? "on" : "off"}"></span>`;
    }
    const label = html`<label for="${id}">${name}</label>`;
    return control.kind === "select"
      ? html`${label}<select id="${id}" name="${name}">${options(control.options, String(value))}</select>`
      : html`${label}<input id="${id}" name="${name}" value="${String(value)}" autocomplete="off">`;
  };
  return html`<div class="row${last ? " last" : ""}">${field()}</div>`;
}

/** Path of a section's page. */
export function pathOf(section: string): string {
  return `/${section.toLowerCase()}`;
}

/** Settings in sections: switches, lists and text fields, kept when saved. */
export const settingsSite = defineSite<SettingsState>(
  {
    name: "settings",
    title: TITLE,
    description: "Settings in sections: switches, lists, text fields, saving.",
  },
  (router, state) => {
    router.get("/", (_req, res) => {
      res.redirect(pathOf(SECTION_NAMES[0] ?? ""));
    });

    for (const [section, controls] of Object.entries(SECTIONS)) {
      router.get(pathOf(section), (req, res) => {
        res.send(sectionPage(state(res), section, "saved" in req.query));
      });

      router.post(pathOf(section), (req, res) => {
        const held = state(res).values[section] ?? {};
        for (const control of controls) {
          const sent = formText(req, control.name);
          if (control.kind === "switch") held[control.name] = sent === "on";
          else if (control.kind === "text" || control.options.includes(sent)) held[control.name] = sent;
        }
        res.redirect(303, `${pathOf(section)}?saved=1`);
      });

      router.post(`${pathOf(section)}/defaults`, (_req, res) => {
        const held = state(res).values[section] ?? {};
        for (const control of controls) held[control.name] = defaultValue(control);
        res.redirect(303, `${pathOf(section)}?saved=1`);
      });
    }
  },
);
