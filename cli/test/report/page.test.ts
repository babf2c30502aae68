import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { findChromium } from "@openforgerl/environments/browser/find-chromium";
import { launchBrowser } from "@openforgerl/environments/browser/launch";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReportServer, serveReport } from "../../report/server.ts";
import { writeReport } from "../../report/write.ts";
import { writeFixtureRun } from "../support/fixture-run.ts";

type Browser = Awaited<ReturnType<typeof launchBrowser>>;
type Page = Awaited<ReturnType<Browser["newPage"]>>;

describe("the report in Chromium", { timeout: 120_000 }, () => {
  let home: string;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  const dir = (name: string) => join(home, name);

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "forge report "));
    browser = await launchBrowser((await findChromium()).path, []);
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await writeFixtureRun(dir("train"), { kind: "train" });
    await writeFixtureRun(dir("eval"), { kind: "eval" });
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await rm(home, { recursive: true, force: true });
  });

  const open = async (path: string, hash = "") => {
    problems = [];
    await page.goto("about:blank");
    await page.goto(pathToFileURL(path).href + hash);
  };

  it("opens from the file alone: headlines, curve, families, the first rollout", async () => {
    const path = await writeReport(dir("train"));
    // Nothing of the run may be needed to read it.
    const alone = join(home, "mailed report.html");
    await rename(path, alone);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    await open(alone);
    expect(await page.locator(".headlines .value").first().textContent()).toBe("70%");
    expect(await page.locator(".headlines").textContent()).toContain("95% interval 61–78%");
    expect(await page.locator(".curve .dev-dot").count()).toBe(5);
    expect(await page.locator(".curve .band").count()).toBe(1);
    expect(await page.locator("tbody tr").allTextContents()).toEqual([
      expect.stringMatching(/^1board\/click-colour0%100%/),
      expect.stringMatching(/^2board\/type-word0%100%/),
      expect.stringMatching(/^3shop\/add-to-cart0%75%/),
      expect.stringMatching(/^4booking\/move0%33%.*1 environment\/browser_crashed$/),
    ]);
    expect(await page.locator("#list a").count()).toBe(7);
    expect(await page.locator(".instruction").textContent()).toContain("leave <everything> else alone");
    expect(requests.filter((url) => !/^(file|data|about):/.test(url))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it("opens at its top, whichever rollout is chosen first", async () => {
    await page.setViewportSize({ width: 1200, height: 500 });
    await open(await writeReport(dir("eval")));
    await expect.poll(() => page.locator(".title").textContent()).toBeTruthy();
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  });

  it("draws each action where it happened", async () => {
    await open(await writeReport(dir("eval")), "#rollout=eval-0-0&step=1");
    const shot = await page.locator(".shot").boundingBox();
    const box = await page.locator(".shot .box").boundingBox();
    const scale = (shot?.width ?? 0) / 640;
    // The search field lies at 24,64 and is 300 by 34; the frame stands 2 shown pixels around it, and is 2 wide.
    expect(box?.x).toBeCloseTo((shot?.x ?? 0) + 24 * scale - 3, -0.5);
    expect(box?.width).toBeCloseTo(300 * scale + 6, -0.5);
    expect(await page.locator(".shot .label").textContent()).toBe("mug");
    const loaded = await page
      .locator(".shot img")
      .evaluate((image) => (image as HTMLImageElement).naturalWidth);
    expect(loaded).toBe(640);

    await page.goto(`${pathToFileURL(join(dir("eval"), "report.html")).href}#rollout=eval-0-0&step=3`);
    await expect.poll(() => page.locator(".title").textContent()).toBe("Double-clicked (500, 200).");
    expect(await page.locator(".shot .ring").count()).toBe(2);
    const ring = await page.locator(".shot .point").boundingBox();
    expect((ring?.x ?? 0) + (ring?.width ?? 0) / 2).toBeCloseTo((shot?.x ?? 0) + 500 * scale, -0.5);
    expect(problems).toEqual([]);
  });

  it("moves by keyboard, by click and by address, and shows words, tokens and the judge's evidence", async () => {
    await open(await writeReport(dir("eval")));
    await expect.poll(() => page.locator(".title").textContent()).toContain("Typed");
    expect(await page.locator(".say").allTextContents()).toContain("I search for the mug first.");
    expect(await page.locator(".tokens span").count()).toBe(5);
    expect(await page.locator(".tokens span").last().getAttribute("title")).toBe(
      "token 275, log-probability -0.0100",
    );
    await page.keyboard.press("ArrowRight");
    expect(await page.locator(".title .failure").textContent()).toContain("Something lies over it.");
    expect(page.url()).toContain("step=2");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator(".title").textContent()).toContain("Typed");
    await page.locator(".track button").last().click();
    expect(await page.locator(".reason").textContent()).toBe("The cart holds what was asked for.");
    expect(await page.locator(".pairs").first().textContent()).toContain('["Stoneware mug"]');
    expect(problems).toEqual([]);
  });

  it("filters the list", async () => {
    await open(await writeReport(dir("eval")));
    await page.selectOption("#filter-family", "booking/move");
    expect(await page.locator("#list a").count()).toBe(2);
    await page.selectOption("#filter-score", "failed");
    expect(await page.locator("#list a").count()).toBe(1);
    await page.locator("#list a").click();
    await expect.poll(() => page.locator(".viewer .score").textContent()).toBe("score 0");
    await page.selectOption("#filter-family", "board/click-colour");
    expect(await page.locator("#list").textContent()).toContain("No rollout is like that.");
    expect(problems).toEqual([]);
  });

  it("tells the curve's figures under the pointer", async () => {
    await open(await writeReport(dir("train")));
    const curve = await page.locator(".curve").boundingBox();
    await page.mouse.move((curve?.x ?? 0) + (curve?.width ?? 0) - 5, (curve?.y ?? 0) + 60);
    const tip = page.locator(".tip");
    expect(await tip.textContent()).toMatch(/^step 40held-out 70% \(61%–78%\)training \d+%entropy/);
    await page.mouse.move(5, 5);
    expect(await tip.isHidden()).toBe(true);
  });

  it("stays readable in the dark and on a narrow screen", async () => {
    const path = await writeReport(dir("train"));
    const contrast = () =>
      page.evaluate(() => {
        const luminance = (color: string) => {
          const parts = (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
          const scale = color.startsWith("color(") ? 1 : 255;
          const [r = 0, g = 0, b = 0] = parts.map((part) => {
            const share = part / scale;
            return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
          });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const body = getComputedStyle(document.body);
        const soft = getComputedStyle(document.querySelector(".sub") ?? document.body).color;
        const ground = luminance(body.backgroundColor);
        return [body.color, soft].map((color) => {
          const [high = 0, low = 0] = [luminance(color), ground].sort((a, b) => b - a);
          return (high + 0.05) / (low + 0.05);
        });
      });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await open(path);
      const [ink = 0, soft = 0] = await contrast();
      expect(ink).toBeGreaterThan(10);
      expect(soft).toBeGreaterThan(4.5);
    }
    await page.setViewportSize({ width: 420, height: 800 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
  });

  describe("of a run that is not whole", () => {
    it("was broken off: says how far it came", async () => {
      await writeFixtureRun(dir("cut"), { kind: "train", steps: 13, withoutTrajectories: true });
      await open(await writeReport(dir("cut")));
      expect(await page.locator(".notice").textContent()).toContain("step 13 of 40");
      expect(await page.locator("main").textContent()).toContain("holds no trajectories");
      expect(problems).toEqual([]);
    });

    it("has no score: says so, and why", async () => {
      await writeFixtureRun(dir("broken"), { kind: "eval", allBroken: true });
      await open(await writeReport(dir("broken")));
      expect(await page.locator(".headlines .value").first().textContent()).toBe("–");
      expect(await page.locator(".notice").textContent()).toContain("No rollout has a score");
      expect(await page.locator(".viewer .score").textContent()).toBe("no score");
      await page.locator(".track button").last().click();
      expect(await page.locator(".reason").textContent()).toContain("The browser went away");
      expect(problems).toEqual([]);
    });

    it("has only just begun, with a line still being written", async () => {
      await writeFixtureRun(dir("new"), { kind: "train", steps: 0, withoutTrajectories: true });
      await writeFile(join(dir("new"), "rollouts.jsonl"), '{"schemaVersion":1,"rollo');
      await writeFile(join(dir("new"), "metrics.jsonl"), "");
      await open(await writeReport(dir("new")));
      expect(await page.locator(".notice").textContent()).toContain("No rollout has finished yet");
      expect(problems).toEqual([]);
    });
  });

  describe("served", () => {
    let server: ReportServer;
    beforeAll(async () => {
      server = await serveReport(dir("train"), 0);
    });
    afterAll(() => server.close());

    it("has every rollout, and follows a link to any of them", async () => {
      problems = [];
      await page.goto(`${server.url}#rollout=dev-10-1-2&step=4`);
      await expect.poll(() => page.locator(".meta").last().textContent()).toContain("dev-10-1-2");
      expect(await page.locator("#count").textContent()).toBe("80 of 80");
      const image = page.locator(".shot img");
      await expect.poll(() => image.evaluate((it) => (it as HTMLImageElement).naturalWidth)).toBe(640);
      await page.selectOption("#filter-phase", "dev, step 0");
      expect(await page.locator("#list a").count()).toBe(16);
      expect(problems).toEqual([]);
    });

    it("shows what has come since, when it is loaded again", async () => {
      const path = join(dir("train"), "rollouts.jsonl");
      const before = await readFile(path, "utf8");
      await writeFile(path, `${before.split("\n").slice(0, 16).join("\n")}\n`);
      const rows = await (await fetch(new URL("api/rollouts", server.url))).json();
      expect(rows).toHaveLength(16);
      await writeFile(path, before);
      expect(await (await fetch(new URL("api/rollouts", server.url))).json()).toHaveLength(80);
    });

    it("gives out nothing but the run's rollouts and images", async () => {
      const status = async (path: string, headers = {}) =>
        (await fetch(new URL(path, server.url), { headers })).status;
      expect(await status("api/rollouts/no-such")).toBe(404);
      expect(await status("api/rollouts/..%2f..%2frun.json")).toBe(404);
      expect(await status(`blobs/${"0".repeat(64)}`)).toBe(404);
      expect(await status("blobs/..%2f..%2frun.json")).toBe(400);
      expect(await status(`blobs/${"0".repeat(64)}?type=text/html`)).toBe(400);
      expect(await status("run.json")).toBe(404);
    });

    it("says so when its port is taken", async () => {
      await expect(serveReport(dir("train"), Number(new URL(server.url).port))).rejects.toMatchObject({
        code: "port_taken",
      });
    });
  });
});
