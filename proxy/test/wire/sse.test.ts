import fc from "fast-check";
import { expect, test } from "vitest";
import { type SseEvent, SseReader } from "../../sse.ts";

const field = fc.string({ unit: "grapheme", maxLength: 12 }).map((text) => text.replaceAll(/[\r\n\0]/g, " "));
const events = fc.array(
  fc.record({
    event: field.filter((name) => name !== "" && !name.startsWith(" ")),
    lines: fc.array(field, { minLength: 1, maxLength: 3 }),
    comment: fc.boolean(),
  }),
  { maxLength: 6 },
);

/** Prints the events with a line ending for each line, as servers do it. */
function print(list: { event: string; lines: string[]; comment: boolean }[], breaks: string[]): Buffer {
  let line = 0;
  const end = (): string => breaks[line++ % breaks.length]!;
  let text = "";
  for (const { event, lines, comment } of list) {
    if (comment) text += `: ping${end()}`;
    text += `event: ${event}${end()}`;
    for (const data of lines) text += `data: ${data}${end()}`;
    text += end();
  }
  return Buffer.from(text);
}

function read(bytes: Buffer, cuts: number[]): SseEvent[] {
  const reader = new SseReader();
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const found: SseEvent[] = [];
  let from = 0;
  for (const to of [...places, bytes.length]) {
    found.push(...reader.push(bytes.subarray(from, to)));
    from = to;
  }
  return found;
}

test("events are the same wherever the chunks are cut and however lines end", () => {
  fc.assert(
    fc.property(
      events,
      fc.array(fc.constantFrom("\n", "\r\n"), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      (list, breaks, cuts) => {
        const expected = list.map(({ event, lines }) => ({ event, data: lines.join("\n") }));
        expect(read(print(list, breaks), cuts)).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test("lines that end with a lone CR are read, byte by byte", () => {
  fc.assert(
    fc.property(events, (list) => {
      const bytes = print(list, ["\r"]);
      const expected = list.map(({ event, lines }) => ({ event, data: lines.join("\n") }));
      expect(read(bytes, [...bytes.keys()])).toEqual(expected);
    }),
  );
});

test("a chunk boundary between CR and LF does not end a line twice", () => {
  const bytes = Buffer.from("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n");
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(read(bytes, [cut])).toEqual([
      { event: "message", data: "a\nb" },
      { event: "message", data: "c" },
    ]);
  }
});

test("an event that the stream ended in the middle of is not given out", () => {
  expect(read(Buffer.from("data: whole\n\ndata: half\n"), [])).toEqual([{ event: "message", data: "whole" }]);
});
