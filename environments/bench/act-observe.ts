/**
 * Our act + observe (click, settle, marks, screenshot) against bare Playwright making the same calls (click
 * by coordinates, evaluation of the same marks script, page.screenshot), and a pooled episode against a new
 * context with a page. Both run in the same kind of browser, interleaved, in one process.
 *
 *     ./forge bench environments/act-observe [rounds]
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { EnvironmentSpec } from "@openforgerl/contracts/environment";
import { chromium } from "playwright-core";
import { findChromium } from "../browser/find-chromium.ts";
import { KIT_SOURCE } from "../browser/in-page/kit.ts";
import { openBrowserPool } from "../browser/pool.ts";

const rounds = Number(process.argv[2] ?? 40);

const html = `<!doctype html><title>Bench</title><style>body{margin:8px;font:14px sans-serif}</style>
  <h1>Larder</h1><label>Search <input></label> <select><option>Price<option>Name</select>
  <button id="go" style="position:absolute;left:200px;top:10px">Quiet</button>
  ${Array.from({ length: 12 }, (_, at) => `<div><b>Item ${at}</b> <span>$${at}.00</span> <button>Add ${at}</button> <a href="/x">more</a></div>`).join("")}`;
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end(html);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const { path } = await findChromium();
const bare = await chromium.launch({ executablePath: path });
const pool = await openBrowserPool({ executablePath: path });

const timed = async (times: number[], work: () => Promise<unknown>) => {
  const start = performance.now();
  await work();
  times.push(performance.now() - start);
};
const p50 = (times: number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
const ms = (value: number) => value.toFixed(1).padStart(6);

try {
  for (const viewport of [
    { width: 320, height: 240 },
    { width: 1280, height: 720 },
  ]) {
    const spec = EnvironmentSpec.parse({ kind: "browser", viewport, start: { at: "url", url } });
    const page = await (await bare.newContext({ viewport })).newPage();
    await page.goto(url);
    const env = await pool.open(spec, url);
    const ours: number[] = [];
    const theirs: number[] = [];
    const acts: number[] = [];
    const marks = `${KIT_SOURCE}; __kit.collect({ cap: 150 })`;
    for (let round = -5; round < rounds; round++) {
      const kept = round >= 0;
      await timed(kept ? theirs : [], async () => {
        await page.mouse.click(220, 18);
        await page.evaluate(marks);
        await page.screenshot();
      });
      await timed(kept ? ours : [], async () => {
        await timed(kept ? acts : [], () => env.act({ type: "click", at: { by: "point", x: 220, y: 18 } }));
        await env.observe();
      });
    }
    await env.close();
    await page.context().close();

    const opens: number[] = [];
    const contexts: number[] = [];
    const cycles: number[] = [];
    for (let round = -2; round < rounds / 4; round++) {
      const kept = round >= 0;
      let close = async () => {};
      await timed(kept ? contexts : [], async () => {
        const context = await bare.newContext({ viewport });
        await (await context.newPage()).goto(url);
        close = () => context.close();
      });
      await close();
      await timed(kept ? cycles : [], async () => {
        const episode = await (async () => {
          let opened!: Awaited<ReturnType<typeof pool.open>>;
          await timed(kept ? opens : [], async () => {
            opened = await pool.open(spec, url);
          });
          return opened;
        })();
        await episode.close();
      });
    }
    console.log(`${viewport.width}x${viewport.height}`);
    console.log(
      `  act+observe      ours ${ms(p50(ours))} ms   bare ${ms(p50(theirs))} ms   ratio ${(p50(ours) / p50(theirs)).toFixed(2)} (target <= 1.15); act alone ${ms(p50(acts))} ms`,
    );
    console.log(
      `  first page       pool ${ms(p50(opens))} ms   bare ${ms(p50(contexts))} ms   ratio ${(p50(opens) / p50(contexts)).toFixed(2)}; open+close ${ms(p50(cycles))} ms`,
    );
  }
} finally {
  await pool.close();
  await bare.close();
  server.close();
}
