import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { Lease, LeaseBackend } from "@openforgerl/contracts/lease";

/**
 * Sandboxes on this machine: a scratch directory each, at most `places` at a time. Isolation is that of the
 * process tree and of HOME; it does not confine a hostile program.
 */
export function createLocalBackend(places: number): LeaseBackend {
  let free = places;
  let count = 0;
  const waiting: Array<{ grant: () => void; refuse: (error: Error) => void }> = [];
  const held = new Set<Lease>();

  function takePlace(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(cancelled());
    if (free > 0) {
      free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        const at = waiting.indexOf(entry);
        if (at >= 0) waiting.splice(at, 1);
        reject(cancelled());
      };
      const entry = {
        grant: () => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        },
        refuse: reject,
      };
      signal.addEventListener("abort", onAbort, { once: true });
      waiting.push(entry);
    });
  }

  function givePlace(): void {
    const next = waiting.shift();
    if (next) next.grant();
    else free++;
  }

  return {
    name: "local",
    async acquire(rolloutId, signal) {
      await takePlace(signal);
      let scratchDir: string;
      try {
        scratchDir = await mkdtemp(join(tmpdir(), "forge-"));
      } catch (cause) {
        givePlace();
        throw new ForgeError({
          boundary: "runtime",
          code: "no_scratch",
          message: `Can't make a scratch directory under ${tmpdir()}.`,
          advice: "Free some space there, or point TMPDIR elsewhere.",
          retryable: true,
          cause,
        });
      }
      count++;
      const lease: Lease = {
        id: `local-${count}-${rolloutId}`,
        backend: "local",
        scratchDir,
        async release() {
          if (!held.delete(lease)) return;
          givePlace();
          await rm(scratchDir, { recursive: true, force: true, maxRetries: 3 });
        },
      };
      held.add(lease);
      return lease;
    },
    async close() {
      for (const { refuse } of waiting.splice(0)) refuse(cancelled());
      await Promise.all([...held].map((lease) => lease.release()));
    },
  };
}

function cancelled(): ForgeError {
  return new ForgeError({
    boundary: "runtime",
    code: "cancelled",
    message: "The run was cancelled while it waited for a sandbox.",
    advice: "Continue it with `forge resume`.",
  });
}
