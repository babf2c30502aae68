import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkoutRoot } from "../../dev/checkout.ts";
import { EXIT } from "../../exit-codes.ts";
import { forge } from "../support/forge-process.ts";

describe("forge bench", () => {
  it("lists the benchmarks of all packages, and no shared part of them", async () => {
    const { code, stdout } = await forge(["bench", "--json"]);
    expect(code).toBe(EXIT.ok);
    const listed = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { name: string; file: string });
    const names = listed.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["environments/act-observe", "proxy/overhead", "trainer/episodes"]),
    );
    expect(names.filter((name) => name.split("/").length !== 2)).toEqual([]);
    for (const { file } of listed) expect(existsSync(join(checkoutRoot(), file)), file).toBe(true);
  });

  it("runs one, and gives a program what it printed", async () => {
    const { code, stdout } = await forge(["bench", "proxy/stored-bytes", "2", "--json"]);
    expect(code).toBe(EXIT.ok);
    const { name, text } = JSON.parse(stdout) as { name: string; text: string };
    expect(name).toBe("proxy/stored-bytes");
    expect(text).toMatch(/^2 turns/);
    expect(text).toContain("stored (target <= 1.05)");
  });

  it("names what there is when asked for one there isn't", async () => {
    const { code, stderr } = await forge(["bench", "proxy/overhed"]);
    expect(code).toBe(EXIT.badInput);
    expect(stderr).toContain('(got "proxy/overhed")');
    expect(stderr).toContain("proxy/overhead");
  });
});
