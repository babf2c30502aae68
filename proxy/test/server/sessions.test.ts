import type { CallRecord } from "@openforgerl/contracts/call";
import { describe, expect, test } from "vitest";
import { startProxy } from "../../server.ts";
import { DIALECTS, REQUESTS, startBench, until } from "../support/proxy.ts";
import { recordsDir } from "../support/records.ts";

/** The two error shapes. */
const ERROR_SHAPE = {
  "anthropic-messages": { type: "error", error: { type: expect.any(String), message: expect.any(String) } },
  "openai-chat": { error: { message: expect.any(String), type: expect.any(String), param: null } },
} as const;

describe.each(DIALECTS)("%s", (dialect) => {
  const { path, body } = REQUESTS[dialect];

  test.each([
    { "x-api-key": "nobody" },
    { "x-api-key": "", authorization: "Bearer nobody" },
    { "x-api-key": "" },
  ])("a call with %j is 401 and never a session", async (headers) => {
    const { post, fake } = await startBench({});
    const response = await post(path, body, { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject(ERROR_SHAPE[dialect]);
    expect(fake.seen).toEqual([]);
  });

  test.each(["", "dummy"])("a bearer token is as good as an api key (beside the key %j)", async (key) => {
    const { post, session, proxy } = await startBench({});
    const headers = { "x-api-key": key, authorization: `Bearer ${session.token}` };
    expect((await post(path, body, { headers })).status).toBe(200);
    expect(proxy.calls(session.id)).toBe(1);
  });

  test("a sealed session is 409", async () => {
    const { post, session, proxy } = await startBench({});
    await proxy.sealSession(session.id);
    const response = await post(path, body);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject(ERROR_SHAPE[dialect]);
    expect(response.headers.get("x-should-retry")).toBe("false");
  });

  test("calls beyond maxCalls are 429 and don't count", async () => {
    const { post, session, proxy } = await startBench({ session: { maxCalls: 2 } });
    const statuses = [];
    for (let call = 0; call < 4; call++) statuses.push((await post(path, body)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
    expect(proxy.calls(session.id)).toBe(2);
    expect(await proxy.sealSession(session.id)).toMatchObject({ calls: 2 });
  });

  test("calls that the model server failed use nothing up, but cannot go on for ever", async () => {
    let healthy = false;
    const { post, session, proxy } = await startBench({
      session: { maxCalls: 2 },
      script: () => (healthy ? {} : { error: { status: 400 } }),
    });
    const statuses = [];
    statuses.push((await post(path, body)).status);
    expect(proxy.calls(session.id)).toBe(0);
    healthy = true;
    statuses.push((await post(path, body)).status);
    expect(proxy.calls(session.id)).toBe(1);
    healthy = false;
    for (let call = 0; call < 3; call++) statuses.push((await post(path, body)).status);
    expect(statuses).toEqual([400, 200, 400, 503, 503]);
    expect(proxy.calls(session.id)).toBe(1);
    expect(await proxy.sealSession(session.id)).toMatchObject({ calls: 3 });
  });

  test.each(["", "[1]", "{", '{"model":"m","messages":[{]}', '{"model":"m","messages":[{"role" 1}]}'])(
    "the body %j is 400",
    async (text) => {
      const { post } = await startBench({});
      const response = await post(path, text);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject(ERROR_SHAPE[dialect]);
    },
  );

  test("a body over the limit is 413 in the dialect's shape", async () => {
    const { post } = await startBench({ proxy: { maxBodyBytes: 100 } });
    const response = await post(path, { ...body, padding: "x".repeat(200) });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject(ERROR_SHAPE[dialect]);
  });
});

test("listeners hear each record as it is written, until they stop", async () => {
  const { post, session, proxy } = await startBench({});
  const heard: CallRecord[] = [];
  const stop = proxy.onCall(session.id, (record) => heard.push(record));
  await (await post("/v1/messages", REQUESTS["anthropic-messages"].body)).text();
  await until(() => heard.length === 1);
  stop();
  await (await post("/v1/messages", REQUESTS["anthropic-messages"].body)).text();
  await proxy.sealSession(session.id);
  expect(heard).toEqual((await proxy.store.readCalls(session.id)).slice(0, 1));
});

test("sessions can be opened, watched and sealed over HTTP, with the admin token alone", async () => {
  const { proxy } = await startBench({ proxy: { adminToken: "admin" } });
  const open = (token: string): Promise<Response> =>
    fetch(`${proxy.url}/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ maxCalls: 3, metadata: { rollout: "r1" } }),
    });
  expect((await open("guess")).status).toBe(401);
  const grant = (await (await open("admin")).json()) as { id: string; token: string; baseUrl: string };
  expect(grant).toEqual({ id: expect.any(String), token: expect.any(String), baseUrl: proxy.url });
  const headers = { authorization: "Bearer admin" };
  const seen = await fetch(`${proxy.url}/sessions/${grant.id}`, { headers });
  expect(await seen.json()).toMatchObject({ id: grant.id, state: "open", calls: 0 });
  const sealed = await fetch(`${proxy.url}/sessions/${grant.id}/seal`, { method: "POST", headers });
  expect(await sealed.json()).toMatchObject({ calls: 0, sequences: 0 });
  expect(await proxy.store.readSession(grant.id)).toMatchObject({ metadata: { rollout: "r1" } });
  expect((await fetch(`${proxy.url}/sessions/nobody`, { headers })).status).toBe(404);
});

test("without an admin token there is no way to sessions over HTTP", async () => {
  const { proxy, session } = await startBench({});
  const headers = { authorization: `Bearer ${session.token}` };
  expect((await fetch(`${proxy.url}/sessions`, { method: "POST", headers, body: "{}" })).status).toBe(404);
  expect((await fetch(`${proxy.url}/sessions/${session.id}`, { headers })).status).toBe(404);
  const sealed = await fetch(`${proxy.url}/sessions/${session.id}/seal`, { method: "POST", headers });
  expect(sealed.status).toBe(404);
});

test("bad session options are refused by field", async () => {
  const { proxy } = await startBench({ proxy: { adminToken: "admin" } });
  const response = await fetch(`${proxy.url}/sessions`, {
    method: "POST",
    headers: { authorization: "Bearer admin", "content-type": "application/json" },
    body: JSON.stringify({ maxCalls: -1 }),
  });
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toContain("maxCalls");
});

test("an aborted session drops its upstream request, takes no more calls, and can be sealed", async () => {
  const { post, session, proxy, fake } = await startBench({
    script: () => ({ pause: () => new Promise(() => undefined) }),
  });
  const pending = post("/v1/messages", REQUESTS["anthropic-messages"].body);
  await until(() => fake.seen.length === 1);
  proxy.abortSession(session.id);
  expect((await pending).status).toBe(409);
  await until(() => fake.seen[0]!.aborted);
  expect((await post("/v1/messages", REQUESTS["anthropic-messages"].body)).status).toBe(409);
  expect(await proxy.sealSession(session.id)).toMatchObject({ calls: 1, completeCalls: 0 });
});

test("roles are told apart: agent, sub-agent, compaction, background", async () => {
  const { post, session, proxy } = await startBench({});
  const { body } = REQUESTS["anthropic-messages"];
  const tool = (name: string): object => ({ name, input_schema: { type: "object" } });
  const requests = [
    { ...body, tools: [tool("a"), tool("b")] },
    { ...body, tools: [tool("a")] },
    { ...body, system: "You summarize conversations." },
    { ...body, system: "Write a title." },
    { ...body, tools: [tool("a"), tool("b")], system: "changed" },
  ];
  for (const request of requests) await (await post("/v1/messages", request)).text();
  await proxy.sealSession(session.id);
  const roles = (await proxy.store.readCalls(session.id)).map(({ role }) => role);
  expect(roles).toEqual(["agent", "subagent", "compaction", "background", "agent"]);
});

test("a session that says what its calls are for is believed", async () => {
  const { post, session, proxy } = await startBench({ session: { metadata: { role: "judge" } } });
  await (await post("/v1/messages", REQUESTS["anthropic-messages"].body)).text();
  await proxy.sealSession(session.id);
  expect(await proxy.store.readCalls(session.id)).toMatchObject([{ role: "judge" }]);
});

test("a taken port and an empty list of upstreams are named", async () => {
  const { proxy } = await startBench({});
  const upstreams = [
    { id: "u", dialects: ["openai-chat" as const], baseUrl: proxy.url, capture: "none" as const },
  ];
  const port = Number(new URL(proxy.url).port);
  await expect(startProxy({ recordsDir: await recordsDir(), upstreams, port })).rejects.toMatchObject({
    code: "port_taken",
    message: expect.stringContaining(String(port)),
  });
  await expect(startProxy({ recordsDir: await recordsDir(), upstreams: [] })).rejects.toMatchObject({
    boundary: "input",
  });
});

test("models and token counts are answered, with or without the upstream's help", async () => {
  const { post, session, proxy } = await startBench({ upstream: { model: "served" } });
  const headers = { "x-api-key": session.token };
  const models = await (await fetch(`${proxy.url}/v1/models`, { headers })).json();
  expect(models).toMatchObject({ data: [{ id: "served" }] });
  expect((await fetch(`${proxy.url}/v1/models`)).status).toBe(401);
  const count = async (messages: unknown[]): Promise<number> => {
    const response = await post("/v1/messages/count_tokens", { model: "m", messages });
    return ((await response.json()) as { input_tokens: number }).input_tokens;
  };
  const short = await count([{ role: "user", content: "hello" }]);
  const long = await count([{ role: "user", content: "hello ".repeat(100) }]);
  expect(short).toBeGreaterThan(0);
  expect(long).toBeGreaterThanOrEqual(100);
  expect(proxy.calls(session.id)).toBe(0);
});

test("session options count whatever their content type, and unknown ones are refused", async () => {
  const { proxy } = await startBench({ proxy: { adminToken: "admin" } });
  const create = (body: string) =>
    fetch(`${proxy.url}/sessions`, {
      method: "POST",
      headers: { "x-api-key": "admin", "content-type": "application/x-www-form-urlencoded" },
      body,
    });
  expect((await create('{"maxCalls":2}')).status).toBe(201);
  expect((await create('{"maxCalls":-1}')).status).toBe(400);
  expect((await create('{"maxcalls":2}')).status).toBe(400);
});

test("a body that is refused leaves the session's later records whole", async () => {
  const { post, session, proxy } = await startBench({});
  const { path } = REQUESTS["openai-chat"];
  const message = {
    role: "user",
    content: "a message that is long enough to be stored as a part of its own",
  };
  const refused = `{"model":"m","messages":[${JSON.stringify(message)}],"temperature":NaN}`;
  expect((await post(path, refused)).status).toBe(400);
  expect((await post(path, { model: "m", messages: [message] })).status).toBe(200);
  const report = await proxy.sealSession(session.id);
  expect(report.calls).toBe(1);
  const [call] = await proxy.store.readCalls(session.id);
  expect((await proxy.store.openCall(call!)).request).toEqual({ model: "m", messages: [message] });
});

test("a client that reads nothing does not keep its session from being sealed", async () => {
  const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "x".repeat(100_000) } }] })}\n\n`;
  const { post, session, proxy } = await startBench({
    script: () => ({ raw: { contentType: "text/event-stream", chunks: Array(300).fill(event) } }),
  });
  const { path, body } = REQUESTS["openai-chat"];
  const response = await post(path, { ...body, stream: true });
  expect(response.status).toBe(200);
  // Long enough for the buffers between proxy and client to fill up.
  await new Promise((resolve) => setTimeout(resolve, 500));
  proxy.abortSession(session.id);
  await expect(proxy.sealSession(session.id)).resolves.toMatchObject({ calls: 1 });
});
