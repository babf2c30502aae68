import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/**
 * The two ends of the overhead bench in a thread of their own, so that the proxy has one to itself: a model
 * server that answers at once with fixed bytes, and a client. Not a program: `overhead.ts` starts it.
 */
const { answer } = workerData as { answer: string };
const bytes = Buffer.from(answer);
const agent = new Agent({ keepAlive: true });

const server = createServer((req, res) => {
  req.resume();
  req.on("end", () => {
    res.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    res.end(bytes);
  });
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
parentPort?.postMessage({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });

export interface Load {
  /** Each inner list is sent one after the other; the lists at the same time. */
  chains: { url: string; token: string; bodies: string[] }[];
}

parentPort?.on("message", async (load: Load | "close") => {
  if (load === "close") {
    agent.destroy();
    server.close();
    server.closeAllConnections();
    parentPort?.close();
    return;
  }
  const started = performance.now();
  const latencies: number[] = [];
  await Promise.all(
    load.chains.map(async ({ url, token, bodies }) => {
      for (const body of bodies) {
        const sent = performance.now();
        await post(`${url}/v1/messages`, token, body);
        latencies.push(performance.now() - sent);
      }
    }),
  );
  parentPort?.postMessage({ latencies, seconds: (performance.now() - started) / 1000 });
});

function post(url: string, token: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "x-api-key": token,
      "content-length": Buffer.byteLength(body),
    };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
