import type { RolloutRow } from "../model.ts";
import type { ReportKit } from "./kit.ts";

/** The list of rollouts and its filters. Runs in the page. */
export function listKit(kit: ReportKit): void {
  /** Rows put into the page at a time; a training run has thousands. */
  const PAGE = 200;
  const filters = {
    phase: (row: RolloutRow) => (row.step === null ? row.phase : `${row.phase}, step ${row.step}`),
    split: (row: RolloutRow) => row.split,
    family: (row: RolloutRow) => row.family,
    score: (row: RolloutRow) =>
      row.score === null ? "no score" : row.score >= 1 ? "solved" : row.score > 0 ? "in part" : "failed",
  };
  type Filter = keyof typeof filters;
  const names = Object.keys(filters) as Filter[];
  const titles: Record<Filter, string> = {
    phase: "all phases",
    split: "all splits",
    family: "all families",
    score: "any score",
  };
  const chosen: Partial<Record<Filter, string>> = {};
  let limit = PAGE;
  let current: string | undefined;

  kit.listed = () =>
    kit.model.rollouts.filter((row) =>
      names.every((name) => chosen[name] === undefined || filters[name](row) === chosen[name]),
    );

  // A page without rollouts has no list.
  const bar = document.getElementById("filters");
  for (const name of names) {
    const values = [...new Set(kit.model.rollouts.map(filters[name]))];
    if (values.length < 2) continue;
    const select = kit.make("select", { "aria-label": name, id: `filter-${name}` });
    select.append(kit.make("option", { value: "" }, titles[name]));
    for (const value of values) select.append(kit.make("option", { value }, value));
    select.addEventListener("change", () => {
      if (select.value === "") delete chosen[name];
      else chosen[name] = select.value;
      limit = PAGE;
      kit.showList(current);
    });
    bar?.append(select);
  }

  kit.showList = (id) => {
    current = id;
    const rows = kit.listed();
    const list = kit.byId("list");
    list.replaceChildren(...rows.slice(0, limit).map(item));
    if (rows.length === 0) list.append(kit.make("p", { class: "empty" }, "No rollout is like that."));
    if (rows.length > limit) {
      const more = kit.make("button", { class: "more", type: "button" }, `${rows.length - limit} more`);
      more.addEventListener("click", () => {
        limit += PAGE;
        kit.showList(current);
      });
      list.append(more);
    }
    kit.byId("count").textContent = `${rows.length} of ${kit.model.rollouts.length}`;
    showWithin(list, list.querySelector("[aria-current]"));
  };

  /** Scrolls the list alone; scrollIntoView would move the page as well, away from the curve at its top. */
  function showWithin(list: HTMLElement, row: Element | null): void {
    if (row === null) return;
    const frame = list.getBoundingClientRect();
    const { top, bottom } = row.getBoundingClientRect();
    if (top < frame.top) list.scrollTop -= frame.top - top;
    else if (bottom > frame.bottom) list.scrollTop += bottom - frame.bottom;
  }

  function item(row: RolloutRow): HTMLElement {
    const when = row.step === null ? "" : `${row.phase} step ${row.step} · `;
    // The family stands above it already.
    const which = row.task.split("@").at(-1) ?? row.task;
    const end = row.fault ?? row.stop.replaceAll("_", " ");
    const link = kit.make(
      "a",
      { href: `#rollout=${encodeURIComponent(row.id)}` },
      kit.make("span", { class: `dot ${kit.tone(row.score)}` }),
      kit.make("span", {}, row.family, kit.make("small", {}, `${when}${which} · ${end}`)),
      kit.make("small", { class: "num" }, `${row.actions} act.`),
    );
    if (row.id === current) link.setAttribute("aria-current", "true");
    return link;
  }
}
