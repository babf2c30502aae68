import { openBrowserPool } from "@openforgerl/environments/browser/pool";
import { createEnvironmentProvider } from "@openforgerl/environments/provider";
import { checkFamily, type FamilyCheck } from "@openforgerl/environments/sites/check";
import { startSiteServer } from "@openforgerl/environments/sites/server";

export interface CheckFamiliesOptions {
  /** Family ids. */
  families: readonly string[];
  /** Seeds of the train split to play, of each family. */
  seeds: readonly number[];
  /** Families at the same time. */
  concurrency: number;
  signal: AbortSignal;
  onClose(closer: () => Promise<void>): void;
  /** Told of each family as it is done, with how many are. */
  onChecked(result: FamilyCheck, done: number): void;
}

export interface CheckSummary {
  families: number;
  passed: number;
  failed: number;
  seconds: number;
}

/**
 * Checks families in one browser.
 * @throws what opening the browser or an episode throws; the signal's reason when aborted.
 */
export async function checkFamilies(options: CheckFamiliesOptions): Promise<CheckSummary> {
  const began = performance.now();
  const pool = await openBrowserPool({ size: options.concurrency });
  options.onClose(() => pool.close());
  const sites = await startSiteServer();
  options.onClose(() => sites.close());
  const environments = createEnvironmentProvider({ pool, sites });
  const waiting = [...options.families];
  let done = 0;
  let passed = 0;

  async function work(): Promise<void> {
    for (let family = waiting.shift(); family !== undefined; family = waiting.shift()) {
      const result = await checkFamily({
        family,
        seeds: options.seeds,
        openEnvironment: (spec) => environments.open(spec),
        signal: options.signal,
      });
      if (result.ok) passed += 1;
      options.onChecked(result, ++done);
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, work));
  return {
    families: done,
    passed,
    failed: done - passed,
    seconds: (performance.now() - began) / 1000,
  };
}
