import { describe, expect, test } from "vitest";
import { WIRE_DIALECTS } from "../../dialects/registry.ts";
import type { CanonicalResponse } from "../../messages.ts";
import { startProxy } from "../../server.ts";
import { nodeFiles } from "../../store/files.ts";
import { DIALECTS, REQUESTS, startBench, until } from "../support/proxy.ts";
import { recordsDir } from "../support/records.ts";

/** The event with which each dialect ends a stream that failed. */
const ERROR_EVENT = {
  "anthropic-messages": /event: error\ndata: {"type":"error","error":{"type":"api_error","message":"[^"]+/,
  "openai-chat": /data: {"error":{"message":"[^"]+","type":"server_error"/,
} as const;

function wholeAnswer(model: string): CanonicalResponse {
  return {
    id: "a",
    model,
    parts: [{ type: "text", text: "hi" }],
    stop: "end_turn",
    usage: { inputTokens: 1, outputTokens: 2 },
    capture: { promptTokenIds: [1], tokenIds: [2, 3], logprobs: [-1, -2] },
  };
}

describe.each(DIALECTS)("%s", (dialect) => {
  const { path, body } = REQUESTS[dialect];

  test.each([429, 500, 503, 529])(
    "%i before the first byte is tried again, each try on record",
    async (status) => {
      const { post, proxy, session, fake } = await startBench({
        script: (_, index) => (index < 2 ? { error: { status } } : {}),
      });
      expect((await post(path, body)).status).toBe(200);
      await proxy.sealSession(session.id);
      const [record] = await proxy.store.readCalls(session.id);
      expect(record?.attempts.map((attempt) => attempt.status)).toEqual([status, status, 200]);
      expect(record).toMatchObject({ complete: true, status: 200 });
      expect(fake.seen.map(({ body: sent }) => sent.equals(fake.seen[0]!.body))).toEqual([true, true, true]);
    },
  );

  test("a connection closed before the first byte is tried again", async () => {
    const { post, proxy, session } = await startBench({
      script: (_, index) => (index < 1 ? { reset: "before" } : {}),
    });
    expect((await post(path, body)).status).toBe(200);
    await proxy.sealSession(session.id);
    const [record] = await proxy.store.readCalls(session.id);
    expect(record?.attempts).toMatchObject([{ status: null, error: expect.any(String) }, { status: 200 }]);
  });

  test("an error that stays is passed on in the dialect's shape, with its Retry-After", async () => {
    const { post, proxy, session, fake } = await startBench({
      script: () => ({ error: { status: 503, retryAfter: "0", body: "<html>busy</html>" } }),
    });
    const response = await post(path, body);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("0");
    const answer = (await response.json()) as { error: { message: string } };
    expect(answer.error.message).toContain("busy");
    expect(fake.seen).toHaveLength(4);
    await proxy.sealSession(session.id);
    expect(await proxy.store.readCalls(session.id)).toMatchObject([
      { complete: "upstream_error", status: 503, attempts: { length: 4 } },
    ]);
  });

  test("an error of the same dialect passes to the byte, and 400 is not tried again", async () => {
    const error = JSON.stringify({ error: { message: "context too long", type: "x", code: 7 } }, null, 2);
    const { post, fake } = await startBench({ script: () => ({ error: { status: 400, body: error } }) });
    const response = await post(path, body);
    expect([response.status, await response.text()]).toEqual([400, error]);
    expect(fake.seen).toHaveLength(1);
  });

  test("a Retry-After beyond the time that is left ends the tries", async () => {
    const { post, fake } = await startBench({
      script: () => ({ error: { status: 429, retryAfter: "3600" } }),
    });
    expect((await post(path, body)).status).toBe(429);
    expect(fake.seen).toHaveLength(1);
  });

  test.each([{ reset: 2 }, { truncate: 2 }])("a stream cut by %j ends with the error event", async (cut) => {
    const { post, proxy, session, fake } = await startBench({ script: () => cut });
    const answer = await (await post(path, { ...body, stream: true })).text();
    expect(answer).toMatch(ERROR_EVENT[dialect]);
    expect(answer).not.toMatch(/message_stop|\[DONE\]/);
    expect(fake.seen).toHaveLength(1);
    await proxy.sealSession(session.id);
    const [record] = await proxy.store.readCalls(session.id);
    expect(record?.complete).toBe("upstream_reset");
    const opened = await proxy.store.openCall(record!);
    expect(opened.tokens).toBeNull();
    expect(Buffer.from(opened.responseBytes!).toString()).toBe(answer);
    expect(answer.split("\n\n").length).toBeGreaterThan(2);
  });

  test.each([false, true])(
    "a harness that leaves aborts the upstream's request (stream: %s)",
    async (stream) => {
      const { post, proxy, session, fake } = await startBench({
        script: () => ({
          pause: (event) => (event === (stream ? 2 : 0) ? new Promise(() => undefined) : Promise.resolve()),
        }),
      });
      const leave = new AbortController();
      const pending = post(path, { ...body, stream }, { signal: leave.signal }).then((response) =>
        response.text(),
      );
      await until(() => fake.seen.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      leave.abort();
      await expect(pending).rejects.toThrow();
      await until(() => fake.seen[0]!.aborted);
      await proxy.sealSession(session.id);
      expect(await proxy.store.readCalls(session.id)).toMatchObject([{ complete: "client_disconnected" }]);
    },
  );

  test("a harness that hangs up on the last event has had a whole answer", async () => {
    const { post, proxy, session } = await startBench({
      // The connection stays open behind the last event.
      script: (request) => ({
        raw: {
          contentType: "text/event-stream",
          chunks: [
            [...WIRE_DIALECTS[dialect]!.streamResponse(wholeAnswer(request.model))].join(""),
            ": still here\n\n",
          ],
        },
        pause: (event) => (event === 1 ? new Promise(() => undefined) : Promise.resolve()),
      }),
    });
    const response = await post(path, { ...body, stream: true });
    const reader = response.body!.getReader();
    let seen = "";
    while (!/message_stop|\[DONE\]/.test(seen)) seen += Buffer.from((await reader.read()).value!).toString();
    await reader.cancel();
    expect(await proxy.sealSession(session.id)).toMatchObject({
      calls: 1,
      completeCalls: 1,
      sampledTokens: 2,
    });
  });

  test("an upstream that can't be reached is 502 in the dialect's shape", async () => {
    const { post, proxy, session } = await startBench({ upstream: { baseUrl: "http://127.0.0.1:9" } });
    const response = await post(path, body);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("fake") } });
    await proxy.sealSession(session.id);
    const [record] = await proxy.store.readCalls(session.id);
    expect(record).toMatchObject({ complete: "upstream_error", response: null, attempts: { length: 4 } });
  });
});

