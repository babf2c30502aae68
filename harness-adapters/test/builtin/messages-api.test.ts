import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createMessage } from "@openforgerl/harness-adapters/builtin/messages-api";
import { afterEach, expect, test } from "vitest";

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

const request = { model: "m", max_tokens: 1, system: "", tools: [], messages: [] };
const never = new AbortController().signal;
const message = JSON.stringify({ content: [{ type: "text", text: "Hi." }], stop_reason: "end_turn" });

/** Serves these answers in turn; "drop" closes the connection without one. Gives the times of arrival. */
async function serve(answers: ([number, Record<string, string>, string] | "drop")[]) {
  const arrivals: number[] = [];
  server = createServer((incoming, response) => {
    const answer = answers[arrivals.length] ?? [200, {}, message];
    arrivals.push(performance.now());
    incoming.resume().on("end", () => {
      if (answer === "drop") incoming.socket.destroy();
      else response.writeHead(answer[0], answer[1]).end(answer[2]);
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { model: { baseUrl, token: "t" }, arrivals };
}

test("waits as long as the server asks", async () => {
  const { model, arrivals } = await serve([[429, { "retry-after": "0.6" }, ""]]);
  expect((await createMessage(model, request, never)).content).toEqual([{ type: "text", text: "Hi." }]);
  expect(arrivals[1]! - arrivals[0]!).toBeGreaterThanOrEqual(590);
});

test("tries again when the connection is lost, but not for ever", async () => {
  const lost = await serve(["drop"]);
  expect((await createMessage(lost.model, request, never)).stop_reason).toBe("end_turn");
  expect(lost.arrivals).toHaveLength(2);
});

test("after four attempts the last answer is the error", async () => {
  const { model, arrivals } = await serve(
    Array.from({ length: 9 }, () => [503, { "retry-after": "0" }, "overloaded"]),
  );
  await expect(createMessage(model, request, never)).rejects.toMatchObject({
    boundary: "model",
    code: "http_503",
    message: expect.stringContaining("overloaded"),
  });
  expect(arrivals).toHaveLength(4);
});

test("an abort ends a wait at once", async () => {
  const { model } = await serve([[429, { "retry-after": "25" }, ""]]);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  await expect(createMessage(model, request, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
});

test.each([
  ["no JSON", "<html>"],
  ["another dialect", JSON.stringify({ choices: [] })],
  [
    "a tool call without an id",
    JSON.stringify({ content: [{ type: "tool_use", name: "a" }], stop_reason: null }),
  ],
])("%s is not taken for a message, and not asked for again", async (_, text) => {
  const { model, arrivals } = await serve([[200, {}, text]]);
  await expect(createMessage(model, request, never)).rejects.toMatchObject({
    boundary: "model",
    code: "unreadable_completion",
  });
  expect(arrivals).toHaveLength(1);
});

test("keeps blocks and fields it does not know, for they are sent back", async () => {
  const content = [
    { type: "thinking", thinking: "…", signature: "s" },
    { type: "tool_use", id: "1", name: "click", input: { mark: 0 }, novel: true },
  ];
  const { model } = await serve([[200, {}, JSON.stringify({ content, stop_reason: "tool_use" })]]);
  expect((await createMessage(model, request, never)).content).toEqual(content);
});
