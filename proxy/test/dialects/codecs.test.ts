import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ResponseAccumulator } from "../../accumulate.ts";
import { anthropicMessages } from "../../dialects/anthropic-messages.ts";
import type { WireDialect } from "../../dialects/dialect.ts";
import { openaiChat } from "../../dialects/openai-chat.ts";
import type {
  CanonicalRequest,
  CanonicalResponse,
  ImagePart,
  MessagePart,
  ResponsePart,
  TextPart,
} from "../../messages.ts";
import { requestImages, responseEvents } from "../../messages.ts";
import { SseReader } from "../../sse.ts";

const word = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
const name = fc.stringMatching(/^[a-z_]{1,10}$/);
const json = fc.dictionary(name, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), {
  noNullPrototype: true,
});
const text: fc.Arbitrary<TextPart> = fc.record({ type: fc.constant("text" as const), text: word });
const image: fc.Arbitrary<ImagePart> = fc.record({
  type: fc.constant("image" as const),
  source: fc.oneof(
    fc.record({
      kind: fc.constant("base64" as const),
      mediaType: fc.constantFrom("image/png", "image/jpeg"),
      data: fc.base64String({ minLength: 4 }),
    }),
    fc.record({ kind: fc.constant("url" as const), url: fc.webUrl() }),
  ),
});
const toolUse = fc.record({ type: fc.constant("tool_use" as const), id: name, name, input: json });
const toolResult = fc.record({
  type: fc.constant("tool_result" as const),
  toolUseId: name,
  content: fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 4 }),
  isError: fc.constant(false),
});

/** Turns as harnesses write them: what both wire formats can say. */
const turn = fc.oneof(
  fc.record({
    role: fc.constant("user" as const),
    parts: fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 4 }) as fc.Arbitrary<MessagePart[]>,
  }),
  fc.record({
    role: fc.constant("assistant" as const),
    parts: fc
      .tuple(fc.option(text), fc.array(toolUse, { maxLength: 3 }))
      .filter(([first, tools]) => first !== null || tools.length > 0)
      .map(([first, tools]): MessagePart[] => (first === null ? tools : [first, ...tools])),
  }),
  fc.record({
    role: fc.constant("user" as const),
    parts: fc.array(toolResult, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<MessagePart[]>,
  }),
);

const canonicalRequest: fc.Arbitrary<CanonicalRequest> = fc
  .record({
    model: name,
    system: fc.array(word, { maxLength: 1 }),
    messages: fc.array(turn, { minLength: 1, maxLength: 8 }),
    tools: fc.array(
      fc.record({ name, description: word, inputSchema: json }, { requiredKeys: ["name", "inputSchema"] }),
      { minLength: 1, maxLength: 3 },
    ),
    toolChoice: fc.oneof(
      fc.record({ mode: fc.constantFrom("auto" as const, "any" as const, "none" as const) }),
      fc.record({ mode: fc.constant("tool" as const), name, parallel: fc.constant(false) }),
    ),
    sampling: fc.record(
      {
        temperature: fc.constantFrom(0, 0.5, 1),
        topP: fc.constantFrom(0.1, 0.9),
        seed: fc.nat(),
        stop: fc.array(word, { minLength: 1, maxLength: 2 }),
        maxTokens: fc.nat(),
      },
      { requiredKeys: ["maxTokens"] },
    ),
    stream: fc.boolean(),
  })
  .map((request) => ({ ...request, capture: false }))
  // Chat has no mark between two neighbouring turns of results: they'd read back as one.
  .filter(({ messages }) =>
    messages.every((message, index) => {
      const next = messages[index + 1];
      return message.parts[0]?.type !== "tool_result" || next?.parts[0]?.type !== "tool_result";
    }),
  );

const responsePart: fc.Arbitrary<ResponsePart[]> = fc
  .tuple(fc.option(text), fc.array(toolUse, { maxLength: 3 }))
  .map(([first, tools]) => (first === null ? tools : [first, ...tools]));

