import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { TokenCapture } from "../../messages.ts";
import type { UpstreamConfig } from "../../server.ts";
import { IMAGE_LENGTH } from "../support/fake-upstream.ts";
import { type Bench, DIALECTS, REQUESTS, startBench } from "../support/proxy.ts";

const png = (name: string): Buffer => Buffer.from(`\x89PNG ${name} `.repeat(12), "latin1");
const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A turn with one screenshot, as each dialect's harnesses send it. */
const withImage = {
  "anthropic-messages": (bytes: Buffer) => ({
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "t",
        content: [
          { type: "text", text: "done" },
          {
            type: "image",
            source: { type: "base64", media_type: "image/png", data: bytes.toString("base64") },
          },
        ],
      },
    ],
  }),
  "openai-chat": (bytes: Buffer) => ({
    role: "user",
    content: [
      { type: "text", text: "look" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${bytes.toString("base64")}` } },
    ],
  }),
} as const;

async function completeness(bench: Bench): Promise<unknown> {
  await bench.proxy.sealSession(bench.session.id);
  const [record] = await bench.proxy.store.readCalls(bench.session.id);
  const { tokens } = await bench.proxy.store.openCall(record!);
  expect(tokens === null).toBe(record!.complete !== true);
  return record!.complete;
}

describe.each(DIALECTS)("%s", (dialect) => {
  const { path, body } = REQUESTS[dialect];
  const faults: [string, (capture: TokenCapture) => TokenCapture, string][] = [
    ["no prompt ids", ({ promptTokenIds: _, ...rest }) => rest, "no_token_ids"],
    ["no sampled ids", ({ tokenIds: _, ...rest }) => rest, "no_token_ids"],
    ["no logprobs", ({ logprobs: _, ...rest }) => rest, "no_logprobs"],
    [
      "a logprob too few",
      (capture) => ({ ...capture, logprobs: capture.logprobs!.slice(1) }),
      "length_mismatch",
    ],
  ];
  for (const stream of [false, true]) {
    test.each(faults)(`%s (stream: ${stream})`, async (_name, capture, reason) => {
      const bench = await startBench({ script: () => ({ capture }) });
      const response = await bench.post(path, { ...body, stream });
      expect(await response.text()).toContain("answer 0");
      expect(await completeness(bench)).toBe(reason);
    });

    test(`tokens left out of the answer show by the server's own count (stream: ${stream})`, async () => {
      const bench = await startBench({ script: () => ({ outputTokens: 99 }) });
      await (await bench.post(path, { ...body, stream })).text();
      expect(await completeness(bench)).toBe("length_mismatch");
    });

    test(`screenshots are placed in token order, by the request's own bytes (stream: ${stream})`, async () => {
      const bench = await startBench({});
      const [first, second] = [png("first"), png("second")];
      const messages = [...body.messages, withImage[dialect](first), withImage[dialect](second)];
      await (await bench.post(path, { ...body, stream, messages })).text();
      expect(await completeness(bench)).toBe(true);
      const { store } = bench.proxy;
      const [sequence] = await store.sequences(bench.session.id);
      expect(sequence?.images.map(({ content }) => content.sha256)).toEqual([sha(first), sha(second)]);
      for (const { offset, length, content } of sequence!.images) {
        expect(new Set(sequence!.tokens.slice(offset, offset + length)).size).toBe(1);
        expect(length).toBe(IMAGE_LENGTH);
        expect(sha(await store.readBlob(content.sha256))).toBe(content.sha256);
      }
    });
  }

  test.each<[string, (capture: TokenCapture) => TokenCapture]>([
    ["no places", ({ promptImages: _, ...rest }) => rest],
    ["another image", (c) => ({ ...c, promptImages: [{ ...c.promptImages![0]!, sha256: "0".repeat(64) }] })],
    ["another size", (c) => ({ ...c, promptImages: [{ ...c.promptImages![0]!, size: 1 }] })],
    ["beyond the prompt", (c) => ({ ...c, promptImages: [{ ...c.promptImages![0]!, offset: 1e6 }] })],
    ["an image twice", (c) => ({ ...c, promptImages: [c.promptImages![0]!, c.promptImages![0]!] })],
  ])("a screenshot with %s is image_mismatch", async (_name, capture) => {
    const bench = await startBench({ script: () => ({ capture }) });
    await (await bench.post(path, { ...body, messages: [withImage[dialect](png("x"))] })).text();
    expect(await completeness(bench)).toBe("image_mismatch");
  });

  test("an image that the server left out of its prompt is left out of the record", async () => {
    const bench = await startBench({
      script: () => ({ capture: (c) => ({ ...c, promptImages: [c.promptImages![1]!] }) }),
    });
    const messages = [withImage[dialect](png("a")), withImage[dialect](png("b"))];
    await (await bench.post(path, { ...body, messages })).text();
    expect(await completeness(bench)).toBe(true);
    const [sequence] = await bench.proxy.store.sequences(bench.session.id);
    expect(sequence?.images.map(({ content }) => content.sha256)).toEqual([sha(png("b"))]);
  });

  test("an upstream that is not asked for tokens gives none", async () => {
    const bench = await startBench({ upstream: { capture: "none" } satisfies Partial<UpstreamConfig> });
    await (await bench.post(path, body)).text();
    expect(await completeness(bench)).toBe("no_token_ids");
  });
});

test("a conversation of several turns merges into one sequence, whatever moves in its cache marks", async () => {
  const bench = await startBench({
    script: (_, index) => ({ parts: [{ type: "text", text: `answer ${index}` }] }),
  });
  const messages: { role: string; content: object[] }[] = [];
  for (let turn = 0; turn < 6; turn++) {
    messages.push({ role: "user", content: [{ type: "text", text: `turn ${turn}` }] });
    const marked = structuredClone(messages);
    Object.assign(marked.at(-1)!.content[0]!, { cache_control: { type: "ephemeral" } });
    const request = { model: "m", max_tokens: 9, stream: turn % 2 === 1, messages: marked };
    await (await bench.post("/v1/messages", request)).text();
    messages.push({ role: "assistant", content: [{ type: "text", text: `answer ${turn}` }] });
  }
  const report = await bench.proxy.sealSession(bench.session.id);
  expect(report).toMatchObject({ calls: 6, completeCalls: 6, sequences: 1, mergeRatio: 6, breaks: [] });
  const { store } = bench.proxy;
  const [sequence] = await store.sequences(bench.session.id);
  expect(sequence?.mask.reduce<number>((sum, bit) => sum + bit, 0)).toBe(report.sampledTokens);
  expect(sequence?.spans.every(({ trained, policyVersion }) => trained && policyVersion === "7")).toBe(true);
  expect(await store.report(bench.session.id)).toEqual(report);
  expect(await store.verify(bench.session.id)).toEqual([]);
  expect(await store.listSessions()).toEqual([bench.session.id]);
});
