import type { Fault } from "@openforgerl/contracts/errors";
import { ForgeError } from "@openforgerl/contracts/errors";

/** Engine methods that are called across the thread border. */
export type RemoteMethod =
  | "forward"
  | "forwardBackward"
  | "optimStep"
  | "saveWeightsForSampler"
  | "sample"
  | "save"
  | "load";

/** What the worker is started with. */
export interface WorkerData {
  seed: number;
  port: number;
  /** Whether the starter can fetch images. */
  readsImages: boolean;
}

export type ToWorker =
  | { type: "call"; id: number; method: RemoteMethod; args: unknown[] }
  | { type: "image"; id: number; outcome: Outcome }
  | { type: "close" };

export type FromWorker =
  | { type: "ready"; url: string; modelName: string; policyVersion: string }
  | { type: "failed"; fault: Fault }
  | { type: "result"; id: number; outcome: Outcome; policyVersion: string }
  | { type: "read_image"; id: number; sha256: string };

export type Outcome = { ok: true; value: unknown } | { ok: false; fault: Fault };

/** The outcome of some work, ready to be sent. */
export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    return { ok: false, fault: toFault(thrown) };
  }
}

/** The value of an outcome. @throws the ForgeError that was on the other side. */
export function unwrap(outcome: Outcome): unknown {
  if (outcome.ok) return outcome.value;
  throw errorOf(outcome.fault);
}

/** The error of a fault that was sent. */
export function errorOf({ causes, ...fault }: Fault): ForgeError {
  return new ForgeError({ ...fault, ...(causes[0] === undefined ? {} : { cause: new Error(causes[0]) }) });
}

/** Anything thrown, ready to be sent. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof ForgeError) return thrown.toFault();
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return new ForgeError({
    boundary: "trainer",
    code: "engine_failed",
    message: error.message,
    advice: "This is a fault of the embedded engine; please report it with the call that led to it.",
    cause: error,
  }).toFault();
}
