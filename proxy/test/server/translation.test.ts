import { describe, expect, test } from "vitest";
import { ResponseAccumulator } from "../../accumulate.ts";
import { WIRE_DIALECTS } from "../../dialects/registry.ts";
import type { CanonicalRequest, CanonicalResponse, ResponsePart } from "../../messages.ts";
import { SseReader } from "../../sse.ts";
import { type Bench, DIALECTS, REQUESTS, startBench } from "../support/proxy.ts";

const other = { "anthropic-messages": "openai-chat", "openai-chat": "anthropic-messages" } as const;
const answerParts: ResponsePart[] = [
  { type: "text", text: "I click both – Zürich" },
  { type: "tool_use", id: "toolu_1", name: "click", input: { mark: 1, deep: { a: [1, "é"] } } },
  { type: "tool_use", id: "toolu_2", name: "wait", input: {} },
];
const image = (
  data: string,
): { type: "image"; source: { kind: "base64"; mediaType: string; data: string } } => ({
  type: "image",
  source: { kind: "base64", mediaType: "image/png", data: Buffer.from(data.repeat(30)).toString("base64") },
});
const conversation: CanonicalRequest = {
  model: "m",
  system: ["be brief"],
  messages: [
    { role: "user", parts: [{ type: "text", text: "buy" }, image("start"), { type: "text", text: "now" }] },
    { role: "assistant", parts: answerParts },
    {
      role: "user",
      parts: [
        {
          type: "tool_result",
          toolUseId: "toolu_1",
          content: [{ type: "text", text: "clicked" }, image("one"), image("two")],
          isError: false,
        },
        {
          type: "tool_result",
          toolUseId: "toolu_2",
          content: [{ type: "text", text: "waited" }],
          isError: false,
        },
      ],
    },
  ],
  tools: [
    { name: "click", description: "Click.", inputSchema: { type: "object" } },
    { name: "wait", inputSchema: { type: "object" } },
  ],
  toolChoice: { mode: "any", parallel: false },
  sampling: { maxTokens: 100, temperature: 0.5, topP: 0.9, stop: ["END"] },
  stream: false,
  capture: false,
};

/** Reads an answer as a client of the dialect would. */
async function readAnswer(
  bench: Bench,
  dialect: (typeof DIALECTS)[number],
  request: CanonicalRequest,
): Promise<{
  response: CanonicalResponse;
  text: string;
}> {
  const wire = WIRE_DIALECTS[dialect]!;
  const reply = await bench.post(wire.path, wire.printRequest(request, { toolImages: "inline" }));
  expect(reply.status).toBe(200);
  const text = await reply.text();
  if (!request.stream) return { response: wire.parseResponse(JSON.parse(text)), text };
  expect(reply.headers.get("content-type")).toContain("text/event-stream");
  const folded = new ResponseAccumulator();
  const parser = wire.streamParser();
  for (const sse of new SseReader().push(Buffer.from(text))) {
    for (const event of parser.push(sse)) folded.push(event);
  }
  expect(folded.ended).toBe(true);
  return { response: folded.response(), text };
}

describe.each(DIALECTS)("%s to the other dialect", (dialect) => {
  test.each([false, true])("request and answer say the same on both sides (stream: %s)", async (stream) => {
    const bench = await startBench({
      script: () => ({ parts: answerParts }),
      upstream: { dialects: [other[dialect]] },
      session: { sampling: { temperature: 1 } },
    });
    const request = { ...conversation, stream };
    const { response, text } = await readAnswer(bench, dialect, request);
    const sent = bench.fake.seen[0]!;
    expect(sent.path).toBe(WIRE_DIALECTS[other[dialect]]!.path);
    expect(WIRE_DIALECTS[other[dialect]]!.parseRequest(JSON.parse(sent.body.toString()))).toEqual({
      ...request,
      sampling: { ...request.sampling, temperature: 1 },
      capture: true,
    });
    expect(response).toMatchObject({ parts: answerParts, stop: "tool_use" });
    expect(response.usage.outputTokens).toBeGreaterThan(0);
    // The harness did not ask for tokens, and gets none; the record has them.
    expect(text).not.toContain("token_ids");
    expect(await bench.proxy.sealSession(bench.session.id)).toMatchObject({ completeCalls: 1 });
    const [record] = await bench.proxy.store.readCalls(bench.session.id);
    expect(record).toMatchObject({ dialect, upstream: { dialect: other[dialect] }, complete: true });
    const opened = await bench.proxy.store.openCall(record!);
    expect(Buffer.from(opened.responseBytes!).toString()).toBe(text);
    expect(opened.tokens?.images).toHaveLength(3);
  });

  test("a harness that asks for tokens gets them through the translation", async () => {
    const bench = await startBench({ upstream: { dialects: [other[dialect]] } });
    const { path, body } = REQUESTS[dialect];
    for (const stream of [false, true]) {
      const reply = await bench.post(path, { ...body, stream, return_token_ids: true, logprobs: true });
      const text = await reply.text();
      expect(text).toContain('"prompt_token_ids":[');
      expect(text).toContain('"token_ids":[');
    }
  });

  test.each([false, true])("a refusal is told in the harness's dialect (stream: %s)", async (stream) => {
    const bench = await startBench({
      upstream: { dialects: [other[dialect]] },
      script: () => ({ error: { status: 400 } }),
    });
    const { path, body } = REQUESTS[dialect];
    const reply = await bench.post(path, { ...body, stream });
    expect(reply.status).toBe(400);
    const expected = WIRE_DIALECTS[dialect]!.printError({ status: 400, message: "fake error" });
    expect(await reply.json()).toEqual(expected);
  });

  test("a reset amid the stream ends it with the harness's error event", async () => {
    const bench = await startBench({
      upstream: { dialects: [other[dialect]] },
      script: () => ({ reset: 2 }),
    });
    const { path, body } = REQUESTS[dialect];
    const text = await (await bench.post(path, { ...body, stream: true })).text();
    expect(text).toMatch(
      dialect === "openai-chat" ? /data: {"error":/ : /event: error\ndata: {"type":"error"/,
    );
    await bench.proxy.sealSession(bench.session.id);
    expect(await bench.proxy.store.readCalls(bench.session.id)).toMatchObject([
      { complete: "upstream_reset" },
    ]);
  });

  test("a malformed request is refused by field, in the dialect's shape", async () => {
    const bench = await startBench({ upstream: { dialects: [other[dialect]] } });
    const reply = await bench.post(REQUESTS[dialect].path, {
      model: "m",
      messages: [{ role: "robot", content: "x" }],
    });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: { message: expect.stringContaining("messages.0.role") },
    });
  });
});

test("images of tool results move behind the results for a chat server that takes only text in them", async () => {
  const bench = await startBench({ upstream: { dialects: ["openai-chat"], capture: "none" } });
  await readAnswer(bench, "anthropic-messages", conversation);
  const { messages } = JSON.parse(bench.fake.seen[0]!.body.toString()) as {
    messages: Record<string, unknown>[];
  };
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool", "user"]);
  const moved = messages.at(-1)?.content as { image_url?: { url: string } }[];
  const urls = moved.flatMap(({ image_url }) => image_url?.url ?? []);
  expect(urls).toEqual(
    [image("one"), image("two")].map(({ source }) => `data:image/png;base64,${source.data}`),
  );
});
