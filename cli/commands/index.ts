import type { CommandModule } from "../command.ts";

/** A command as the overview shows it; its module is loaded only when it is called. */
export interface CommandEntry {
  name: string;
  group: "Learn and measure" | "Tasks and environments" | "Harnesses and models" | "This machine";
  /** One line. */
  summary: string;
  load(): Promise<CommandModule>;
}

/** Every command, in the order of the overview. A new one is a file in this folder and a line here. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "train",
    group: "Learn and measure",
    summary: "train the embedded policy: episodes, recordings, updates, report",
    load: () => import("./train.ts"),
  },
  {
    name: "eval",
    group: "Learn and measure",
    summary: "score a model through a harness, with an interval",
    load: () => import("./eval.ts"),
  },
  {
    name: "resume",
    group: "Learn and measure",
    summary: "finish a run that was interrupted",
    load: () => import("./resume.ts"),
  },
  {
    name: "view",
    group: "Learn and measure",
    summary: "open a run's report in the browser: scores, curve, every rollout step by step",
    load: () => import("./view.ts"),
  },
  {
    name: "task",
    group: "Tasks and environments",
    summary: "list, show and check the task families of the self-hosted sites",
    load: () => import("./task.ts"),
  },
  {
    name: "site",
    group: "Tasks and environments",
    summary: "serve one task's web site, to try it by hand",
    load: () => import("./site.ts"),
  },
  {
    name: "harness",
    group: "Harnesses and models",
    summary: "list and install the agent harnesses",
    load: () => import("./harness.ts"),
  },
  {
    name: "proxy",
    group: "Harnesses and models",
    summary: "record the model calls of any program, token by token",
    load: () => import("./proxy.ts"),
  },
  {
    name: "doctor",
    group: "This machine",
    summary: "what is installed, what is missing, and the command that mends it",
    load: () => import("./doctor.ts"),
  },
  {
    name: "test",
    group: "This machine",
    summary: "run all checks and tests of this checkout",
    load: () => import("./test.ts"),
  },
  {
    name: "bench",
    group: "This machine",
    summary: "measure a hot path of this checkout against its baseline",
    load: () => import("./bench.ts"),
  },
];
