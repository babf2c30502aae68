/**
 * What the render cache gains: the same short episodes of our sites (open, look, click, look, close), as a
 * group of rollouts on one task does them, with and without the cache, interleaved.
 *
 *     ./forge bench environments/render-cache [rounds]
 */
import { EnvironmentSpec } from "@openforgerl/contracts/environment";
import { findChromium } from "../browser/find-chromium.ts";
import { type BrowserPool, openBrowserPool } from "../browser/pool.ts";
import { RenderCache } from "../browser/render-cache.ts";
import { createEnvironmentProvider } from "../provider.ts";
import { listFamilies } from "../sites/families.ts";
import { startSiteServer } from "../sites/server.ts";

const rounds = Number(process.argv[2] ?? 12);
const executablePath = (await findChromium()).path;
const cache = new RenderCache();
const [sites, plain, cached] = await Promise.all([
  startSiteServer(),
  openBrowserPool({ executablePath }),
  openBrowserPool({ executablePath, renderCache: cache }),
]);

interface Times {
  /** First looks alone: later ones are always drawn. */
  looks: number[];
  episodes: number[];
}

async function episode(pool: BrowserPool, family: { site: string; id: string }, seed: number, times: Times) {
  const spec = EnvironmentSpec.parse({
    kind: "browser",
    viewport: { width: 320, height: 240 },
    determinism: { seed },
    start: { at: "site", site: family.site, family: family.id, seed, split: "train" },
  });
  const start = performance.now();
  const env = await createEnvironmentProvider({ pool, sites }).open(spec);
  const from = performance.now();
  await env.observe();
  times.looks.push(performance.now() - from);
  await env.act({ type: "click", at: { by: "point", x: 160, y: 120 } });
  await env.observe();
  await env.close();
  times.episodes.push(performance.now() - start);
}

const p50 = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const families = [...new Map(listFamilies().map((family) => [family.site, family])).values()];
const without: Times = { looks: [], episodes: [] };
const using: Times = { looks: [], episodes: [] };
try {
  for (let round = 0; round < rounds; round++) {
    for (const family of families) {
      await episode(plain, family, 1 + (round % 2), without);
      await episode(cached, family, 1 + (round % 2), using);
    }
  }
  const line = (name: string, a: number, b: number) =>
    console.log(
      `${name}  drawn ${a.toFixed(1)} ms   cached ${b.toFixed(1)} ms   ratio ${(b / a).toFixed(2)}`,
    );
  line("first look (p50)", p50(without.looks), p50(using.looks));
  line("episode (p50)   ", p50(without.episodes), p50(using.episodes));
  console.log(`hits ${cache.hits} of ${cache.hits + cache.misses} first looks`);
} finally {
  await plain.close();
  await cached.close();
  await sites.close();
}
