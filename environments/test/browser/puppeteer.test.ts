import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attachBrowser } from "../../browser/attach.ts";
import { findChromium } from "../../browser/find-chromium.ts";
import { describeBrowserConformance } from "./conformance.ts";

describeBrowserConformance("puppeteer (attached over CDP)", async () => {
  const { path } = await findChromium();
  const profile = await mkdtemp(join(tmpdir(), "attached-"));
  const child = spawn(
    path,
    [
      "--headless",
      "--no-sandbox",
      "--no-first-run",
      "--remote-debugging-port=0",
      `--user-data-dir=${profile}`,
      "about:blank",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const cdpUrl = await new Promise<string>((resolve, reject) => {
    let seen = "";
    child.once("exit", () => reject(new Error(`Chromium ended early: ${seen}`)));
    child.stderr.on("data", (chunk) => {
      seen += chunk;
      const found = /DevTools listening on (ws:\S+)/.exec(seen);
      if (found) resolve(found[1]!);
    });
  });
  return {
    open: (spec, url, extras) => attachBrowser({ cdpUrl, spec, url, ...(extras ? { extras } : {}) }),
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
      await rm(profile, { recursive: true, force: true });
    },
  };
});