test("an error event of the upstream's own passes and marks the call", async () => {
  const chunks = [
    'data: {"id":"1","model":"m","choices":[]}\n\n',
    'data: {"error":{"message":"engine died"}}\n\n',
  ];
  const { post, proxy, session } = await startBench({
    script: () => ({ raw: { contentType: "text/event-stream", chunks } }),
  });
  const answer = await (
    await post("/v1/chat/completions", { ...REQUESTS["openai-chat"].body, stream: true })
  ).text();
  expect(answer).toBe(chunks.join(""));
  await proxy.sealSession(session.id);
  expect(await proxy.store.readCalls(session.id)).toMatchObject([{ complete: "upstream_error" }]);
});

test("an answer that can't be read passes, and is not trained on", async () => {
  const { post, proxy, session } = await startBench({
    script: () => ({ raw: { contentType: "application/json", chunks: ['{"half":'] } }),
  });
  expect(await (await post("/v1/messages", REQUESTS["anthropic-messages"].body)).text()).toBe('{"half":');
  await proxy.sealSession(session.id);
  expect(await proxy.store.readCalls(session.id)).toMatchObject([{ complete: "record_failed", status: 200 }]);
});

test("on a full disk the harness gets its answers, and the seal fails with the path and the bytes", async () => {
  const full = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const { post, proxy, session } = await startBench({
    proxy: {
      files: {
        ...nodeFiles,
        openAppend: async (path) => ({
          ...(await nodeFiles.openAppend(path)),
          append: () => Promise.reject(full),
        }),
      },
    },
  });
  const heard: unknown[] = [];
  proxy.onCall(session.id, ({ complete }) => heard.push(complete));
  const response = await post("/v1/messages", REQUESTS["anthropic-messages"].body);
  expect([response.status, JSON.stringify(await response.json())]).toEqual([
    200,
    expect.stringContaining("answer 0"),
  ]);
  await expect(proxy.sealSession(session.id)).rejects.toMatchObject({
    code: "disk_full",
    message: expect.stringMatching(/sessions\/.*bytes needed/),
  });
  expect(heard).toEqual(["record_failed"]);
});

test("closing aborts what is under way and leaves its session unsealed but readable", async () => {
  const { fake } = await startBench({ script: () => ({ pause: () => new Promise(() => undefined) }) });
  const dir = await recordsDir();
  const proxy = await startProxy({
    recordsDir: dir,
    upstreams: [{ id: "u", dialects: ["anthropic-messages"], baseUrl: fake.url, capture: "none" }],
  });
  const session = await proxy.createSession({});
  const pending = fetch(`${session.baseUrl}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": session.token },
    body: JSON.stringify(REQUESTS["anthropic-messages"].body),
  }).catch(() => undefined);
  await until(() => fake.seen.length === 1);
  await proxy.close();
  await pending;
  expect(await proxy.store.readSession(session.id)).toMatchObject({ sealedAt: null, calls: 1, torn: false });
});
