import { defineFamily } from "../core/family.ts";
import { answer, answerDialog, click, guess } from "../core/moves.ts";
import { Rng } from "../core/rng.ts";
import { capital } from "../core/words.ts";
import type { TaskFamily } from "../types.ts";
import { carryOut, changeAndSave, drawChanges, goTo, mistake, save, say } from "./change.ts";
import { pathOf } from "./routes.ts";
import {
  applyChanges,
  type Change,
  type Control,
  defaultValue,
  drawSettings,
  PAGE_VIEWPORT,
  SECTIONS,
  type SettingsState,
  SHORT_SECTIONS,
} from "./state.ts";

const SETTINGS = { viewport: PAGE_VIEWPORT } as const;

/** The few settings there are recur with this many accounts, whose other settings differ. */
const ACCOUNTS = 20;

function accountRng(account: number): Rng {
  return new Rng(`account ${account}`);
}

/** One change on the page the task starts on, then save. */
function oneChange(kind: Control["kind"], name: string, title: string, distinct: number): TaskFamily {
  const sections = SHORT_SECTIONS.filter((section) =>
    SECTIONS[section]?.some((control) => control.kind === kind),
  );
  return defineFamily<{ change: Change; account: number }, SettingsState>({
    ...SETTINGS,
    id: `settings/${name}`,
    level: 2,
    maxSteps: 3,
    title,
    distinct,
    draw(rng) {
      const [change] = drawChanges(rng.pick(sections), 1, rng, [kind]);
      return { change: change as Change, account: rng.int(1, ACCOUNTS) };
    },
    world: ({ change, account }) => drawSettings([change], accountRng(account)),
    startPath: ({ change }) => pathOf(change.section),
    phrasings: ({ change }) => [
      `${capital(say(change))} and save the changes.`,
      `In ${change.section} settings, ${say(change)} and press Save changes.`,
      `Please ${say(change)}, then press Save changes.`,
    ],
    goal: ({ change }, state) => applyChanges(state, [change]),
    oracle: ({ change }) => changeAndSave([change]),
    wrong: ({ change }) => changeAndSave([mistake(change)]),
  });
}

const toggle = oneChange("switch", "toggle", "Turn one switch of the page and save", 26 * ACCOUNTS);
const pick = oneChange("select", "choose", "Choose an option of a list of the page and save", 38 * ACCOUNTS);
const edit = oneChange("text", "edit-text", "Fill in a text field of the page and save", 10_000);

/** Starts elsewhere than in the section the task is about. */
function elsewhere(section: string, rng: Rng): string {
  return rng.pick(SHORT_SECTIONS.filter((name) => name !== section));
}

interface Visit {
  start: string;
  changes: Change[];
}

const goAndChange = defineFamily<Visit, SettingsState>({
  ...SETTINGS,
  id: "settings/go-and-change",
  level: 3,
  maxSteps: 5,
  title: "Go to the named section, make one change and save",
  distinct: 1000,
  draw(rng) {
    const section = rng.pick(SHORT_SECTIONS);
    return { start: elsewhere(section, rng), changes: drawChanges(section, 1, rng) };
  },
  world: ({ changes }, rng) => drawSettings(changes, rng),
  startPath: ({ start }) => pathOf(start),
  phrasings: ({ changes }) => [
    `Open ${sectionOf(changes)}, ${changes.map(say)} and save the changes.`,
    `Go to ${sectionOf(changes)}, ${changes.map(say)}, then press Save changes.`,
  ],
  goal: ({ changes }, state) => applyChanges(state, changes),
  oracle: ({ changes }) => [goTo(sectionOf(changes)), ...changeAndSave(changes)],
  wrong: ({ changes }) => [goTo(sectionOf(changes)), ...changeAndSave(changes.map(mistake))],
});

function sectionOf(changes: readonly Change[]): string {
  return changes[0]?.section ?? "";
}

const scrollToggle = defineFamily<Visit, SettingsState>({
  ...SETTINGS,
  id: "settings/scroll-toggle",
  level: 3,
  maxSteps: 7,
  title: "Turn a switch of a list longer than the viewport (needs scrolling) and save",
  distinct: 780,
  draw: (rng) => ({ start: "Apps", changes: drawChanges("Apps", 2, rng) }),
  key: ({ changes }) => changes,
  world: ({ changes }, rng) => drawSettings(changes, rng),
  startPath: () => pathOf("Apps"),
  phrasings: ({ changes }) => [
    `In Apps, ${changes.map(say).join(" and ")}, then press Save changes.`,
    `${capital(changes.map(say).join(" and "))} and save the changes.`,
  ],
  goal: ({ changes }, state) => applyChanges(state, changes),
  oracle: ({ changes }) => [...inPageOrder(changes).map(carryOut), save],
  wrong: ({ changes }) => [...inPageOrder(changes).slice(1).map(carryOut), save],
});

