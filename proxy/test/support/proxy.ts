import type { SessionGrant, SessionOptions } from "@openforgerl/contracts/session";
import { onTestFinished } from "vitest";
import type { CanonicalRequest } from "../../messages.ts";
import {
  type ProxyOptions,
  type Proxy as RecordingProxy,
  startProxy,
  type UpstreamConfig,
} from "../../server.ts";
import { type FakeUpstream, type Script, startFakeUpstream } from "./fake-upstream.ts";
import { recordsDir } from "./records.ts";

export interface Bench {
  proxy: RecordingProxy;
  fake: FakeUpstream;
  session: SessionGrant;
  /** Posts a body as the session's harness would. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

/** A proxy in front of a fake upstream, with one session; all of it closed when the test is over. */
export async function startBench(options: {
  script?: (request: CanonicalRequest, index: number) => Script | Promise<Script>;
  session?: SessionOptions;
  upstream?: Partial<UpstreamConfig>;
  proxy?: Partial<ProxyOptions>;
}): Promise<Bench> {
  const fake = await startFakeUpstream(options.script ?? (() => ({})));
  onTestFinished(() => fake.close());
  const proxy = await startProxy({
    recordsDir: await recordsDir(),
    retry: { baseMs: 1, maxMs: 5 },
    upstreams: [
      {
        id: "fake",
        dialects: ["anthropic-messages", "openai-chat"],
        baseUrl: fake.url,
        capture: "vllm",
        ...options.upstream,
      },
    ],
    ...options.proxy,
  });
  onTestFinished(() => proxy.close());
  const session = await proxy.createSession(options.session ?? {});
  return {
    proxy,
    fake,
    session,
    post: (path, body, init = {}) =>
      fetch(session.baseUrl + path, {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        ...init,
        headers: { "x-api-key": session.token, "content-type": "application/json", ...init.headers },
      }),
  };
}

/** A request of each dialect that says the same. */
export const REQUESTS = {
  "anthropic-messages": {
    path: "/v1/messages",
    body: { model: "m", max_tokens: 64, messages: [{ role: "user", content: "hello" }] },
  },
  "openai-chat": {
    path: "/v1/chat/completions",
    body: { model: "m", max_tokens: 64, messages: [{ role: "user", content: "hello" }] },
  },
} as const;

export const DIALECTS = ["anthropic-messages", "openai-chat"] as const;

/** Waits until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
