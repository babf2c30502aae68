import { DialogInTheWay, type Dialogs } from "./dialogs.ts";
import type { Downloads } from "./downloads.ts";
import { DocumentGone } from "./frame.ts";
import { TabGone } from "./page.ts";
import type { Tabs } from "./tabs.ts";

/** Budgets, in milliseconds. */
export interface SettleBudget {
  /** For everything: requests, navigations, pop-ups, and the DOM. */
  totalMs: number;
  /** For a document that keeps changing by itself when nothing else is going on. */
  restlessMs: number;
}

export const DEFAULT_BUDGET: SettleBudget = { totalMs: 3_000, restlessMs: 800 };

export interface SettleOptions {
  budget?: SettleBudget;
  /** Wait for the two frames even where nothing seems to have changed. */
  thorough?: boolean;
  /** Bring animations to rest instead of letting them play. */
  hold?: boolean;
}

/**
 * Waits until what an action set off is over: requests finished, navigations loaded, pop-ups here, the DOM
 * still for two frames. A page that nothing happened on costs one round trip.
 */
export async function settle(
  tabs: Tabs,
  dialogs: Dialogs,
  downloads: Downloads,
  options: SettleOptions = {},
): Promise<{ ok: boolean; ms: number }> {
  const { budget = DEFAULT_BUDGET, thorough = false, hold = false } = options;
  const start = performance.now();
  const left = () => Math.max(0, budget.totalMs - (performance.now() - start));
  let ok = true;
  let calm = !thorough;
  while (dialogs.current === undefined) {
    try {
      await tabs.settled();
      const page = tabs.active;
      // The answer to this question comes after all events that the page has sent before it.
      const quiet = await page.ask(
        page.main.call("quiet", { thorough: !calm, maxMs: Math.min(budget.restlessMs, left()), hold }),
      );
      const busy = tabs.all.filter((each) => each.activity.busy);
      if (busy.length === 0 && page === tabs.active && page.gone === undefined && (await downloads.idle(0))) {
        ok = quiet;
        break;
      }
      calm = false;
      for (const each of busy) await dialogs.race(each.activity.idle(left()));
      await downloads.idle(left());
    } catch (error) {
      if (error instanceof DialogInTheWay) break;
      if (!(error instanceof DocumentGone || error instanceof TabGone)) throw error;
      calm = false;
    }
    if (left() <= 0) {
      ok = false;
      break;
    }
  }
  return { ok, ms: Math.round(performance.now() - start) };
}
