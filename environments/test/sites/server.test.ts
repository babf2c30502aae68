import { ForgeError } from "@openforgerl/contracts/errors";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SiteServer, type SiteWorld, startSiteServer } from "../../sites/server.ts";

let server: SiteServer;
beforeAll(async () => {
  server = await startSiteServer();
});
afterAll(() => server.close());

function openShop(seed: number, family = "shop/place-order") {
  return server.openWorld({ site: "shop", family, seed, split: "train" });
}

/** A visitor who has entered a world and sends its cookie from then on. */
async function enter(world: SiteWorld) {
  const entered = await fetch(world.enterUrl, { redirect: "manual" });
  const cookie = (entered.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const send = (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { redirect: "manual", ...init, headers: { ...init.headers, cookie } });
  return {
    entered,
    get: (path: string) => send(path),
    post: (path: string, form: Record<string, string>) =>
      send(path, { method: "POST", body: new URLSearchParams(form) }),
    send,
  };
}

interface Shop {
  products: { slug: string }[];
  cart: Record<string, number>;
  orders: unknown[];
}
const shopState = (world: SiteWorld) => world.state() as Shop;

describe("entering a world", () => {
  test("sets a cookie that scripts cannot read and leads to the task's first page", async () => {
    const world = await openShop(1, "shop/remove-from-cart");
    const { entered, get } = await enter(world);
    expect(entered.status).toBe(302);
    expect(entered.headers.get("location")).toBe("/cart");
    expect(entered.headers.get("set-cookie")).toMatch(/HttpOnly/);
    expect(entered.headers.get("set-cookie")).toMatch(/SameSite=Lax/);
    expect((await get("/cart")).status).toBe(200);
  });

  test("answers 410 for a world that was never opened, and without a cookie", async () => {
    const unknown = await fetch(`${server.url}/enter/nosuchtoken`, { redirect: "manual" });
    expect(unknown.status).toBe(410);
    expect(await unknown.text()).toContain("This world is gone");
    expect((await fetch(`${server.url}/`)).status).toBe(410);
  });

  test("answers 410 once the world is closed", async () => {
    const world = await openShop(2);
    const { get } = await enter(world);
    world.close();
    expect((await get("/")).status).toBe(410);
    expect((await fetch(world.enterUrl, { redirect: "manual" })).status).toBe(410);
  });

  test("refuses a family of another site and an unknown family, naming the mend", async () => {
    const wrongSite = server.openWorld({ site: "board", family: "shop/filter", seed: 0, split: "train" });
    await expect(wrongSite).rejects.toThrow(ForgeError);
    await expect(wrongSite).rejects.toMatchObject({ code: "bad_input", advice: 'Set it to "shop".' });
    const unknown = server.openWorld({ site: "shop", family: "shop/filtr", seed: 0, split: "train" });
    await expect(unknown).rejects.toMatchObject({
      code: "bad_input",
      advice: expect.stringContaining("shop/filter"),
    });
  });
});

describe("worlds", () => {
  test("of one seed look alike and share nothing", async () => {
    const [a, b] = [await openShop(3), await openShop(3)];
    const [inA, inB] = [await enter(a), await enter(b)];
    expect(await (await inA.get("/")).text()).toBe(await (await inB.get("/")).text());
    const slug = shopState(a).products[0]?.slug ?? "";
    await inA.post("/cart/add", { slug, quantity: "2", back: "/" });
    expect(shopState(a).cart).toEqual({ [slug]: 2 });
    expect(shopState(b).cart).toEqual({});
  });

  test("show neither their token nor the server's port", async () => {
    const world = await openShop(4);
    const text = await (await (await enter(world)).get("/")).text();
    expect(text).not.toContain(world.enterUrl.split("/").at(-1));
    expect(text).not.toContain(new URL(server.url).port);
  });

  test("hand out copies of their state", async () => {
    const world = await openShop(5);
    shopState(world).cart.intruder = 1;
    expect(shopState(world).cart).toEqual({});
  });

  test("score 0 before anything is done", async () => {
    const world = await openShop(6);
    expect(world.verdict(undefined)).toMatchObject({ score: 0 });
  });
});

describe("requests that a browser would not send", () => {
  test("get a page and leave the state as it was", async () => {
    const world = await openShop(7);
    const { post, send, get } = await enter(world);
    const before = world.state();
    expect((await post("/cart/add", { slug: "no-such-thing", quantity: "1", back: "/" })).status).toBe(303);
    expect(
      (await post("/cart/add", { slug: shopState(world).products[0]?.slug ?? "", quantity: "-3" })).status,
    ).toBe(303);
    const broken = await send("/cart/add", {
      method: "POST",
      body: "{",
      headers: { "content-type": "application/json" },
    });
    expect(broken.status).toBe(400);
    expect(world.state()).toEqual(before);
    expect((await get("/no/such/page")).status).toBe(404);
  });

  test("cannot lead off the site", async () => {
    const { post } = await enter(await openShop(8));
    const led = await post("/cart/add", { slug: "x", quantity: "1", back: "//example.org/" });
    expect(led.headers.get("location")).toBe("/");
  });

  test("show text as text, never as markup", async () => {
    const world = await server.openWorld({
      site: "board",
      family: "board/type-word",
      seed: 1,
      split: "train",
    });
    const { post, get } = await enter(world);
    const { controls } = world.state() as { controls: { kind: string; name: string }[] };
    const field = controls.find(({ kind }) => kind === "field")?.name ?? "";
    await post("/save", { [field]: `"><script>alert(1)</script>` });
    expect(await (await get("/")).text()).not.toContain("<script>alert");
  });
});

describe("a form sent twice", () => {
  test("orders once", async () => {
    const world = await openShop(9);
    const { post } = await enter(world);
    const slug = shopState(world).products[0]?.slug ?? "";
    await post("/cart/add", { slug, quantity: "1", back: "/" });
    const order = { n: "0", name: "Ada Berg", delivery: "Express" };
    await post("/checkout", order);
    await post("/checkout", order);
    expect(shopState(world).orders).toEqual([
      { name: "Ada Berg", delivery: "Express", lines: { [slug]: 1 } },
    ]);
  });

  test("comments once, and files one issue", async () => {
    const world = await server.openWorld({ site: "code", family: "code/comment", seed: 1, split: "train" });
    const { post } = await enter(world);
    const read = () =>
      (
        world.state() as {
          repositories: { name: string; issues: { number: number; comments: unknown[] }[] }[];
        }
      ).repositories[0];
    const name = read()?.name;
    const number = read()?.issues[0]?.number;
    for (let i = 0; i < 2; i++) await post(`/${name}/${number}/comment`, { n: "0", text: "hello there" });
    expect(read()?.issues[0]?.comments).toHaveLength(1);
    const count = read()?.issues.length ?? 0;
    for (let i = 0; i < 2; i++) await post(`/${name}/new`, { n: String(count), title: "Once" });
    expect(read()?.issues).toHaveLength(count + 1);
  });

  test("books once", async () => {
    const world = await server.openWorld({
      site: "booking",
      family: "booking/reserve-room",
      seed: 1,
      split: "train",
    });
    const { post } = await enter(world);
    const read = () => world.state() as { stays: { id: string }[]; reservations: unknown[]; draft: unknown };
    const draft = {
      stay: read().stays[0]?.id ?? "",
      in: "2026-02-01",
      out: "2026-02-03",
      guests: "2",
      room: "Twin",
      name: "Ada",
    };
    await post("/draft", draft);
    for (let i = 0; i < 2; i++) await post("/confirm", {});
    expect(read()).toMatchObject({ reservations: [{ room: "Twin", status: "booked" }], draft: null });
  });
});

test("a closed server refuses connections", async () => {
  const other = await startSiteServer();
  const world = await other.openWorld({ site: "board", family: "board/toggle", seed: 0, split: "test" });
  await other.close();
  await expect(fetch(world.enterUrl)).rejects.toThrow();
});
