import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium } from "../../browser/find-chromium.ts";
import { openBrowserPool } from "../../browser/pool.ts";

describe("finding Chromium", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "chromium-"));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it("finds one here, with its version", async () => {
    const found = await findChromium({});
    expect(found.version).toMatch(/^\d+(\.\d+){3}$/);
    expect(await findChromium({ OPENFORGERL_CHROMIUM: found.path })).toEqual(found);
  });

  it("takes the one that the variable names", async () => {
    const fake = join(directory, "fake");
    await writeFile(fake, "#!/bin/sh\necho Chromium 1.2.3.4\n");
    await chmod(fake, 0o755);
    expect(await findChromium({ OPENFORGERL_CHROMIUM: fake })).toEqual({ path: fake, version: "1.2.3.4" });
  });

  it("names the variable and its value when that does not run", async () => {
    await expect(findChromium({ OPENFORGERL_CHROMIUM: "/no/such" })).rejects.toMatchObject({
      boundary: "input",
      code: "bad_chromium",
      message: expect.stringContaining('OPENFORGERL_CHROMIUM is "/no/such"'),
    });
  });

  it("says what to do when a browser does not start", async () => {
    const fake = join(directory, "broken");
    await writeFile(fake, "#!/bin/sh\nexit 3\n");
    await chmod(fake, 0o755);
    await expect(openBrowserPool({ executablePath: fake })).rejects.toMatchObject({
      boundary: "environment",
      code: "browser_launch_failed",
      advice: expect.stringContaining("--headless"),
    });
  });
});
