import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type HarnessAdapter,
  type HarnessInstallation,
  type HarnessOutcome,
  type HarnessRun,
  taskPrompt,
} from "@openforgerl/contracts/harness";
import { StopReason } from "@openforgerl/contracts/stop-reason";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { processesOf } from "./support/processes.ts";
import {
  allBlocks,
  allText,
  type RecordedRequest,
  type ScriptedModel,
  type ScriptedTurn,
  startScriptedModel,
} from "./support/scripted-model.ts";
import { startTinyEnvironment, type TinyEnvironment } from "./support/tiny-environment.ts";

const INSTRUCTION = 'Press "Go" <twice> & say so.';
const look = { call: [{ name: "screenshot", input: {} }] };
const click = (mark: number) => ({ call: [{ name: "click", input: { mark } }] });

/**
 * What every harness adapter promises, checked against a scripted model and an environment of one page. An
 * implementation is an adapter that passes this.
 * @param install gives the installation to test, or a sentence saying why there is none here.
 */
export function describeConformance(
  adapter: HarnessAdapter,
  install: () => Promise<HarnessInstallation | string>,
): void {
  describe(`harness adapter ${adapter.name}`, () => {
    let installation: HarnessInstallation | undefined;
    let missing = "";
    let scratchDir: string;
    let environment: TinyEnvironment;
    let model: ScriptedModel;

    beforeAll(async () => {
      const found = await install();
      if (typeof found === "string") missing = found;
      else installation = found;
    }, 600_000);

    beforeEach(async ({ skip }) => {
      if (!installation) skip(`${adapter.name} is not here: ${missing}`);
      scratchDir = await mkdtemp(join(tmpdir(), "forge-conformance-"));
      environment = await startTinyEnvironment();
    });

    afterEach(async () => {
      await model?.close();
      await environment?.close();
      if (scratchDir) await rm(scratchDir, { recursive: true, force: true });
    });

    async function run(
      script: readonly ScriptedTurn[],
      overrides: Partial<HarnessRun> = {},
    ): Promise<HarnessOutcome> {
      model = await startScriptedModel(script);
      const outcome = await adapter.run(installation!, {
        instruction: INSTRUCTION,
        model: { baseUrl: model.baseUrl, token: model.token, name: "policy" },
        mcp: { url: environment.url, token: environment.token },
        scratchDir,
        limits: { maxSteps: 20, maxCalls: 20, deadlineSeconds: 120 },
        signal: new AbortController().signal,
        ...overrides,
      });
      expect(StopReason.options).toContain(outcome.stopReason);
      expect(await processesOf(scratchDir)).toEqual([]);
      for (const transcript of outcome.transcripts) expect(transcript.startsWith(scratchDir)).toBe(true);
      return outcome;
    }

    test("declares itself", () => {
      expect(adapter.interfaceVersion).toBe(1);
      expect(installation!.version).toBe(adapter.version);
      expect(installation!.executable === undefined).toBe(adapter.capabilities.inProcess);
    });

    test("looks, acts and answers", async () => {
      const outcome = await run([look, click(0), click(0), { say: "Pressed it twice." }]);
      expect(outcome).toMatchObject({ stopReason: "answered", answer: "Pressed it twice." });
      expect(environment.calls.filter((call) => call.startsWith("click"))).toEqual([
        'click {"mark":0}',
        'click {"mark":0}',
      ]);
      expect(model.unauthorised).toBe(0);
      expect(model.requests).toHaveLength(4);
    });

    test("brings the task, the observation and the picture to the model unaltered", async () => {
      await run([look, click(0), { say: "Done." }]);
      expect(allText(model.requests[0]!.body)).toContain(taskPrompt(INSTRUCTION));
      const last = model.requests[2]!.body;
      expect(allText(last)).toContain(
        '<observation>\nClicked [0] button "Go".\nPage: "Clicked 1 times"\n[0] button "Go" @160,120\n</observation>',
      );
      const pictures = allBlocks(last).filter((block) => block.type === "image");
      expect(pictures.map((block) => block.source?.data)).toEqual(
        expect.arrayContaining([environment.picture(0), environment.picture(1)]),
      );
      for (const block of pictures) {
        expect(block.source).toMatchObject({ type: "base64", media_type: "image/png" });
      }
    });

    test("keeps each request an exact prefix of the next, cache marks aside", async () => {
      await run([look, click(0), click(9), { say: "Looking.", ...look }, click(0), { say: "Done." }]);
      expect(model.requests).toHaveLength(6);
      for (let i = 1; i < model.requests.length; i++)
        expectPrefix(model.requests[i - 1]!, model.requests[i]!);
    });

    test("tells the model of a failed action and goes on", async () => {
      const outcome = await run([click(9), click(0), { say: "Done." }]);
      expect(outcome.stopReason).toBe("answered");
      const result = allBlocks(model.requests[1]!.body).find((block) => block.type === "tool_result");
      // The picture is what an agent needs most after a failure.
      expect(JSON.stringify(result)).toContain('"type":"image"');
      expect(allText(model.requests[1]!.body)).toContain("Error (mark_not_found): There is no mark 9.");
    });

    test("runs several tool calls of one message", async () => {
      await run([{ call: [...click(0).call, ...click(0).call] }, { say: "Done." }]);
      expect(environment.calls.filter((call) => call.startsWith("click"))).toHaveLength(2);
      const results = allBlocks(model.requests[1]!.body).filter((block) => block.type === "tool_result");
      expect(results.map((block) => block.tool_use_id)).toEqual(["toolu_1_0", "toolu_1_1"]);
    });

    test("gives up when the agent reports the task as infeasible", async () => {
      const outcome = await run([
        look,
        { call: [{ name: "report_infeasible", input: { reason: "no such thing" } }] },
        { say: "It can't be done." },
      ]);
      expect(outcome.stopReason).toBe("gave_up");
    });

    test("stops at the permitted number of model calls", async () => {
      const outcome = await run([look, look, look, look, look, look], {
        limits: { maxSteps: 20, maxCalls: 3, deadlineSeconds: 120 },
      });
      expect(outcome.stopReason).toBe("max_calls");
      expect(model.requests).toHaveLength(3);
    });

    test("reports an answer that is cut off again and again", async () => {
      const outcome = await run([
        look,
        ...Array.from({ length: 10 }, () => ({ say: "And", cutOff: true as const })),
      ]);
      expect(outcome.stopReason).toBe("max_tokens");
    });

    test("survives a passing server error", async () => {
      const outcome = await run([look, { status: 529, retryAfter: 0 }, { status: 500 }, { say: "Done." }]);
      expect(outcome).toMatchObject({ stopReason: "answered", answer: "Done." });
    });

    test("reports a model that keeps failing", async () => {
      const outcome = await run([
        look,
        ...Array.from({ length: 40 }, () => ({ status: 500, retryAfter: 0 })),
      ]);
      expect(outcome.stopReason).toBe("model_error");
      expect(outcome.detail).toMatch(/500/);
    });

    test("reports a refused model call without trying again", async () => {
      const outcome = await run([look, { status: 400 }, { say: "Done." }]);
      expect(outcome.stopReason).toBe("model_error");
      expect(outcome.detail).toMatch(/400/);
      expect(model.requests).toHaveLength(2);
    });

    test("reports an environment that is not there", async () => {
      const url = environment.url;
      await environment.close();
      const outcome = await run([{ say: "Done." }], { mcp: { url, token: "environment-token" } });
      expect(outcome.stopReason).toBe("environment_error");
      expect(outcome.detail).toBeTruthy();
    });

    test("stops when it is aborted, though the model hangs", async () => {
      const stop = new AbortController();
      const running = run([look, "hang"], { signal: stop.signal });
      while ((model?.requests.length ?? 0) < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      stop.abort();
      expect((await running).stopReason).toBe("cancelled");
    });

    test("does not start when it is aborted already", async () => {
      const outcome = await run([{ say: "Done." }], { signal: AbortSignal.abort() });
      expect(outcome.stopReason).toBe("cancelled");
      expect(model.requests).toHaveLength(0);
    });

    test("leaves nothing outside its scratch directory", async () => {
      const before = await readdir(tmpdir());
      await run([look, click(0), { say: "Done." }]);
      const mine = (name: string) => /claude|mcp|builtin/i.test(name);
      const after = await readdir(tmpdir());
      expect(after.filter(mine)).toEqual(before.filter(mine));
    });

    afterAll(() => {
      if (missing) console.warn(`${adapter.name} was not tested: ${missing}`);
    });
  });
}

/** Cache marks move along the history by design; they are no part of what the model reads. */
function expectPrefix(earlier: RecordedRequest, later: RecordedRequest): void {
  const plain = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (key, inner) => (key === "cache_control" ? undefined : inner)));
  const { messages: a, ...restA } = plain(earlier.body);
  const { messages: b, ...restB } = plain(later.body);
  expect(b.slice(0, a.length)).toEqual(a);
  expect(b.length).toBeGreaterThan(a.length);
  expect(restB.system).toEqual(restA.system);
  expect(restB.tools).toEqual(restA.tools);
}
