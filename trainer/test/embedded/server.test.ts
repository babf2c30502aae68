import { createHash } from "node:crypto";
import type { Engine } from "@openforgerl/contracts/engine";
import { taskPrompt } from "@openforgerl/contracts/harness";
import { ResponseAccumulator } from "@openforgerl/proxy/accumulate";
import { anthropicMessages } from "@openforgerl/proxy/dialects/anthropic-messages";
import type { WireDialect } from "@openforgerl/proxy/dialects/dialect";
import { openaiChat } from "@openforgerl/proxy/dialects/openai-chat";
import type { CanonicalRequest, CanonicalResponse } from "@openforgerl/proxy/messages";
import { SseReader } from "@openforgerl/proxy/sse";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEmbeddedEngine } from "../../embedded/engine.ts";
import { type PolicyServer, servePolicy } from "../../embedded/server.ts";
import { type EmbeddedWorker, startEmbeddedWorker } from "../../embedded/worker.ts";

const DIALECTS = [anthropicMessages, openaiChat];
const LOOK =
  '<observation>\nPage: "Board"\nURL: http://127.0.0.1/\n[0] button "Plum" @30,40\n[1] textbox "Name" value="" @60,90\n</observation>';
let png: Buffer;

beforeAll(async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="240"><rect x="50" y="60" width="80" height="40" fill="red"/></svg>';
  png = await sharp(Buffer.from(svg)).png().toBuffer();
});

function request(tools: string[], extra: Partial<CanonicalRequest> = {}): CanonicalRequest {
  return {
    model: "embedded",
    system: [],
    messages: [
      {
        role: "user",
        parts: [
          { type: "text", text: `${taskPrompt('Type "mug" into Name.')}\n${LOOK}` },
          { type: "image", source: { kind: "base64", mediaType: "image/png", data: png.toString("base64") } },
        ],
      },
    ],
    tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })),
    sampling: { temperature: 1, seed: 5 },
    stream: false,
    capture: true,
    ...extra,
  };
}

async function post(url: string, dialect: WireDialect, body: unknown): Promise<Response> {
  return fetch(url + dialect.path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function ask(url: string, dialect: WireDialect, asked: CanonicalRequest): Promise<CanonicalResponse> {
  const fields = asked.capture ? dialect.captureFields : {};
  const response = await post(url, dialect, { ...dialect.printRequest(asked), ...fields });
  expect(response.status).toBe(200);
  if (!asked.stream) return dialect.parseResponse(await response.json());
  const accumulator = new ResponseAccumulator();
  const parser = dialect.streamParser();
  for (const event of new SseReader().push(new Uint8Array(await response.arrayBuffer()))) {
    for (const piece of parser.push(event)) accumulator.push(piece);
  }
  expect(accumulator.ended).toBe(true);
  return { ...accumulator.response(), capture: accumulator.capture };
}

/** Scores an answer's tokens with an engine, as training would. */
async function rescore(engine: Engine, { capture }: CanonicalResponse): Promise<number[]> {
  const prompt = capture!.promptTokenIds!;
  const sampled = capture!.tokenIds!;
  const image = capture!.promptImages![0]!;
  const all = [...prompt, ...sampled];
  const length = all.length - 1;
  const mask = Float32Array.from({ length }, (_, t) => (t + 1 >= prompt.length ? 1 : 0));
  const { logprobs } = await engine.forward([
    {
      modelInput: [
        { type: "text", tokens: all.slice(0, image.offset) },
        { type: "image", sha256: image.sha256, mediaType: image.mediaType, length: image.length },
        { type: "text", tokens: all.slice(image.offset + image.length, -1) },
      ],
      targetTokens: Int32Array.from(all.slice(1)),
      logprobs: new Float32Array(length),
      advantages: new Float32Array(length),
      mask,
    },
  ]);
  return [...logprobs[0]!].slice(prompt.length - 1);
}

describe("policy server", () => {
  let server: PolicyServer;
  const engine = createEmbeddedEngine({ seed: 1, readImage: async () => png });
  beforeAll(async () => {
    server = await servePolicy(engine);
  });
  afterAll(() => server.close());

  test.each(DIALECTS)(
    "$name: whole and streamed answers say the same and carry the capture",
    async (dialect) => {
      const asked = request([
        "mcp__env__screenshot",
        "mcp__env__click",
        "mcp__env__click_at",
        "mcp__env__type_text",
      ]);
      const whole = await ask(server.url, dialect, asked);
      const streamed = await ask(server.url, dialect, { ...asked, stream: true });
      expect(streamed.capture).toEqual(whole.capture);
      expect(streamed.stop).toBe(whole.stop);
      const capture = whole.capture!;
      expect(capture.tokenIds).toHaveLength(capture.logprobs!.length);
      expect(capture.policyVersion).toEqual({ first: "0", last: "0" });
      expect(whole.usage).toMatchObject({
        inputTokens: capture.promptTokenIds!.length,
        outputTokens: capture.tokenIds!.length,
      });
      const [image] = capture.promptImages!;
      expect(image).toMatchObject({
        sha256: createHash("sha256").update(png).digest("hex"),
        mediaType: "image/png",
        size: png.length,
        grid: [1, 3, 4],
        length: 12,
      });
      const placeholders = capture.promptTokenIds!.slice(image!.offset, image!.offset + image!.length);
      expect(placeholders).toEqual(new Array(12).fill(264));
      expect(await rescore(engine, whole)).toEqual(capture.logprobs!.map(Math.fround));
    },
  );

  test("both dialects are prompted with the same tokens and answer alike", async () => {
    const asked = request(["click", "type_text"]);
    const [one, two] = await Promise.all(DIALECTS.map((dialect) => ask(server.url, dialect, asked)));
    expect(two!.capture).toEqual(one!.capture);
  });

  test("tools are called by the full name they were offered under", async () => {
    const names = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const asked = request(["mcp__env__click", "mcp__env__click_at"], {
        sampling: { seed, temperature: 1 },
      });
      for (const part of (await ask(server.url, anthropicMessages, asked)).parts) {
        if (part.type !== "tool_use") continue;
        names.add(part.name);
        const { x, y, mark } = part.input as Record<string, number>;
        if (part.name.endsWith("click_at")) expect(x! >= 0 && x! < 320 && y! >= 0 && y! < 240).toBe(true);
        else expect([0, 1]).toContain(mark);
      }
    }
    expect([...names].sort()).toEqual(["mcp__env__click", "mcp__env__click_at"]);
  });

  test("without the capture fields an answer carries no tokens; a short limit is a length stop", async () => {
    const plain = await ask(server.url, openaiChat, request(["click"], { capture: false }));
    expect(plain.capture?.tokenIds).toBeUndefined();
    const cut = request(["click"], { sampling: { seed: 1, maxTokens: 1 } });
    const short = await ask(server.url, anthropicMessages, cut);
    expect(short.stop).toBe("max_tokens");
    expect(short.capture!.tokenIds).toHaveLength(1);
  });

  test.each(DIALECTS)("$name: what can't be read is a 400 in the dialect's own shape", async (dialect) => {
    const noTask = {
      ...request(["click"]),
      messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: "hi" }] }],
    };
    const response = await post(server.url, dialect, dialect.printRequest(noTask));
    expect(response.status).toBe(400);
    const body = (await response.json()) as { error: { message: string; type: string } };
    expect(body.error.type).toBe("invalid_request_error");
    expect(body.error.message).toContain("<task>");
    const broken = await fetch(server.url + dialect.path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect(broken.status).toBe(400);
    expect(await broken.json()).toHaveProperty("error.type", "invalid_request_error");
    const image = Buffer.from("no image").toString("base64");
    const damaged = request(["click_at"]);
    damaged.messages[0]!.parts[1] = {
      type: "image",
      source: { kind: "base64", mediaType: "image/png", data: image },
    };
    expect((await post(server.url, dialect, dialect.printRequest(damaged))).status).toBe(400);
  });

  test("counts tokens and names its model", async () => {
    const body = anthropicMessages.printRequest(request(["click"]));
    const counted = await fetch(`${server.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { capture } = await ask(server.url, anthropicMessages, request(["click"]));
    expect(await counted.json()).toEqual({ input_tokens: capture!.promptTokenIds!.length });
    const models = (await (await fetch(`${server.url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map(({ id }) => id)).toEqual(["embedded"]);
  });

  test("a port that is taken is a clear error", async () => {
    const port = Number(new URL(server.url).port);
    await expect(servePolicy(engine, { port })).rejects.toMatchObject({
      boundary: "trainer",
      code: "port_unavailable",
    });
  });
});

