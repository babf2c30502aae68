import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ForgeError } from "@openforgerl/contracts/errors";
import {
  type OfferOptions,
  type StepEvent,
  startToolServer,
  type ToolOffer,
  type ToolServer,
} from "@openforgerl/environments/mcp/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PIXEL_PNG, StillEnvironment } from "./still-environment.ts";

let tools: ToolServer;
let clients: Client[];

beforeEach(async () => {
  tools = await startToolServer();
  clients = [];
});

afterEach(async () => {
  for (const client of clients) await client.close();
  await tools.close();
});

interface Answer {
  content: { type: string; text: string; data: string; mimeType: string }[];
  isError?: boolean;
}

async function offered(options: Partial<OfferOptions> = {}, environment = new StillEnvironment()) {
  const steps: StepEvent[] = [];
  const offer = tools.offer(environment, {
    style: "marks",
    maxSteps: 10,
    onStep: (step) => {
      steps.push(step);
    },
    ...options,
  });
  const client = await connected(offer);
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: input })) as unknown as Answer;
  return { offer, client, steps, environment, call };
}

async function connected(offer: ToolOffer) {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${offer.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(offer.url), { requestInit }) as never);
  clients.push(client);
  return client;
}

describe("the endpoint", () => {
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const post = (url: string, token: string, body = ping) =>
    fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body,
    });

  test("serves the SDK's own client: server name and tools", async () => {
    const { client } = await offered();
    expect(client.getServerVersion()?.name).toBe("env");
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain("select_option");
  });

  test("tells apart a wrong token, an unknown path, a closed offer and a live one", async () => {
    const one = await offered();
    const two = await offered();
    expect((await post(one.offer.url, one.offer.token)).status).toBe(200);
    expect((await post(one.offer.url, two.offer.token)).status).toBe(401);
    expect((await fetch(one.offer.url, { method: "POST", body: ping })).status).toBe(401);
    expect((await post(`${one.offer.url}99`, one.offer.token)).status).toBe(404);
    one.offer.close();
    expect((await post(one.offer.url, one.offer.token)).status).toBe(410);
    expect((await post(one.offer.url, two.offer.token)).status).toBe(401);
    expect((await post(two.offer.url, two.offer.token)).status).toBe(200);
  });

  test("answers what is not a message with a sentence", async () => {
    const { offer } = await offered();
    const answer = await post(offer.url, offer.token, "{");
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { message: "The body is not JSON." } });
    const get = await fetch(offer.url, { headers: { authorization: `Bearer ${offer.token}` } });
    expect(get.status).toBe(405);
  });

  test("keeps clients apart that use the same request ids at the same time", async () => {
    const { offer, environment } = await offered({ maxSteps: 100 });
    const ask = async (mark: number) => {
      const params = { name: "click", arguments: { mark } };
      const answer = await post(
        offer.url,
        offer.token,
        JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call", params }),
      );
      return (await answer.json()) as { id: number; result: Answer };
    };
    const answers = await Promise.all([0, 1, 2, 3, 4].map(ask));
    expect(answers.map((answer) => answer.id)).toEqual([7, 7, 7, 7, 7]);
    answers.forEach((answer, mark) => {
      expect(answer.result.content[0]?.text).toContain(`Clicked [${mark}]`);
    });
    expect(environment.acts).toHaveLength(5);
  });

  test("a call in flight when the offer closes is answered, and does not count as a broken environment", async () => {
    const environment = new StillEnvironment();
    let release = () => {};
    const { offer, steps } = await offered(
      {
        onStep: () =>
          new Promise((resolve, reject) => {
            release = () => reject(new Error("cut short"));
            void resolve;
          }),
      },
      environment,
    );
    const params = { name: "screenshot" };
    const answer = post(
      offer.url,
      offer.token,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    );
    while (environment.wanted.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    offer.close();
    expect((await answer).status).toBe(410);
    release();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(offer.broken).toBeUndefined();
    expect(steps).toEqual([]);
  });
});

