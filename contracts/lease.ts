import { z } from "zod";

export const LeaseBackendName = z.enum(["local", "docker", "kubernetes"]);
export type LeaseBackendName = z.infer<typeof LeaseBackendName>;

/** A sandbox held for one attempt of one rollout. */
export interface Lease {
  readonly id: string;
  readonly backend: LeaseBackendName;
  /** A directory of this lease alone: harness HOME, transcripts. Removed on release. */
  readonly scratchDir: string;
  release(): Promise<void>;
}

/** Hands out sandboxes. `acquire` waits for a free place and rejects when the signal aborts. */
export interface LeaseBackend {
  readonly name: LeaseBackendName;
  acquire(rolloutId: string, signal: AbortSignal): Promise<Lease>;
  close(): Promise<void>;
}