describe("worker", () => {
  let worker: EmbeddedWorker;
  const read: string[] = [];
  const readImage = async (sha: string) => {
    read.push(sha);
    return png;
  };
  beforeAll(async () => {
    worker = await startEmbeddedWorker({ seed: 1, readImage });
  });
  afterAll(() => worker.close());

  test("answers as the engine in this thread does, trains, and fetches recorded images", async () => {
    const asked = request(["click", "click_at"]);
    const there = await ask(worker.url, anthropicMessages, asked);
    const engine = createEmbeddedEngine({ seed: 1, readImage: async () => png });
    const server = await servePolicy(engine);
    try {
      expect((await ask(server.url, anthropicMessages, asked)).capture).toEqual(there.capture);
    } finally {
      await server.close();
    }
    const other = await startEmbeddedWorker({ seed: 1, readImage });
    try {
      expect(await rescore(other.engine, there)).toEqual(there.capture!.logprobs!.map(Math.fround));
    } finally {
      await other.close();
    }
    expect(read).toEqual([createHash("sha256").update(png).digest("hex")]);
    await worker.engine.optimStep({ learningRate: 0.01, beta1: 0.9, beta2: 0.99, eps: 1e-8, gradClip: 1 });
    expect(await worker.engine.saveWeightsForSampler()).toBe("1");
    expect(worker.engine.policyVersion()).toBe("1");
  });

  test("errors cross the border whole, and a closed engine says so", async () => {
    await expect(worker.engine.load("/does/not/exist")).rejects.toMatchObject({
      boundary: "trainer",
      code: "checkpoint_unreadable",
    });
    const other = await startEmbeddedWorker({ seed: 1 });
    const answer = await ask(other.url, anthropicMessages, request(["click_at"]));
    expect(answer.capture).toBeDefined();
    await other.close();
    await other.close();
    await expect(other.engine.saveWeightsForSampler()).rejects.toMatchObject({ code: "engine_closed" });
    await expect(fetch(other.url)).rejects.toThrow();
  });

  test("closes when the signal is aborted, and does not start after it", async () => {
    const abort = new AbortController();
    const other = await startEmbeddedWorker({ seed: 1, signal: abort.signal });
    abort.abort();
    await other.close();
    await expect(fetch(other.url)).rejects.toThrow();
    await expect(startEmbeddedWorker({ seed: 1, signal: abort.signal })).rejects.toThrow();
  });
});