/** The oracle scrolls down only. */
function inPageOrder(changes: readonly Change[]): Change[] {
  const names = (SECTIONS.Apps ?? []).map(({ name }) => name);
  return [...changes].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

const threeChanges = defineFamily<Visit, SettingsState>({
  ...SETTINGS,
  id: "settings/three-changes",
  level: 4,
  maxSteps: 7,
  title: "Go to the named section, make three changes and save once",
  distinct: 10_000,
  draw(rng) {
    const section = rng.pick(SHORT_SECTIONS);
    return { start: elsewhere(section, rng), changes: drawChanges(section, 3, rng) };
  },
  world: ({ changes }, rng) => drawSettings(changes, rng),
  startPath: ({ start }) => pathOf(start),
  phrasings: ({ changes }) => [
    `Open ${sectionOf(changes)}: ${changes.map(say).join(", ")}; then save the changes.`,
    `In the section ${sectionOf(changes)}, ${changes.map(say).join(" and ")}. Press Save changes at the end.`,
  ],
  goal: ({ changes }, state) => applyChanges(state, changes),
  oracle: ({ changes }) => [goTo(sectionOf(changes)), ...changeAndSave(changes)],
  wrong: ({ changes }) => [goTo(sectionOf(changes)), ...changeAndSave(changes.slice(1))],
});

const twoSections = defineFamily<{ first: Change[]; second: Change[] }, SettingsState>({
  ...SETTINGS,
  id: "settings/two-sections",
  level: 5,
  maxSteps: 11,
  title: "Make two changes in each of two sections, saving both",
  distinct: 100_000,
  draw(rng) {
    const [first = "", second = ""] = rng.sample(SHORT_SECTIONS, 2);
    return { first: drawChanges(first, 2, rng), second: drawChanges(second, 2, rng) };
  },
  world: ({ first, second }, rng) => drawSettings([...first, ...second], rng),
  startPath: ({ first, second }) =>
    pathOf(SHORT_SECTIONS.find((name) => name !== sectionOf(first) && name !== sectionOf(second)) ?? ""),
  phrasings: ({ first, second }) => [
    `In ${sectionOf(first)}, ${first.map(say).join(" and ")} and save; then in ${sectionOf(second)}, ${second.map(say).join(" and ")} and save.`,
    `Open ${sectionOf(first)}, ${first.map(say).join(", ")}, press Save changes, then open ${sectionOf(second)}, ${second.map(say).join(", ")} and press Save changes.`,
  ],
  goal: ({ first, second }, state) => applyChanges(state, [...first, ...second]),
  oracle: ({ first, second }) => [
    goTo(sectionOf(first)),
    ...changeAndSave(first),
    goTo(sectionOf(second)),
    ...changeAndSave(second),
  ],
  wrong: ({ first, second }) => [
    goTo(sectionOf(first)),
    ...changeAndSave(first),
    goTo(sectionOf(second)),
    ...second.map(carryOut),
  ],
});

const restoreDefaults = defineFamily<{ section: string; start: string; account: number }, SettingsState>({
  ...SETTINGS,
  id: "settings/restore-defaults",
  level: 3,
  maxSteps: 5,
  title: "Restore the defaults of a section and accept the browser's question",
  distinct: 20 * ACCOUNTS,
  draw(rng) {
    const section = rng.pick(SHORT_SECTIONS);
    return { section, start: elsewhere(section, rng), account: rng.int(1, ACCOUNTS) };
  },
  world({ section, account }) {
    const state = drawSettings([], accountRng(account));
    // At least one setting is away from its default, so that there is something to restore.
    const [control] = SECTIONS[section] ?? [];
    const held = state.values[section];
    if (control && held)
      held[control.name] = control.kind === "select" ? (control.options[1] ?? "") : "Someone";
    return state;
  },
  startPath: ({ start }) => pathOf(start),
  phrasings: ({ section }) => [
    `Open ${section}, press Restore defaults and accept.`,
    `Restore the defaults of the section ${section}, and confirm it.`,
  ],
  goal({ section }, state) {
    const changes = (SECTIONS[section] ?? []).map((control) => ({
      section,
      name: control.name,
      to: defaultValue(control),
    }));
    applyChanges(state, changes);
  },
  oracle: ({ section }) => [goTo(section), click("button", "Restore defaults"), answerDialog(true)],
  wrong: ({ section }) => [goTo(section), click("button", "Restore defaults"), answerDialog(false)],
});

const readValue = defineFamily<
  { section: string; name: string; start: string; value: string },
  SettingsState
>({
  ...SETTINGS,
  id: "settings/read-value",
  level: 3,
  maxSteps: 3,
  title: "Say what a setting is set to (a question)",
  distinct: 1000,
  draw(rng) {
    const section = rng.pick(SHORT_SECTIONS);
    const [change] = drawChanges(section, 1, rng, ["select", "text"]);
    const { name, to } = change as Change;
    return { section, name, start: elsewhere(section, rng), value: String(to) };
  },
  world({ section, name, value }, rng) {
    const state = drawSettings([], rng);
    applyChanges(state, [{ section, name, to: value }]);
    return state;
  },
  startPath: ({ start }) => pathOf(start),
  phrasings: ({ section, name }) => [
    `What is ${name} set to in ${section}?`,
    `Open ${section} and say what ${name} is set to.`,
  ],
  answer: ({ value }) => value,
  oracle: ({ section, value }) => [goTo(section), answer(value)],
  wrong: ({ section, name, value }) => [
    goTo(section),
    guess(String(mistake({ section, name, to: value }).to)),
  ],
});

/** All families of the settings site. */
export const settingsFamilies = [
  toggle,
  pick,
  edit,
  goAndChange,
  scrollToggle,
  restoreDefaults,
  readValue,
  threeChanges,
  twoSections,
];
