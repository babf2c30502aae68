import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Sha256 } from "@openforgerl/contracts/content";
import type { Engine } from "@openforgerl/contracts/engine";
import { ForgeError } from "@openforgerl/contracts/errors";
import {
  errorOf,
  type FromWorker,
  type Outcome,
  outcomeOf,
  type RemoteMethod,
  type ToWorker,
  unwrap,
  type WorkerData,
} from "./worker-protocol.ts";

export interface EmbeddedWorkerOptions {
  /** Of the starting weights. */
  seed: number;
  /** Fetches the bytes of recorded images; without it only images of recent requests are known. */
  readImage?: (sha256: Sha256) => Promise<Uint8Array>;
  /** Port of the policy server; a free one when left out. */
  port?: number;
  /** Aborting closes the worker. */
  signal?: AbortSignal;
}

/** An embedded engine and its policy server in a thread of their own. */
export interface EmbeddedWorker {
  engine: Engine;
  /** Base URL of the policy server, without `/v1`. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts an embedded engine and its server in a worker thread, so that training and sampling do not hold up
 * the thread that drives browsers.
 * @throws ForgeError boundary `trainer` when the worker does not come up.
 */
export async function startEmbeddedWorker(options: EmbeddedWorkerOptions): Promise<EmbeddedWorker> {
  options.signal?.throwIfAborted();
  const isSource = import.meta.url.endsWith(".ts");
  const data: WorkerData = {
    seed: options.seed,
    port: options.port ?? 0,
    readsImages: options.readImage !== undefined,
  };
  const worker = new Worker(new URL(`./worker-thread.${isSource ? "ts" : "js"}`, import.meta.url), {
    workerData: data,
    execArgv: isSource ? ["--conditions=openforgerl"] : [],
  });
  const thread = new WorkerLink(worker, options.readImage);
  const abort = () => void thread.close();
  options.signal?.addEventListener("abort", abort, { once: true });
  const close = async () => {
    options.signal?.removeEventListener("abort", abort);
    await thread.close();
  };
  try {
    const ready = await thread.ready;
    return { engine: remoteEngine(thread, ready.modelName, close), url: ready.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function remoteEngine(thread: WorkerLink, modelName: string, close: () => Promise<void>): Engine {
  return {
    modelName,
    policyVersion: () => thread.policyVersion,
    forward: (data) => thread.call("forward", [data]),
    forwardBackward: (data, loss) => thread.call("forwardBackward", [data, loss]),
    optimStep: (adam) => thread.call("optimStep", [adam]),
    saveWeightsForSampler: () => thread.call("saveWeightsForSampler", []),
    sample: (prompt, options) => thread.call("sample", [prompt, options]),
    save: (path) => thread.call("save", [path]),
    load: (path) => thread.call("load", [path]),
    close,
  };
}

type Ready = Extract<FromWorker, { type: "ready" }>;

/** Calls into a worker and answers its questions. */
class WorkerLink {
  readonly ready: Promise<Ready>;
  policyVersion = "0";
  readonly #worker: Worker;
  readonly #readImage: EmbeddedWorkerOptions["readImage"];
  readonly #calls = new Map<number, (outcome: Outcome) => void>();
  #nextCall = 0;
  #ended: Outcome | undefined;

  constructor(worker: Worker, readImage: EmbeddedWorkerOptions["readImage"]) {
    this.#worker = worker;
    this.#readImage = readImage;
    const { promise, resolve, reject } = Promise.withResolvers<Ready>();
    this.ready = promise;
    worker.on("message", (message: FromWorker) => {
      if (message.type === "read_image") void this.#sendImage(message.id, message.sha256);
      else if (message.type === "failed") {
        reject(errorOf(message.fault));
      } else {
        this.policyVersion = message.policyVersion;
        if (message.type === "ready") resolve(message);
        else this.#settle(message.id, message.outcome);
      }
    });
    const stop = (why: string, cause?: unknown) => {
      const error = workerError(why, cause);
      this.#end(error);
      reject(error);
    };
    worker.on("error", (error) => stop("the embedded engine's thread failed", error));
    worker.on("exit", () => stop("the embedded engine is closed"));
  }

  /** @throws ForgeError what the engine threw, or `trainer/engine_closed`. */
  async call<T>(method: RemoteMethod, args: unknown[]): Promise<T> {
    if (this.#ended) return unwrap(this.#ended) as T;
    const id = this.#nextCall++;
    const outcome = await new Promise<Outcome>((resolve) => {
      this.#calls.set(id, resolve);
      this.#send({ type: "call", id, method, args });
    });
    return unwrap(outcome) as T;
  }

  /** Stops the server and the thread; idempotent. */
  async close(): Promise<void> {
    if (this.#ended) return;
    const exit = once(this.#worker, "exit");
    this.#send({ type: "close" });
    // The thread ends by itself once its server is closed; a thread that is stuck does not.
    const timer = setTimeout(() => void this.#worker.terminate(), 2000);
    try {
      await exit;
    } finally {
      clearTimeout(timer);
    }
  }

  async #sendImage(id: number, sha256: Sha256): Promise<void> {
    const outcome = await outcomeOf(async () => this.#readImage?.(sha256));
    this.#send({ type: "image", id, outcome });
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #settle(id: number, outcome: Outcome): void {
    this.#calls.get(id)?.(outcome);
    this.#calls.delete(id);
  }

  #end(error: ForgeError): void {
    this.#ended ??= { ok: false, fault: error.toFault() };
    for (const id of [...this.#calls.keys()]) this.#settle(id, this.#ended);
  }
}

function workerError(message: string, cause?: unknown): ForgeError {
  return new ForgeError({
    boundary: "trainer",
    code: "engine_closed",
    message,
    advice: "Start the engine again; a training run goes on from its newest checkpoint with `forge resume`.",
    cause,
  });
}
