// Entry of the worker thread that `startEmbeddedWorker` starts.
import { parentPort, workerData } from "node:worker_threads";
import { ForgeError } from "@openforgerl/contracts/errors";
import { createEmbeddedEngine, type EmbeddedEngine } from "./engine.ts";
import { servePolicy } from "./server.ts";
import {
  type FromWorker,
  type Outcome,
  outcomeOf,
  type ToWorker,
  toFault,
  unwrap,
  type WorkerData,
} from "./worker-protocol.ts";

const port = parentPort!;
const { seed, port: httpPort, readsImages } = workerData as WorkerData;
const images = new Map<number, (outcome: Outcome) => void>();
let nextImage = 0;

const send = (message: FromWorker) => port.postMessage(message);

const engine = createEmbeddedEngine({ seed, readImage });

try {
  const server = await servePolicy(engine, { port: httpPort });
  port.on("message", (message: ToWorker) => {
    if (message.type === "call") void call(message.id, message.method, message.args);
    else if (message.type === "image") images.get(message.id)?.(message.outcome);
    else void server.close().then(() => port.close());
  });
  send({
    type: "ready",
    url: server.url,
    modelName: engine.modelName,
    policyVersion: engine.policyVersion(),
  });
} catch (thrown) {
  send({ type: "failed", fault: toFault(thrown) });
}

async function call(id: number, method: keyof EmbeddedEngine, args: unknown[]): Promise<void> {
  const outcome = await outcomeOf(() =>
    Reflect.apply(engine[method] as () => Promise<unknown>, engine, args),
  );
  send({ type: "result", id, outcome, policyVersion: engine.policyVersion() });
}

async function readImage(sha256: string): Promise<Uint8Array> {
  if (!readsImages) {
    throw new ForgeError({
      boundary: "trainer",
      code: "image_unavailable",
      message: `image ${sha256} is not in memory`,
      advice: "Start the engine with `readImage` so that it can fetch recorded images.",
    });
  }
  const id = nextImage++;
  const outcome = await new Promise<Outcome>((resolve) => {
    images.set(id, resolve);
    send({ type: "read_image", id, sha256 });
  });
  images.delete(id);
  return unwrap(outcome) as Uint8Array;
}