const canonicalResponse: fc.Arbitrary<CanonicalResponse> = fc
  .record({
    id: name,
    model: name,
    parts: responsePart,
    stop: fc.constantFrom("end_turn" as const, "tool_use" as const, "max_tokens" as const),
    usage: fc.record({ inputTokens: fc.integer({ min: 100, max: 1e6 }), outputTokens: fc.nat(1000) }),
    tokens: fc.array(fc.tuple(fc.nat(150_000), fc.double({ max: 0, noNaN: true, min: -50 })), {
      minLength: 1,
      maxLength: 20,
    }),
    prompt: fc.array(fc.nat(150_000), { maxLength: 30 }),
  })
  .map(({ tokens, prompt, ...response }) => ({
    ...response,
    capture: {
      promptTokenIds: prompt,
      tokenIds: tokens.map(([id]) => id),
      logprobs: tokens.map(([, logprob]) => logprob + 0),
      promptImages: [
        {
          sha256: "ab".repeat(32),
          mediaType: "image/png",
          size: 3,
          offset: 0,
          length: 1,
          grid: [1, 2, 2] as [number, number, number],
          processor: "p1",
        },
      ],
      policyVersion: { first: "3", last: "4" },
    },
  }));

const dialects: WireDialect[] = [anthropicMessages, openaiChat];

describe.each(dialects)("$name", (dialect) => {
  test("a printed request parses back to the same request", () => {
    fc.assert(
      fc.property(canonicalRequest, (request) => {
        const wire = JSON.parse(JSON.stringify(dialect.printRequest(request, { toolImages: "inline" })));
        expect(dialect.parseRequest(wire)).toEqual(request);
      }),
    );
  });

  test("a printed response parses back to the same response", () => {
    fc.assert(
      fc.property(canonicalResponse, (response) => {
        const wire = JSON.parse(JSON.stringify(dialect.printResponse(response)));
        const { created: _, ...parsed } = dialect.parseResponse(wire);
        expect(parsed).toEqual(response);
      }),
    );
  });

  test("a streamed response folds back to the same response", () => {
    fc.assert(
      fc.property(canonicalResponse, (response) => {
        const reader = new SseReader();
        const parser = dialect.streamParser();
        const folded = new ResponseAccumulator();
        for (const chunk of dialect.streamResponse(response)) {
          for (const event of reader.push(Buffer.from(chunk))) {
            for (const canonical of parser.push(event)) folded.push(canonical);
          }
        }
        expect(folded.ended).toBe(true);
        const { created: _, ...answer } = folded.response();
        expect(answer).toEqual(response);
      }),
    );
  });

  test("a request with unknown fields and blocks is understood", () => {
    const body = {
      model: "m",
      max_tokens: 5,
      context_management: { edits: [] },
      messages: [{ role: "user", content: [{ type: "container_upload", file_id: "f" }], extra: 1 }],
    };
    const request = dialect.parseRequest(body);
    expect(request.messages[0]?.parts[0]).toMatchObject({ type: "text" });
    expect(JSON.stringify(request)).toContain("container_upload");
  });

  test("a malformed request is refused by field", () => {
    expect(() => dialect.parseRequest({ model: "m", messages: [{ role: "robot", content: "x" }] })).toThrow(
      /messages\.0\.role/,
    );
  });
});

test("images of tool results keep their order when they move behind the results", () => {
  fc.assert(
    fc.property(canonicalRequest, (request) => {
      const wire = openaiChat.printRequest(request, { toolImages: "user" });
      const back = openaiChat.parseRequest(JSON.parse(JSON.stringify(wire)));
      for (const [index, message] of request.messages.entries()) {
        const before = [...requestImages(request.messages.slice(0, index + 1))];
        const after = [...requestImages(back.messages)];
        expect(after.slice(0, before.length)).toEqual(before);
        expect(message.parts.length).toBeGreaterThan(0);
      }
    }),
  );
});

test("the events of a response fold back to it", () => {
  fc.assert(
    fc.property(canonicalResponse, (response) => {
      const folded = new ResponseAccumulator();
      for (const event of responseEvents(response)) folded.push(event);
      expect(folded.response()).toEqual(response);
    }),
  );
});
