import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Environment } from "@openforgerl/contracts/environment";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BrowserPool, openBrowserPool } from "../../browser/pool.ts";
import { browserSpec } from "./conformance.ts";
import { descendants } from "./processes.ts";
import { type Handler, serveSite, type TestSite } from "./test-site.ts";

/** Leaves a trace in everything that a page can write to, and shows what it finds there. */
const traces = `<title>Traces</title><style>a:visited{color:red} :hover{background:yellow}</style><a href="/traces">link to itself</a><pre id="out">not read</pre><script>
  (async () => {
    const found = [];
    if (document.cookie) found.push("cookie");
    if (localStorage.length) found.push("localStorage");
    if (sessionStorage.length) found.push("sessionStorage");
    if (window.name) found.push("name");
    if (history.length > 2) found.push("history " + history.length);
    if ((await indexedDB.databases()).length) found.push("indexedDB");
    if ((await caches.keys()).length) found.push("caches");
    if ((await navigator.serviceWorker.getRegistrations()).length) found.push("serviceWorker");
    if ((await navigator.permissions.query({ name: "notifications" })).state === "granted") found.push("permission");
    out.textContent = "found: " + (found.join(", ") || "nothing");
    document.cookie = "c=1; max-age=10000"; localStorage.l = 1; sessionStorage.s = 1; window.name = "n";
    history.pushState({}, "", "/traces?pushed");
    await new Promise((r) => { indexedDB.open("db").onsuccess = r; });
    await (await caches.open("k")).put("/x", new Response("x"));
    await navigator.serviceWorker.register("/worker.js");
    addEventListener("pagehide", () => { localStorage.late = 1; sessionStorage.late = 1; document.cookie = "late=1"; });
    addEventListener("beforeunload", (e) => e.preventDefault());
    document.title = "Traced";
  })();
</script>`;

const pages: Record<string, string | Handler> = {
  "/traces": traces,
  "/worker.js": (_request, response) =>
    response.writeHead(200, { "content-type": "text/javascript" }).end("self.onfetch = () => {};"),
  "/plain": `<title>Plain</title><p>Plain</p><a href="OTHER/plain">Other origin</a><a href="/plain" target="_blank">New tab</a>`,
  "/loop": `<title>Loop</title><button onclick="for(;;);">Loop</button>`,
  "/cached": (_request, response) =>
    response
      .writeHead(200, { "content-type": "text/html", "cache-control": "max-age=1000" })
      .end("<title>Cached</title>"),
};

