import { ForgeError, parseInput } from "@openforgerl/contracts/errors";
import type { Judge } from "@openforgerl/contracts/verdict";
import { z } from "zod";

const SiteVerdict = z.object({
  score: z.number().min(0).max(1),
  reason: z.string(),
  evidence: z.record(z.string(), z.unknown()),
});

/**
 * Scores a task of the embedded suite by the final state of the site's server (and the agent's answer where
 * the task asks a question). It reads nothing that a page could have written.
 */
export const siteStateJudge: Judge = {
  ref: { id: "site-state", version: "1" },
  async judge({ task, answer, probe }) {
    const found = await probe({ type: "site_verdict", answer });
    if (!found.ok) {
      throw new ForgeError({
        boundary: "judge",
        code: "no_state",
        message: `The site's state could not be read for ${task.id}: ${found.message}`,
        advice: "The rollout is tried again; if this persists, the site server is at fault.",
        retryable: true,
      });
    }
    return { ...parseInput(SiteVerdict, found.value, `verdict of ${task.id}`), judge: siteStateJudge.ref };
  },
};
