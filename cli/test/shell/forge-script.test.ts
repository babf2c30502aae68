import { execFile, spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkoutRoot } from "../../dev/checkout.ts";

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * The script in a checkout of its own, with programs on the PATH that only note that they were called: an old
 * `node`, and an `npm` that "installs" a link to this Node.
 */
describe("./forge", { timeout: 60_000 }, () => {
  let home: string;
  let checkout: string;
  let bin: string;
  let log: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "forge script "));
    checkout = join(home, "a check out");
    bin = join(home, "bin");
    log = join(home, "calls.log");
    await mkdir(join(checkout, "cli"), { recursive: true });
    await mkdir(join(checkout, "node_modules/playwright-core"), { recursive: true });
    await mkdir(bin);
    await cp(join(checkoutRoot(), "forge"), join(checkout, "forge"));
    await writeFile(join(checkout, "package-lock.json"), "{}");
    await writeFile(
      join(checkout, "cli/main.ts"),
      "const words: string[] = process.argv.slice(2);\nconsole.log(JSON.stringify({ words, flags: process.execArgv, cwd: process.cwd(), chromium: process.env.OPENFORGERL_CHROMIUM ?? null, command: process.env.OPENFORGERL_COMMAND }));\n",
    );
    await program("node", 'echo v20.1.0; echo "node $*" >>"$LOG"');
    await program(
      "npm",
      [
        'echo "npm $1" >>"$LOG"',
        'case " $* " in',
        '*" node@24 "*) target=$3/node_modules/node/bin; mkdir -p "$target"; ln -sf "$REAL_NODE" "$target/node" ;;',
        "*) mkdir -p node_modules; echo installed; sleep 0.3 ;;",
        "esac",
      ].join("\n"),
    );
    // The few programs that the script itself needs, so that nothing else of this machine is found.
    for (const name of [
      "sh",
      "dirname",
      "cksum",
      "cat",
      "mkdir",
      "rm",
      "ln",
      "sleep",
      "readlink",
      "flock",
      "id",
    ]) {
      await symlink(await which(name), join(bin, name));
    }
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function program(name: string, body: string): Promise<void> {
    await writeFile(join(bin, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(bin, name), 0o755);
  }

  function run(args: readonly string[], options: { cwd?: string; script?: string } = {}): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn(options.script ?? join(checkout, "forge"), args, {
        cwd: options.cwd ?? home,
        env: { PATH: bin, HOME: home, LOG: log, REAL_NODE: process.execPath },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let stdout = "";
      let stderr = "";
      child.stdout.on("data", (chunk) => {
        stdout += chunk;
      });
      child.stderr.on("data", (chunk) => {
        stderr += chunk;
      });
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, stdout, stderr }));
    });
  }

  const calls = async () =>
    (await readFile(log, "utf8")).split("\n").filter((line) => line.startsWith("npm"));

  it("fetches Node and the packages the first time, and nothing the next", async () => {
    const first = await run(["doctor", "two words", ""]);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout)).toEqual({
      words: ["doctor", "two words", ""],
      flags: ["--conditions=openforgerl"],
      cwd: home,
      chromium: null,
      command: "forge",
    });
    expect(first.stderr).toContain("Fetching Node 24");
    expect(await calls()).toEqual(["npm install", "npm ci"]);

    const second = await run(["doctor"]);
    expect({ code: second.code, stderr: second.stderr }).toEqual({ code: 0, stderr: "" });
    expect(await calls()).toHaveLength(2);
  });

  it("installs again when the lock file has changed", async () => {
    await run(["doctor"]);
    await writeFile(join(checkout, "package-lock.json"), '{"changed":true}');
    await run(["doctor"]);
    await run(["doctor"]);
    expect(await calls()).toEqual(["npm install", "npm ci", "npm ci"]);
  });

  it("does so once, however many are started together", async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => run(["doctor"])));
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect((await calls()).sort()).toEqual(["npm ci", "npm install"]);
  });

  it("uses the system's Node where it is new enough", async () => {
    await rm(join(bin, "node"));
    await symlink(process.execPath, join(bin, "node"));
    expect((await run(["doctor"])).code).toBe(0);
    expect(await calls()).toEqual(["npm ci"]);
  });

  it("can be called through a link, and by its name in its own folder", async () => {
    await symlink(join(checkout, "forge"), join(home, "linked"));
    expect((await run(["x"], { script: join(home, "linked") })).code).toBe(0);
    const own = await run(["x"], { script: "./forge", cwd: checkout });
    expect(JSON.parse(own.stdout)).toMatchObject({ command: "./forge", cwd: checkout });
  });

  it("says in a sentence what failed, with status 3", async () => {
    await program("npm", 'echo "registry is down" >&2; exit 1');
    const node = await run(["doctor"]);
    expect({ code: node.code, stdout: node.stdout }).toEqual({ code: 3, stdout: "" });
    expect(node.stderr).toContain("npm could not install node@24 (see above)");

    await rm(join(bin, "npm"));
    const npm = await run(["doctor"]);
    expect(npm.code).toBe(3);
    expect(npm.stderr).toContain("apt-get install nodejs npm");
  });

  it("leaves no trace of an installation that failed", async () => {
    await rm(join(bin, "node"));
    await symlink(process.execPath, join(bin, "node"));
    await run(["doctor"]);
    await writeFile(join(checkout, "package-lock.json"), '{"changed":true}');
    const npm = await readFile(join(bin, "npm"), "utf8");
    await program("npm", "exit 1");
    expect((await run(["doctor"])).code).toBe(3);
    await writeFile(join(bin, "npm"), npm);
    expect((await run(["doctor"])).code).toBe(0);
    expect(await calls()).toEqual(["npm ci", "npm ci"]);
  });

  it("looks for a Chromium where a command needs one, and only there", async () => {
    await program("chromium", "echo Chromium 156");
    const chromium = join(bin, "chromium");
    const of = async (...args: string[]) => JSON.parse((await run(args)).stdout).chromium;
    expect(await of("train", "--steps", "1")).toBe(chromium);
    expect(await of("task", "check")).toBe(chromium);
    expect(await of("test")).toBe(chromium);
    await program("chromium-headless-shell", "echo Chromium 156");
    expect(await of("train")).toBe(join(bin, "chromium-headless-shell"));
    expect(await of("test", "--fast")).toBe(null);
    expect(await of("task", "list")).toBe(null);
    expect(await of("train", "--help")).toBe(null);
    expect(await of()).toBe(null);
  });

  it("installs Playwright's Chromium where there is none, and remembers it", async () => {
    const installed = join(home, "a browser");
    await program("../a browser", "echo Chromium 156");
    await writeFile(
      join(checkout, "node_modules/playwright-core/cli.js"),
      'require("node:fs").appendFileSync(process.env.LOG, "npm playwright " + process.argv.slice(2).join(" ") + "\\n");\n',
    );
    await writeFile(
      join(checkout, "node_modules/playwright-core/index.js"),
      `exports.chromium = { executablePath: () => ${JSON.stringify(installed)} };\n`,
    );
    const first = await run(["train"]);
    expect(first.stderr).toContain("installing Playwright's");
    expect(JSON.parse(first.stdout).chromium).toBe(installed);
    expect((await calls()).at(-1)).toBe("npm playwright install chromium");
    const second = await run(["eval"]);
    expect({ stderr: second.stderr, chromium: JSON.parse(second.stdout).chromium }).toEqual({
      stderr: "",
      chromium: installed,
    });
  });

  it("takes the system's package as root where Playwright's does not run, and says so where it can't", async () => {
    await writeFile(join(checkout, "node_modules/playwright-core/cli.js"), "process.exit(1);\n");
    await rm(join(bin, "id"));
    await program("id", "echo 1000");
    const user = await run(["train"]);
    expect(user.code).toBe(3);
    expect(user.stderr).toContain("set OPENFORGERL_CHROMIUM to its path");

    await program("id", "echo 0");
    await program(
      "apt-get",
      `[ "$1" = update ] || { printf '#!/bin/sh\\necho Chromium 156\\n' >"${bin}/chromium"; /bin/chmod +x "${bin}/chromium"; }`,
    );
    const root = await run(["train"]);
    expect(JSON.parse(root.stdout).chromium).toBe(join(bin, "chromium"));
  });
});

function which(name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile("sh", ["-c", `command -v ${name}`], (error, stdout) => {
      if (error) reject(new Error(`${name} is needed by this test`));
      else resolve(stdout.trim());
    });
  });
}