describe("looking and acting", () => {
  test("a look answers with the text and the image, and is event 0", async () => {
    const { call, steps, environment } = await offered();
    const answer = await call("screenshot");
    expect(answer.isError).toBeUndefined();
    expect(answer.content.map((part) => part.type)).toEqual(["text", "image"]);
    expect(answer.content[0]?.text).toBe(
      [
        "<observation>",
        'Page: "Cart - Larder & Loom"',
        "URL: http://127.0.0.1:1234/cart",
        "Scroll: 0 px above, 320 px below",
        '[0] heading "Cart" @160,22',
        '[1] button "Add \\"it\\"" @25,55',
        "</observation>",
      ].join("\n"),
    );
    expect(answer.content[1]).toMatchObject({
      data: PIXEL_PNG.toString("base64"),
      mimeType: "image/png",
    });
    expect(steps).toMatchObject([{ index: 0, observation: { title: "Cart - Larder & Loom" } }]);
    expect(steps[0]).not.toHaveProperty("action");
    expect(environment.wanted).toHaveLength(1);
  });

  test("an action says what it did and is an event; the event comes before the answer", async () => {
    const order: string[] = [];
    const { call } = await offered({
      onStep: async (step) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        order.push(`event ${step.index} ${step.action?.type}`);
      },
    });
    await call("screenshot");
    const answer = await call("click", { mark: 1 });
    order.push("answer");
    expect(order).toEqual(["event 0 undefined", "event 1 click", "answer"]);
    expect(answer.content[0]?.text.split("\n")[1]).toBe('Clicked [1] button "Add \\"it\\"".');
    expect(answer.content[1]?.type).toBe("image");
  });

  test("an agent that acts before it looks still leaves a first look in the record", async () => {
    const { call, steps, environment } = await offered();
    await call("click", { mark: 0 });
    expect(steps.map((step) => [step.index, step.action?.type])).toEqual([
      [0, undefined],
      [1, "click"],
    ]);
    expect(environment.wanted).toHaveLength(2);
  });

  test("later looks are events only when they saw something new", async () => {
    const { call, steps, environment } = await offered();
    await call("screenshot");
    await call("screenshot");
    expect(steps).toHaveLength(1);
    environment.page = { ...environment.page, title: "Changed by itself" };
    await call("screenshot");
    expect(steps.map((step) => step.observation.title)).toEqual([
      "Cart - Larder & Loom",
      "Changed by itself",
    ]);
    environment.page = {
      ...environment.page,
      screenshot: { ...environment.page.screenshot!, bytes: Buffer.from("other pixels") },
    };
    await call("screenshot");
    expect(steps).toHaveLength(3);
  });

  test("a failed action is a normal answer with the error first and the observation after it", async () => {
    const { call, steps, environment } = await offered();
    environment.outcomes = [{ ok: false, code: "mark_not_found", message: "There is no mark 9." }];
    const answer = await call("click", { mark: 9 });
    expect(answer.isError).toBeUndefined();
    expect(answer.content[0]?.text).toMatch(
      /^<observation>\nError \(mark_not_found\): There is no mark 9\.\nPage: /,
    );
    expect(answer.content[1]?.type).toBe("image");
    expect(steps[1]).toMatchObject({ failure: { code: "mark_not_found" }, action: { type: "click" } });
  });

  test("a call that can't be read is answered with the last observation, and is no step", async () => {
    const { call, steps, environment, offer } = await offered();
    const answer = await call("click", { mark: "one" });
    expect(answer.isError).toBe(true);
    expect(answer.content[0]?.text).toMatch(/^<observation>\nError \(invalid_action\): mark is "one"/);
    expect(answer.content.map((part) => part.type)).toEqual(["text", "image"]);
    expect(environment.acts).toEqual([]);
    expect(steps).toHaveLength(1);
    expect(offer.steps).toBe(0);
    expect((await call("no_such_tool")).isError).toBe(true);
  });

  test("pixel styles neither gather nor print marks, and convert points by the image's scale", async () => {
    const { call, environment } = await offered({ style: "pixels" });
    expect((await call("screenshot")).content[0]?.text).not.toContain("[0]");
    expect(environment.wanted[0]).toMatchObject({ marks: false, screenshot: true });
    const answer = await call("click_at", { x: 30, y: 40 });
    expect(environment.acts[0]).toMatchObject({ at: { by: "point", x: 60, y: 80 } });
    expect(answer.content[0]?.text).toContain("Clicked (30, 40).");
  });

  test("an environment's note follows the sentence", async () => {
    const { call, environment } = await offered();
    environment.outcomes = [{ ok: true, note: "A new tab opened." }];
    expect((await call("click", { mark: 0 })).content[0]?.text).toContain(
      'Clicked [0] heading "Cart". A new tab opened.',
    );
  });
});

