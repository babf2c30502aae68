import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanArray, scanObject } from "../../store/json-scan.ts";
import { decodeFloats, decodeInts, encodeFloats, encodeInts } from "../../store/numbers.ts";
import { journalPath } from "../../store/session-writer.ts";
import { openStore } from "../../store.ts";
import { recordsDir, sessionWriter, writeCall } from "../support/records.ts";

const longText = fc
  .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 400 }))
  .map(([text, times]) => text.repeat(times));
const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 3000 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));
const mark = { cache_control: { type: "ephemeral" } };
const block = fc.oneof(
  longText.map((text) => ({ type: "text", text })),
  longText.map((text) => ({ type: "text", text, ...mark })),
  base64.map((data) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } })),
  base64.map((data) => ({ type: "image_url", image_url: { url: `data:image/png;base64,${data}` } })),
  // Nearly images: white space, wrong padding, escapes.
  base64.map((data) => ({ type: "image", source: { type: "base64", data: `${data} \n"` } })),
  fc.jsonValue({ depthSize: "small" }).map((value) => ({ type: "odd", value })),
);
const message = fc.oneof(
  fc.record({ role: fc.constant("user"), content: longText }),
  fc.record({ role: fc.constant("user"), content: fc.array(block, { maxLength: 4 }) }),
  fc.jsonValue(),
);
const rest = fc.dictionary(
  fc.oneof(fc.string(), fc.constantFrom("system", "tools", "model", "__proto__")),
  fc.oneof(fc.jsonValue(), longText, fc.array(block, { maxLength: 2 })),
  { maxKeys: 4, noNullPrototype: true },
);
/** Bodies of one session: each keeps some turns of the one before, moves marks, and may change the rest. */
const bodies = fc
  .tuple(
    rest,
    fc.array(
      fc.record({
        keep: fc.oneof(fc.constant(99), fc.nat(5)),
        added: fc.array(message, { maxLength: 3 }),
        rest: fc.option(rest, { freq: 3 }),
        spaced: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([first, steps]) => {
    let messages: unknown[] = [];
    let top = first;
    return steps.map((step) => {
      messages = [...messages.slice(0, step.keep), ...step.added];
      if (step.rest !== null) top = step.rest;
      return JSON.stringify({ ...top, messages }, null, step.spaced ? 1 : 0);
    });
  });

test("requests read back as the same JSON values, responses as the same bytes", async () => {
  const dir = await recordsDir();
  let session = 0;
  await fc.assert(
    fc.asyncProperty(bodies, fc.uint8Array({ maxLength: 2000 }), async (texts, answer) => {
      const id = `s${session++}`;
      const writer = sessionWriter(dir, id);
      for (const [index, text] of texts.entries()) {
        await writeCall(writer, id, index, Buffer.from(text), Buffer.from(answer));
      }
      await writer.seal();
      const store = openStore(dir);
      const records = await store.readCalls(id);
      for (const [index, text] of texts.entries()) {
        const opened = await store.openCall(records[index]!);
        expect(opened.request).toEqual(JSON.parse(text));
        expect(Buffer.from(opened.responseBytes ?? [])).toEqual(Buffer.from(answer));
      }
      expect(await store.verify(id)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test("tokens read back exactly, and a prompt that continues another costs only what it adds", async () => {
  const token = fc.nat(200_000);
  const logprob = fc.oneof(fc.double({ max: 0, noNaN: true }), fc.float({ max: 0, noNaN: true }));
  const sample = fc.array(fc.tuple(token, logprob), { maxLength: 10 });
  const turns = fc.array(
    fc.record({
      added: fc.array(token, { minLength: 1, maxLength: 40 }),
      sample,
      cut: fc.option(fc.nat(60)),
    }),
    { minLength: 1, maxLength: 8 },
  );
  const dir = await recordsDir();
  let session = 0;
  await fc.assert(
    fc.asyncProperty(turns, async (list) => {
      const id = `t${session++}`;
      const writer = sessionWriter(dir, id);
      let head: number[] = [];
      const written = [];
      for (const [index, turn] of list.entries()) {
        const prompt = [...head.slice(0, turn.cut ?? head.length), ...turn.added];
        const sampled = turn.sample.map(([one]) => one);
        const logprobs = turn.sample.map(([, one]) => one);
        const tokens = { prompt, sampled, logprobs, images: [] };
        const answer = Buffer.from(JSON.stringify({ prompt_token_ids: prompt, x: "y".repeat(index * 300) }));
        const record = await writeCall(writer, id, index, Buffer.from('{"messages":[]}'), answer, tokens);
        written.push({ tokens, answer, record });
        head = [...prompt, ...sampled];
      }
      await writer.seal();
      const store = openStore(dir);
      for (const { tokens, answer, record } of written) {
        const opened = await store.openCall(record);
        expect(opened.tokens).toEqual(tokens);
        expect(Buffer.from(opened.responseBytes ?? [])).toEqual(answer);
      }
      expect(await store.verify(id)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test("a session's stored bytes grow with its turns, not with their square, while cache marks move", async () => {
  const sizeOf = async (turns: number): Promise<number> => {
    const dir = await recordsDir();
    const writer = sessionWriter(dir, "s");
    const messages: object[] = [];
    let prompt: number[] = [];
    for (let index = 0; index < turns; index++) {
      messages.push({ role: "user", content: [{ type: "text", text: `turn ${index} `.repeat(20) }] });
      const marked = messages.map((one, at) =>
        at < messages.length - 1
          ? one
          : { role: "user", content: [{ type: "text", text: `turn ${index} `.repeat(20), ...mark }] },
      );
      prompt = [...prompt, ...new Array(50).fill(index)];
      const answer = JSON.stringify({ prompt_token_ids: prompt, text: `answer ${index}` });
      const tokens = { prompt, sampled: [1], logprobs: [-1], images: [] };
      await writeCall(
        writer,
        "s",
        index,
        Buffer.from(JSON.stringify({ messages: marked })),
        Buffer.from(answer),
        tokens,
      );
      prompt = [...prompt, 1];
    }
    await writer.seal();
    return (await readFile(journalPath(dir, "s"))).length;
  };
  const [small, large] = [await sizeOf(20), await sizeOf(80)];
  expect(large / small).toBeLessThan(4.3);
});

describe("codecs", () => {
  test("integers and floats are exact", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 })), (values) => {
        expect(decodeInts(encodeInts(values))).toEqual(values);
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.float({ noNaN: true }), fc.double({ noNaN: true }))), (values) => {
        expect(decodeFloats(encodeFloats(values))).toEqual(values);
      }),
    );
    expect(encodeFloats([Math.fround(-0.1)])).toMatch(/^f/);
    expect(encodeFloats([-0.1])).toMatch(/^d/);
  });

  test("the scanner finds what JSON.parse finds", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
        fc.array(fc.jsonValue()),
        fc.boolean(),
        (object, array, spaced) => {
          const text = Buffer.from(JSON.stringify(object, null, spaced ? 2 : 0));
          const found = scanObject(text).entries.map(({ key, start, end }) => [
            key,
            JSON.parse(text.toString("utf8", start, end)),
          ]);
          expect(found).toEqual(Object.entries(JSON.parse(text.toString())));
          const list = Buffer.from(JSON.stringify(array, null, spaced ? 2 : 0));
          expect(
            scanArray(list, 0).map(({ start, end }) => JSON.parse(list.toString("utf8", start, end))),
          ).toEqual(JSON.parse(list.toString()));
        },
      ),
    );
  });

  test.each(["", "[]", "{", '{"a"', '{"a":1', '{"a" 1}', '{"a":"x', '{"a":[1}', "nonsense", '{"a":}'])(
    "%j is refused",
    (text) => {
      expect(() => {
        for (const { start, end } of scanObject(Buffer.from(text)).entries)
          JSON.parse(text.slice(start, end));
      }).toThrow(SyntaxError);
    },
  );
});
