import type { Rng } from "../core/rng.ts";
import { ADJECTIVES, capital, FAMILY_NAMES, GIVEN_NAMES, NOUNS } from "../core/words.ts";
import type { SiteState } from "../types.ts";

export const PAGE_VIEWPORT = { width: 640, height: 480 };

export type Control =
  | { kind: "switch"; name: string }
  | { kind: "select"; name: string; options: readonly string[] }
  | { kind: "text"; name: string; draw: (rng: Rng) => string };

export type Value = string | boolean;

/** Settings by section, then by name. */
export interface SettingsState extends SiteState {
  values: Record<string, Record<string, Value>>;
}

/** One setting to be changed. */
export interface Change {
  section: string;
  name: string;
  to: Value;
}

const person = (rng: Rng) => `${rng.pick(GIVEN_NAMES)} ${rng.pick(FAMILY_NAMES)}`;
const phrase = (rng: Rng) => `${rng.pick(ADJECTIVES)} ${rng.pick(NOUNS)}`;
const town = (rng: Rng) => capital(rng.pick(NOUNS)) + rng.pick(["ford", "ton", "ville", "port"]);
const mail = (rng: Rng) => `${rng.pick(GIVEN_NAMES).toLowerCase()}.${rng.pick(NOUNS)}@example.org`;

/** The sections with what each holds; every one has two switches at least. The last one is longer than the viewport. */
export const SECTIONS: Record<string, readonly Control[]> = {
  Profile: [
    { kind: "text", name: "Display name", draw: person },
    { kind: "text", name: "Motto", draw: phrase },
    { kind: "text", name: "Home town", draw: town },
    { kind: "select", name: "Pronouns", options: ["She", "He", "They", "Not shown"] },
    { kind: "switch", name: "Public profile" },
    { kind: "switch", name: "Show birthday" },
  ],
  Notifications: [
    { kind: "select", name: "Digest day", options: ["Monday", "Wednesday", "Friday", "Sunday", "Never"] },
    { kind: "select", name: "Sound", options: ["Chime", "Bell", "Drop", "Silent"] },
    { kind: "switch", name: "Email alerts" },
    { kind: "switch", name: "Push alerts" },
    { kind: "switch", name: "Mentions only" },
  ],
  Privacy: [
    { kind: "select", name: "Visible to", options: ["Everyone", "Members", "Friends", "Nobody"] },
    { kind: "text", name: "Recovery address", draw: mail },
    { kind: "switch", name: "Read receipts" },
    { kind: "switch", name: "Online status" },
    { kind: "switch", name: "Activity log" },
  ],
  Display: [
    { kind: "select", name: "Theme", options: ["Paper", "Slate", "Forest", "Ocean"] },
    { kind: "select", name: "Text size", options: ["Small", "Medium", "Large", "Huge"] },
    { kind: "switch", name: "Compact lists" },
    { kind: "switch", name: "Reduce motion" },
    { kind: "switch", name: "Line numbers" },
  ],
  Region: [
    { kind: "select", name: "Language", options: ["English", "Danish", "French", "Polish", "Spanish"] },
    { kind: "select", name: "Time zone", options: ["Lisbon", "Berlin", "Nairobi", "Delhi", "Tokyo", "Lima"] },
    { kind: "select", name: "Units", options: ["Metric", "Imperial"] },
    { kind: "text", name: "Delivery town", draw: town },
    { kind: "switch", name: "24-hour clock" },
    { kind: "switch", name: "Week numbers" },
  ],
  Apps: [
    "Calendar",
    "Camera",
    "Chat",
    "Clock",
    "Contacts",
    "Documents",
    "Forms",
    "Gallery",
    "Ledger",
    "Mail",
    "Maps",
    "Music",
    "Notes",
    "Podcasts",
    "Sheets",
    "Slides",
    "Tasks",
    "Translate",
    "Weather",
    "Whiteboard",
  ].map((name) => ({ kind: "switch", name })),
};

export const SECTION_NAMES = Object.keys(SECTIONS);
/** Sections that show everything without scrolling. */
export const SHORT_SECTIONS = SECTION_NAMES.filter((name) => name !== "Apps");

/** What "Restore defaults" leads to. */
export function defaultValue(control: Control): Value {
  if (control.kind === "switch") return false;
  return control.kind === "select" ? (control.options[0] ?? "") : "";
}

/** A value that the control may hold. */
export function drawValue(control: Control, rng: Rng): Value {
  if (control.kind === "switch") return rng.chance(0.5);
  return control.kind === "select" ? rng.pick(control.options) : control.draw(rng);
}

/** Settings of somebody, none of which is yet as the changes want it. */
export function drawSettings(changes: readonly Change[], rng: Rng): SettingsState {
  const values: SettingsState["values"] = {};
  for (const [section, controls] of Object.entries(SECTIONS)) {
    const held: Record<string, Value> = {};
    for (const control of controls) {
      const change = changes.find((wanted) => wanted.section === section && wanted.name === control.name);
      do held[control.name] = drawValue(control, rng);
      while (held[control.name] === change?.to);
    }
    values[section] = held;
  }
  return { view: "", values };
}

/** Carries the changes out. */
export function applyChanges(state: SettingsState, changes: readonly Change[]): void {
  for (const { section, name, to } of changes) {
    const held = state.values[section];
    if (held) held[name] = to;
  }
}