describe("how an offer ends", () => {
  test("the last permitted action is answered; later ones are refused; looking stays allowed", async () => {
    let limits = 0;
    const { call, steps, environment, offer } = await offered({
      maxSteps: 2,
      onLimit: () => {
        limits += 1;
        expect(steps.at(-1)?.index).toBe(2);
      },
    });
    await call("click", { mark: 0 });
    expect(limits).toBe(0);
    expect((await call("click", { mark: 1 })).isError).toBeUndefined();
    expect(limits).toBe(1);
    const refused = await call("click", { mark: 0 });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toContain("Error (step_limit): All 2 permitted actions are used up.");
    expect((await call("screenshot")).isError).toBeUndefined();
    expect([environment.acts.length, offer.steps, limits, steps.length]).toEqual([2, 2, 1, 3]);
  });

  test("finalScreenshot: false spares only the last capture", async () => {
    const { call, environment, steps } = await offered({ maxSteps: 2, finalScreenshot: false });
    await call("click", { mark: 0 });
    const last = await call("click", { mark: 1 });
    expect(environment.wanted.map((want) => want.screenshot)).toEqual([true, true, false]);
    expect(last.content.map((part) => part.type)).toEqual(["text"]);
    // The text still gives centres in pixels of the image seen before.
    expect(last.content[0]?.text).toContain('[0] heading "Cart" @160,22');
    expect(steps[2]?.observation.screenshot).toBeUndefined();
  });

  test("a broken environment is remembered with its own error, told once, and not touched again", async () => {
    const environment = new StillEnvironment();
    const told: ForgeError[] = [];
    const { call, offer } = await offered({ onBroken: (error) => told.push(error) }, environment);
    environment.outcomes = [
      new ForgeError({
        boundary: "environment",
        code: "browser_gone",
        message: "The browser has exited.",
        advice: "Retry.",
        retryable: true,
      }),
    ];
    const answer = await call("click", { mark: 0 });
    expect(answer).toMatchObject({
      isError: true,
      content: [{ type: "text", text: "Error (browser_gone): The browser has exited." }],
    });
    expect(offer.broken).toMatchObject({ boundary: "environment", code: "browser_gone", retryable: true });
    expect((await call("screenshot")).isError).toBe(true);
    expect(environment.wanted).toHaveLength(1);
    expect(told).toHaveLength(1);
  });

  test("a step that could not be recorded breaks the offer: nothing happens unrecorded", async () => {
    const { call, offer } = await offered({
      onStep: () => {
        throw new Error("disk full");
      },
    });
    expect((await call("screenshot")).isError).toBe(true);
    expect(offer.broken).toMatchObject({ boundary: "runtime", message: "disk full" });
  });

  test("giving up is recorded, is no action on the page, and is always allowed", async () => {
    const { call, offer, steps, environment } = await offered({ maxSteps: 1 });
    await call("click", { mark: 0 });
    const answer = await call("report_infeasible", { reason: "no such product" });
    expect(answer.isError).toBeUndefined();
    expect(offer.infeasible).toBe("no such product");
    expect(steps.at(-1)?.action).toEqual({ type: "infeasible", reason: "no such product" });
    expect(environment.acts).toHaveLength(1);
  });
});
