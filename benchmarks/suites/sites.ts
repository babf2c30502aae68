import type { Task } from "@openforgerl/contracts/task";
import { generateTask, getFamily, listFamilies } from "@openforgerl/environments/sites/families";
import { siteStateJudge } from "../judges/site-state.ts";
import type { Suite } from "../suite.ts";

/** A small model may need a call to look and one to end, besides one for each step. */
const CALLS_BESIDE_STEPS = 4;

/** The embedded suite: the self-hosted sites, scored by their server's state. */
export const sitesSuite: Suite = {
  name: "sites",
  revision: "1",
  judge: siteStateJudge,
  families: () => listFamilies().map(({ id, level, title }) => ({ id, level, title })),
  task(family, seed, split) {
    const generated = generateTask({ family, seed, split });
    return {
      schemaVersion: 1,
      id: `${family}@${split}-${seed}`,
      benchmark: "sites",
      family,
      level: generated.level,
      split,
      instruction: generated.instruction,
      environment: {
        kind: "browser",
        viewport: generated.viewport,
        locale: "en-US",
        timeZone: "UTC",
        toolStyle: generated.toolStyle,
        determinism: { seed, clock: "2026-01-15T09:00:00.000Z" },
        start: { at: "site", site: generated.site, family, seed, split },
      },
      limits: {
        maxSteps: generated.maxSteps,
        maxCalls: generated.maxSteps + CALLS_BESIDE_STEPS,
        deadlineSeconds: 120,
      },
      judge: siteStateJudge.ref,
    } satisfies Task;
  },
  tasks({ split, families, perFamily, firstSeed = 0 }) {
    const chosen = families ? families.map(getFamily) : listFamilies();
    return chosen.flatMap(({ id }) =>
      Array.from({ length: perFamily }, (_, i) => sitesSuite.task(id, firstSeed + i, split)),
    );
  },
};
