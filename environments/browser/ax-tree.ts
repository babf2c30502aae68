import type { BrowserPage } from "./page.ts";

/** Roles that only group: their children stand in their place. */
const TRANSPARENT = new Set(["none", "generic", "InlineTextBox", "LineBreak", "RootWebArea"]);

/** The accessibility tree of a page as indented text, one node a line: `role "name" property=value`. */
export async function axTree(page: BrowserPage): Promise<string> {
  const { nodes } = await page.ask(page.session.send("Accessibility.getFullAXTree"));
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const lines: string[] = [];

  function print(id: string, depth: number, parentName: string): void {
    const node = byId.get(id);
    if (node === undefined) return;
    const role = String(node.role?.value ?? "");
    const name = String(node.name?.value ?? "")
      .replace(/\s+/g, " ")
      .trim();
    let inner = depth;
    const shown = !node.ignored && !TRANSPARENT.has(role) && !(role === "StaticText" && parentName === name);
    if (shown) {
      const value = node.value?.value === undefined ? "" : ` value=${JSON.stringify(node.value.value)}`;
      const states = (node.properties ?? [])
        .filter(
          ({ name: state, value: on }) => STATES.has(state) && on.value !== false && on.value !== "false",
        )
        .map(({ name: state, value: on }) =>
          on.value === true || on.value === "true" ? ` ${state}` : ` ${state}=${on.value}`,
        );
      lines.push(
        `${"  ".repeat(depth)}${role}${name ? ` ${JSON.stringify(name)}` : ""}${value}${states.join("")}`,
      );
      inner += 1;
    }
    for (const child of node.childIds ?? []) print(child, inner, shown ? name : parentName);
  }

  const root = nodes[0];
  if (root !== undefined) print(root.nodeId, 0, "");
  return lines.join("\n");
}

const STATES = new Set([
  "focused",
  "disabled",
  "checked",
  "expanded",
  "selected",
  "required",
  "invalid",
  "level",
  "pressed",
]);
