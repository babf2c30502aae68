import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { CallRecord } from "@openforgerl/contracts/call";
import { SessionOptions, type SessionReport } from "@openforgerl/contracts/session";
import type { z } from "zod";
import type { WireError } from "./dialects/dialect.ts";
import { RoleClassifier } from "./roles.ts";
import { SessionWriter, type WriterOptions } from "./store/session-writer.ts";

export type CallListener = (record: CallRecord) => void;

/** How long a seal waits for calls under way before it aborts them, milliseconds. */
const SEAL_GRACE_MS = 10_000;

/** One rollout's place in the proxy: its token, its bounds, its recording. */
export class Session {
  readonly id = randomUUID();
  readonly token = `forge-${randomBytes(24).toString("base64url")}`;
  readonly options: z.output<typeof SessionOptions>;
  readonly writer: SessionWriter;
  readonly roles: RoleClassifier;
  readonly #listeners = new Set<CallListener>();
  /** Calls under way. */
  readonly #running = new Map<AbortController, Promise<void>>();
  #state: "open" | "sealing" | "sealed" | "aborted" = "open";
  #begun = 0;
  #failed = 0;
  #sealed: Promise<SessionReport> | undefined;

  constructor(options: SessionOptions, writerOptions: WriterOptions) {
    this.options = SessionOptions.parse(options);
    this.writer = new SessionWriter(writerOptions, this.id, this.options.metadata);
    this.roles = new RoleClassifier(this.options.metadata);
  }

  get state(): string {
    return this.#state;
  }

  /** Calls that the model has answered or is answering: what `maxCalls` bounds. */
  get calls(): number {
    return this.#begun - this.#failed;
  }

  /** Why no call may begin now, in the form a harness can be told. */
  refusal(): WireError | undefined {
    if (this.#state === "aborted") {
      return { status: 409, message: "This session was aborted; it takes no more calls." };
    }
    if (this.#state !== "open") {
      return { status: 409, message: "This session is sealed; it takes no more calls." };
    }
    const { maxCalls } = this.options;
    if (maxCalls === undefined) return undefined;
    if (this.calls >= maxCalls) {
      return { status: 429, message: `This session has used its ${maxCalls} model calls.` };
    }
    // An outage does not use the model up, but a harness must not knock at a dead one for ever either.
    if (this.#failed >= maxCalls) {
      return { status: 503, message: `${this.#failed} calls of this session have failed.` };
    }
    return undefined;
  }

  /**
   * Runs a call as one of this session's; `abort` on its controller ends it early.
   * @param call says so by `fail`, before it tells the harness, where the model gave no answer.
   */
  async run(
    call: (index: number, controller: AbortController, fail: () => void) => Promise<void>,
  ): Promise<void> {
    const controller = new AbortController();
    let failed = false;
    const fail = (): void => {
      if (!failed) this.#failed++;
      failed = true;
    };
    const running = call(this.#begun++, controller, fail);
    this.#running.set(controller, running);
    try {
      await running;
    } finally {
      this.#running.delete(controller);
    }
  }

  /** The seed of call `index`: 31 bits, derived from the session's base seed. */
  seedOf(index: number): number | undefined {
    const { seed } = this.options.sampling;
    if (seed === undefined) return undefined;
    return createHash("sha256").update(`${seed}/${index}`).digest().readUInt32BE(0) >>> 1;
  }

  onCall(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(record: CallRecord): void {
    for (const listener of this.#listeners) listener(record);
  }

  abort(): void {
    if (this.#state === "open") this.#state = "aborted";
    for (const controller of this.#running.keys()) controller.abort();
  }

  /**
   * Takes no more calls, waits for those under way, and makes the recording final. Calling it again gives
   * the same answer. @throws ForgeError where the recording is not whole.
   */
  seal(): Promise<SessionReport> {
    this.#sealed ??= this.#seal();
    return this.#sealed;
  }

  /** Waits for the calls under way and closes the journal, sealed or not. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#running.values());
    await this.writer.close();
  }

  async #seal(): Promise<SessionReport> {
    this.#state = "sealing";
    const timer = setTimeout(() => this.abort(), SEAL_GRACE_MS);
    await Promise.allSettled(this.#running.values());
    clearTimeout(timer);
    const report = await this.writer.seal();
    this.#state = "sealed";
    this.#listeners.clear();
    return report;
  }
}
