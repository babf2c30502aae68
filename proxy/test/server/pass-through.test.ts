import { describe, expect, test } from "vitest";
import { DIALECTS, REQUESTS, startBench } from "../support/proxy.ts";

/** Real bytes of a vLLM chat stream, white space and unknown fields included. */
const VLLM_STREAM = [
  'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"q","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"prompt_token_ids":[151644, 872]}\n\n',
  'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"q","choices":[{"index":0,"delta":{"content":"Zürich"},"logprobs":{"content":[{"token":"Z","logprob":-0.25,"bytes":[90],"top_logprobs":[]},{"token":"ürich","logprob":-1.5e-05,"bytes":null,"top_logprobs":[]}]},"finish_reason":null,"token_ids":[57,3314]}]}\n\n',
  'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1760000000,"model":"q","choices":[{"index":0,"delta":{"content":""},"logprobs":{"content":[{"token":"","logprob":-2.0,"bytes":[],"top_logprobs":[]}]},"finish_reason":"stop","stop_reason":null,"token_ids":[151645]}]}\n\n',
  "data: [DONE]\n\n",
];

describe.each(DIALECTS)("%s in and out", (dialect) => {
  const { path, body } = REQUESTS[dialect];

  test("the harness's bytes are sent on with the declared fields alone added", async () => {
    const { fake, post } = await startBench({
      session: { sampling: { temperature: 0.7, seed: 5 } },
      upstream: { model: "renamed" },
    });
    const text = `{ "model":"m" ,"max_tokens":64,"temperature": 0.1, "odd\\u00e9":  [1.0, 1e2],\n"messages":[{"role":"user","content":"h\\u00e9 ]}"}] }`;
    await (await post(path, text)).text();
    const sent = fake.seen[0]!.body.toString();
    const seed = JSON.parse(sent).seed as number;
    expect(sent).toBe(
      `{ "model":"renamed" ,"max_tokens":64,"temperature": 0.7, "odd\\u00e9":  [1.0, 1e2],\n"messages":[{"role":"user","content":"h\\u00e9 ]}"}] ,"seed":${seed},"logprobs":true,"top_logprobs":0,"return_token_ids":true}`,
    );
    expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
  });

  test("without anything to add the bytes are the same", async () => {
    const { fake, post } = await startBench({ upstream: { capture: "none" } });
    const text = JSON.stringify(body, null, 3);
    await (await post(path, text)).text();
    expect(fake.seen[0]!.body.toString()).toBe(text);
  });

  test("headers pass, the session's token does not, and the upstream's key is set", async () => {
    const { fake, post, session } = await startBench({ upstream: { apiKey: "upstream-key" } });
    const headers = { "anthropic-beta": "made-up-2099-01-01", "x-claude-code-session-id": "abc" };
    const response = await post(`${path}?beta=true`, body, { headers });
    await response.text();
    expect(response.headers.get("request-id")).toBe("fake-0");
    expect(fake.seen[0]).toMatchObject({ query: "?beta=true", headers });
    expect(JSON.stringify(fake.seen[0]!.headers)).not.toContain(session.token);
    expect(JSON.stringify(fake.seen[0]!.headers)).toContain("upstream-key");
  });

  test("bytes leave as they arrive", async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { post } = await startBench({
      script: () => ({
        parts: [{ type: "text", text: "first" }],
        pause: (event) => (event === 2 ? gate : Promise.resolve()),
      }),
    });
    const response = await post(path, { ...body, stream: true });
    const reader = response.body!.getReader();
    let seen = "";
    // The upstream stands still behind its second event: all of it must be here already.
    while (seen.split("\n\n").length < 3) seen += Buffer.from((await reader.read()).value!).toString();
    release();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      seen += Buffer.from(next.value).toString();
    }
    expect(seen).toMatch(/message_stop|\[DONE\]/);
  });

  test.each([false, true])("what is recorded is what was sent and given (stream: %s)", async (stream) => {
    const { proxy, post, session } = await startBench({});
    const request = { ...body, stream, unknown_field: { deep: [1, null] } };
    const answer = await (await post(path, request)).text();
    await proxy.sealSession(session.id);
    const [record] = await proxy.store.readCalls(session.id);
    expect(record).toMatchObject({ dialect, streamed: stream, complete: true, status: 200, index: 0 });
    const opened = await proxy.store.openCall(record!);
    expect(opened.request).toEqual(request);
    expect(Buffer.from(opened.responseBytes!).toString()).toBe(answer);
    expect(opened.tokens).toMatchObject({ sampled: { length: record!.sampledLength } });
  });
});

test("a vLLM stream passes to the byte, and its tokens are recorded from it", async () => {
  const bytes = Buffer.from(VLLM_STREAM.join(""));
  const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
    bytes.subarray(at * 7, at * 7 + 7),
  );
  const { proxy, post, session } = await startBench({
    script: () => ({ raw: { contentType: "text/event-stream; charset=utf-8", chunks } }),
  });
  const response = await post("/v1/chat/completions", { ...REQUESTS["openai-chat"].body, stream: true });
  expect(await response.text()).toBe(bytes.toString());
  const report = await proxy.sealSession(session.id);
  expect(report).toMatchObject({ calls: 1, completeCalls: 1, sampledTokens: 3, deliveredTokens: 3 });
  const [record] = await proxy.store.readCalls(session.id);
  const opened = await proxy.store.openCall(record!);
  expect(Buffer.from(opened.responseBytes!)).toEqual(bytes);
  expect(opened.tokens).toEqual({
    prompt: [151644, 872],
    sampled: [57, 3314, 151645],
    logprobs: [-0.25, -1.5e-5, -2],
    images: [],
  });
  expect(record).toMatchObject({ finishReason: "end_turn", promptLength: 2, sampledLength: 3 });
});

test("a slow reader gets a large stream whole, and is waited for", async () => {
  const block = `data: {"id":"1","model":"m","choices":[{"index":0,"delta":{"content":"${"x".repeat(60_000)}"}}]}\n\n`;
  const chunks = [...new Array<string>(60).fill(block), "data: [DONE]\n\n"];
  const { post } = await startBench({
    script: () => ({ raw: { contentType: "text/event-stream", chunks } }),
  });
  const response = await post("/v1/chat/completions", { ...REQUESTS["openai-chat"].body, stream: true });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await response.text()) === chunks.join("")).toBe(true);
});

test("seeds differ from call to call and are the same for the same session seed", async () => {
  const seeds = async (): Promise<number[]> => {
    const { fake, post } = await startBench({ session: { sampling: { seed: 42 } } });
    for (let call = 0; call < 3; call++)
      await (await post("/v1/messages", REQUESTS["anthropic-messages"].body)).text();
    return fake.seen.map(({ body }) => JSON.parse(body.toString()).seed as number);
  };
  const first = await seeds();
  expect(new Set(first).size).toBe(3);
  expect(await seeds()).toEqual(first);
});

test("no seed is sent to a server of the published Anthropic API, which refuses the field", async () => {
  const upstream = { capture: "none" as const };
  const bench = await startBench({ session: { sampling: { seed: 42, temperature: 0.5 } }, upstream });
  await bench.post(REQUESTS["anthropic-messages"].path, REQUESTS["anthropic-messages"].body);
  expect(JSON.parse(bench.fake.seen[0]!.body.toString())).toEqual({
    ...REQUESTS["anthropic-messages"].body,
    temperature: 0.5,
  });
});
