/** Markup that is already safe to send. */
export interface Html {
  readonly markup: string;
}

/** What a template may hold: text is escaped, nothing is shown for null, undefined and false. */
export type Child = Html | string | number | null | undefined | false | readonly Child[];

/** Builds markup; every interpolated text is escaped, in element content and in quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...children: Child[]): Html {
  let markup = strings[0] ?? "";
  for (let i = 0; i < children.length; i++) markup += render(children[i]) + (strings[i + 1] ?? "");
  return { markup };
}

/** Our own markup, script or style, passed through as it is. */
export function raw(markup: string): Html {
  return { markup };
}

/** A value for a script: JSON that cannot close the script element. */
export function json(value: unknown): Html {
  return { markup: JSON.stringify(value).replaceAll("<", "\\u003c") };
}

/** A whole document. `css` and `script` are the site's own text. */
export function document(options: { title: string; css: string; body: Html; script?: string }): string {
  const script = options.script ? `<script>${options.script}</script>` : "";
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeText(options.title)}</title>` +
    `<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">` +
    `<style>${options.css}</style></head><body>${options.body.markup}${script}</body></html>`
  );
}

/** The options of a native select, with the chosen one. */
export function options(labels: readonly string[], chosen: string): Html {
  return html`${labels.map((label) => html`<option${raw(label === chosen ? " selected" : "")}>${label}</option>`)}`;
}

function render(child: Child): string {
  if (child === null || child === undefined || child === false) return "";
  if (typeof child === "string") return escapeText(child);
  if (typeof child === "number") return String(child);
  if (isList(child)) return child.map(render).join("");
  return child.markup;
}

function isList(child: Child): child is readonly Child[] {
  return Array.isArray(child);
}

function escapeText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
