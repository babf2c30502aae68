import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Proxy as RecordingProxy, startProxy } from "@openforgerl/proxy/server";

/** What the model is to say next. */
export interface Saying {
  text?: string;
  tool?: { name: string; input: unknown };
  logprobs: number[];
}

export interface RecordedModel {
  /** Has the model say these things in a session of their own, through the proxy, and seals it. */
  record(sayings: readonly Saying[]): Promise<{ sessionId: string; calls: number; sampled: number }>;
  close(): Promise<void>;
}

/** A model server that says what it is told, behind a real proxy that records into a folder. */
export async function startRecordedModel(recordsDir: string): Promise<RecordedModel> {
  const queue: Saying[] = [];
  const upstream = createServer(async (request, response) => {
    for await (const _ of request);
    const { text, tool, logprobs } = queue.shift() ?? { logprobs: [] };
    const content = [
      ...(text === undefined ? [] : [{ type: "text", text }]),
      ...(tool === undefined ? [] : [{ type: "tool_use", id: "t1", ...tool }]),
    ];
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "m1",
        type: "message",
        role: "assistant",
        model: "toy",
        content,
        stop_reason: tool ? "tool_use" : "end_turn",
        usage: { input_tokens: 3, output_tokens: logprobs.length },
        prompt_token_ids: [256, 259, 7],
        token_ids: logprobs.map((_, i) => 272 + i),
        token_logprobs: logprobs,
        policy_version: { first: "12", last: "12" },
      }),
    );
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const proxy: RecordingProxy = await startProxy({
    recordsDir,
    upstreams: [{ id: "toy", dialects: ["anthropic-messages"], baseUrl, model: "toy", capture: "vllm" }],
    durability: "os",
  });
  return {
    async record(sayings) {
      const grant = await proxy.createSession({});
      for (const saying of sayings) {
        queue.push(saying);
        const answer = await fetch(`${grant.baseUrl}/v1/messages`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-api-key": grant.token },
          body: JSON.stringify({
            model: "toy",
            max_tokens: 64,
            messages: [{ role: "user", content: "What next?" }],
          }),
        });
        if (!answer.ok) throw new Error(`the proxy answered ${answer.status}: ${await answer.text()}`);
        await answer.arrayBuffer();
      }
      await proxy.sealSession(grant.id);
      return {
        sessionId: grant.id,
        calls: sayings.length,
        sampled: sayings.reduce((sum, { logprobs }) => sum + logprobs.length, 0),
      };
    },
    async close() {
      await proxy.close();
      upstream.closeAllConnections();
      await new Promise<void>((resolve) => upstream.close(() => resolve()));
    },
  };
}