describe("browser pool", () => {
  let site: TestSite;
  let pool: BrowserPool;
  let log: string[];

  beforeEach(async () => {
    log = [];
    [site, pool] = await Promise.all([
      serveSite(pages),
      openBrowserPool({ log: (sentence) => log.push(sentence) }),
    ]);
  });
  afterEach(async () => {
    await pool.close();
    await site.close();
  });

  const open = (path: string) => pool.open(browserSpec(site.origin + path), site.origin + path);
  const text = async (env: Environment) =>
    ((await env.probe({ type: "page_text" })) as { value: string }).value;
  /** Waits until the page's own script has left all its traces, however slow the machine is. */
  const traced = async (env: Environment) => {
    for (;;) {
      const seen = await env.observe();
      if (seen.title === "Traced") return seen;
      await env.act({ type: "wait", ms: 50 });
    }
  };
  const made = () => log.filter((sentence) => sentence.startsWith("A browser context is made"));
  const thrown = () => log.filter((sentence) => sentence.includes("thrown away"));

  it("uses a context again, and it is as new", async () => {
    const shots: Uint8Array[] = [];
    for (let round = 0; round < 4; round++) {
      const env = await open("/traces");
      const seen = await traced(env);
      expect(await text(env)).toContain("found: nothing");
      expect(seen.tabs).toHaveLength(1);
      shots.push(seen.screenshot!.bytes);
      await env.act({ type: "click", at: { by: "point", x: 300, y: 300 } });
      await env.close();
    }
    expect(thrown()).toEqual([]);
    expect(made()).toHaveLength(1);
    for (const shot of shots) expect(Buffer.from(shot).equals(Buffer.from(shots[0]!))).toBe(true);
  });

  it("does find traces within one episode: the check can fail", async () => {
    const env = await open("/traces");
    await traced(env);
    await env.act({ type: "tab_new", url: `${site.origin}/traces` });
    await traced(env);
    expect(await text(env)).toContain("found: cookie, localStorage, indexedDB, caches, serviceWorker");
    await env.close();
  });

  it("empties the HTTP cache between episodes", async () => {
    for (let round = 0; round < 2; round++) await (await open("/cached")).close();
    expect(site.log.filter((entry) => entry === "GET /cached")).toHaveLength(2);
    expect(made()).toHaveLength(1);
  });

  it("throws a context away when it cannot tell that it is clean", async () => {
    const env = await open("/plain");
    await env.act({ type: "goto", url: `${site.otherOrigin}/plain` });
    await env.close();
    await (await open("/plain")).close();
    expect(thrown()[0]).toContain(`session storage of ${site.origin}`);
    expect(made()).toHaveLength(2);
  });

  it("closes pop-ups and uses the context again", async () => {
    const env = await open("/plain");
    const { marks } = await env.observe();
    await env.act({
      type: "click",
      at: { by: "mark", mark: marks!.find((mark) => mark.name === "New tab")!.id },
    });
    expect((await env.observe()).tabs).toHaveLength(2);
    await env.close();
    const next = await open("/plain");
    expect((await next.observe()).tabs).toHaveLength(1);
    await next.close();
    expect(made()).toHaveLength(1);
  });

  it("keeps episodes that run at the same time apart", async () => {
    const envs = await Promise.all([open("/traces"), open("/traces"), open("/traces")]);
    for (const env of envs) await traced(env);
    for (const env of envs) expect(await text(env)).toContain("found: nothing");
    await Promise.all(envs.map((env) => env.close()));
    expect(made()).toHaveLength(3);
  });

  it("reports a dead browser as retryable and starts another for the next episode", async () => {
    const env = await open("/plain");
    const browser = (await descendants(process.pid)).find(
      (each) => each.command.includes("--remote-debugging-pipe") && !each.command.includes("--type="),
    )!;
    process.kill(browser.pid, "SIGKILL");
    await expect(env.observe()).rejects.toMatchObject({ boundary: "environment", retryable: true });
    await env.close();
    const next = await open("/plain");
    expect((await next.observe()).title).toBe("Plain");
    await next.close();
  });

  it("gets rid of a page that hangs, and of an action under way", async () => {
    const env = await open("/loop");
    const { marks } = await env.observe();
    const acting = env.act({ type: "click", at: { by: "mark", mark: marks![0]!.id } });
    acting.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 300));
    await env.close();
    await expect(acting).rejects.toMatchObject({ boundary: "environment" });
    const waiting = await open("/plain");
    const start = Date.now();
    const wait = waiting.act({ type: "wait", ms: 50_000 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await waiting.close();
    await wait.catch(() => {});
    expect(Date.now() - start).toBeLessThan(40_000);
  });

  it("opens nothing after it was closed", async () => {
    await pool.close();
    await expect(open("/plain")).rejects.toMatchObject({ boundary: "environment", code: "pool_closed" });
  });

  it("leaves no browser behind when its process is killed outright", async () => {
    const owner = spawn(
      process.execPath,
      [
        "--conditions=openforgerl",
        fileURLToPath(new URL("owner.ts", import.meta.url)),
        `${site.origin}/plain`,
      ],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    await once(owner.stdout!, "data");
    const before = await descendants(owner.pid!);
    expect(before.filter((each) => each.command.includes("--type=renderer")).length).toBeGreaterThan(0);
    owner.kill("SIGKILL");
    await once(owner, "exit");
    const alive = () =>
      before.filter(({ pid }) => {
        try {
          process.kill(pid, 0);
          return true;
        } catch {
          return false;
        }
      });
    const end = Date.now() + 20_000;
    while (alive().length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(alive()).toEqual([]);
  });
});
