import type { BrowserSpec, Environment } from "@openforgerl/contracts/environment";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BrowserPool, openBrowserPool } from "../../browser/pool.ts";
import { createEnvironmentProvider, type EnvironmentProvider } from "../../provider.ts";
import { checkFamily } from "../../sites/check.ts";
import { getFamily, listFamilies } from "../../sites/families.ts";
import { type SiteServer, startSiteServer } from "../../sites/server.ts";

let sites: SiteServer;
let pool: BrowserPool;
let environments: EnvironmentProvider;

beforeAll(async () => {
  sites = await startSiteServer();
  pool = await openBrowserPool({ size: 2 });
  environments = createEnvironmentProvider({ pool, sites });
});
afterAll(async () => {
  await environments?.close();
  await pool?.close();
  await sites?.close();
});

/** Marks that an agent has to read at once; small policies have a bound of this order. */
const MOST_MARKS = 48;

/** Families whose instruction does not hold the text to type, which their title says. */
const UNQUOTED = new Set(["board/copy-code"]);

/** An environment that notes what is typed, and how many marks there were at most. */
function watched(env: Environment, seen: { typed: string[]; marks: number }): Environment {
  return {
    capabilities: env.capabilities,
    async observe(want) {
      const look = await env.observe(want);
      seen.marks = Math.max(seen.marks, look.marks?.length ?? 0);
      return look;
    },
    act(action) {
      if (action.type === "type") seen.typed.push(action.text);
      return env.act(action);
    },
    probe: (query) => env.probe(query),
    cdpUrl: () => env.cdpUrl(),
    close: () => env.close(),
  };
}

describe.each(listFamilies().map(({ id }) => id))("%s", (family) => {
  test("oracle 1, idle 0, wrong 0, the same first screenshot", async () => {
    const seen = { typed: [] as string[], marks: 0 };
    let episodes = 0;
    const openEnvironment = async (spec: BrowserSpec) => {
      episodes += 1;
      const env = await environments.open(spec);
      // The second episode of a seed is the oracle's.
      return episodes === 2 ? watched(env, seen) : env;
    };
    const found = await checkFamily({ family, seeds: [11], openEnvironment });
    expect(found.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(seen.marks).toBeLessThanOrEqual(MOST_MARKS);
    const { instruction } = getFamily(family).instantiate(11, "train").task;
    if (!UNQUOTED.has(family)) for (const text of seen.typed) expect(instruction).toContain(`"${text}"`);
  });
});

test("a family whose oracle finds no way is reported with what the page shows", async () => {
  const found = await checkFamily({
    family: "board/click-label",
    seeds: [0],
    // Another world than the oracle expects.
    openEnvironment: (spec) => environments.open({ ...spec, start: { ...spec.start, seed: 1 } as never }),
  });
  expect(found.ok).toBe(false);
  const oracle = found.checks.find(({ check }) => check === "oracle");
  expect(oracle).toMatchObject({ ok: false, detail: expect.stringContaining("there are: button") });
});
