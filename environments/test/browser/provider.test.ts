import { type Environment, EnvironmentSpec } from "@openforgerl/contracts/environment";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BrowserPool, openBrowserPool } from "../../browser/pool.ts";
import { RenderCache } from "../../browser/render-cache.ts";
import { createEnvironmentProvider } from "../../provider.ts";
import { listFamilies } from "../../sites/families.ts";
import { type SiteServer, startSiteServer } from "../../sites/server.ts";

function siteSpec(site: string, family: string, seed: number) {
  return EnvironmentSpec.parse({
    kind: "browser",
    viewport: { width: 320, height: 240 },
    determinism: { seed },
    start: { at: "site", site, family, seed, split: "train" },
  });
}

describe("environments of sites", () => {
  let pool: BrowserPool;
  let sites: SiteServer;

  beforeAll(async () => {
    [pool, sites] = await Promise.all([openBrowserPool(), startSiteServer()]);
  });
  afterAll(async () => {
    await pool.close();
    await sites.close();
  });

  it("open in their own world, are judged by it, and close it", async () => {
    const provider = createEnvironmentProvider({ pool, sites });
    const { site, id: name } = listFamilies()[0]!;
    const env = await provider.open(siteSpec(site, name, 3));
    const { url } = await env.observe();
    expect(url.startsWith(sites.url)).toBe(true);
    expect(url).not.toContain("/enter/");
    expect(await env.probe({ type: "site_verdict", answer: undefined })).toMatchObject({
      ok: true,
      value: { score: 0, reason: expect.any(String) },
    });
    expect(await env.probe({ type: "evaluate", expression: "location.origin" })).toEqual({
      ok: true,
      value: sites.url,
    });
    await env.close();
    await provider.close();
  });

  it("say which family is unknown, and that sites need a server", async () => {
    const provider = createEnvironmentProvider({ pool, sites });
    await expect(provider.open(siteSpec("shop", "shop/nothing", 1))).rejects.toMatchObject({
      boundary: "input",
    });
    const bare = createEnvironmentProvider({ pool });
    await expect(bare.open(siteSpec("shop", "shop/nothing", 1))).rejects.toMatchObject({ code: "no_sites" });
  });

  it("are closed with the provider", async () => {
    const provider = createEnvironmentProvider({ pool, sites });
    const { site, id: name } = listFamilies()[0]!;
    const env = await provider.open(siteSpec(site, name, 4));
    await provider.close();
    await expect(env.observe()).rejects.toMatchObject({ code: "environment_closed" });
  });
});

describe("render cache", () => {
  let sites: SiteServer;
  let drawing: BrowserPool;
  let caching: BrowserPool;
  const cache = new RenderCache();

  beforeAll(async () => {
    [sites, drawing, caching] = await Promise.all([
      startSiteServer(),
      openBrowserPool(),
      openBrowserPool({ renderCache: cache }),
    ]);
  });
  afterAll(async () => {
    await drawing.close();
    await caching.close();
    await sites.close();
  });

  /** The first picture of an episode, and the one after an action. */
  async function episode(pool: BrowserPool, site: string, family: string): Promise<[Buffer, Buffer]> {
    const provider = createEnvironmentProvider({ pool, sites });
    const env: Environment = await provider.open(siteSpec(site, family, 5));
    const look = async () => Buffer.from((await env.observe()).screenshot!.bytes);
    const first = await look();
    await env.act({ type: "click", at: { by: "point", x: 160, y: 120 } });
    const second = await look();
    await env.close();
    return [first, second];
  }

  const perSite = [...new Map(listFamilies().map((family) => [family.site, family])).values()];
  const pictures = listFamilies().filter((family) => family.site === "board");

  it.each([...new Set([...perSite, ...pictures])].map(({ site, id }) => [site, id]))(
    "serves the very bytes that are drawn: %s, %s",
    async (site, name) => {
      const [drawn] = await episode(drawing, site, name);
      const before = cache.hits;
      const [first] = await episode(caching, site, name);
      expect(cache.hits).toBe(before);
      const [again] = await episode(caching, site, name);
      // The first look alone: what follows an action is drawn each time.
      expect(cache.hits).toBe(before + 1);
      expect(first.equals(drawn), "the first time").toBe(true);
      expect(again.equals(drawn), "from the cache").toBe(true);
    },
  );

  it("forgets the least recently used past its limit", () => {
    const small = new RenderCache(25);
    const shot = {
      bytes: new Uint8Array(10),
      mediaType: "image/png",
      width: 1,
      height: 1,
      scale: 1,
    } as const;
    small.put("a", shot);
    small.put("b", shot);
    small.get("a");
    small.put("c", shot);
    expect([small.get("a"), small.get("b"), small.get("c")]).toEqual([shot, undefined, shot]);
  });
});
