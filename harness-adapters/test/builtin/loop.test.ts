import { taskPrompt } from "@openforgerl/contracts/harness";
import { runLoop, SYSTEM_PROMPT } from "@openforgerl/harness-adapters/builtin/loop";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Block,
  type ScriptedModel,
  type ScriptedTurn,
  startScriptedModel,
} from "../support/scripted-model.ts";
import { startTinyEnvironment, type TinyEnvironment } from "../support/tiny-environment.ts";

let environment: TinyEnvironment;
let model: ScriptedModel;

beforeEach(async () => {
  environment = await startTinyEnvironment();
});

afterEach(async () => {
  await model.close();
  await environment.close();
});

async function run(script: ScriptedTurn[]) {
  model = await startScriptedModel(script);
  return runLoop({
    instruction: "Press Go.",
    model: { baseUrl: model.baseUrl, token: model.token, name: "policy" },
    mcp: { url: environment.url, token: environment.token },
    scratchDir: "/nowhere",
    limits: { maxSteps: 5, maxCalls: 5, deadlineSeconds: 60 },
    signal: new AbortController().signal,
  });
}

const click = { call: [{ name: "click", input: { mark: 0 } }] };
const picture = (clicks: number) => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: environment.picture(clicks) },
});

test("the first message holds the task and a first look, so the model need not ask for one", async () => {
  await run([{ say: "Done." }]);
  expect(environment.calls).toEqual(["screenshot {}"]);
  const { body } = model.requests[0]!;
  expect(body.system).toBe(SYSTEM_PROMPT);
  expect(body.model).toBe("policy");
  expect(body.messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: taskPrompt("Press Go.") },
        { type: "text", text: expect.stringMatching(/^<observation>\n.*<\/observation>$/s) },
        picture(0),
      ],
    },
  ]);
});

test("a turn adds the model's words as they were and the tool's answer with its picture", async () => {
  await run([{ say: "I press it.", ...click }, { say: "Done." }]);
  const added = model.requests[1]!.body.messages.slice(1);
  expect(added[0]).toEqual({
    role: "assistant",
    content: [
      { type: "text", text: "I press it." },
      { type: "tool_use", id: "toolu_1_0", name: "click", input: { mark: 0 } },
    ],
  });
  const [result] = added[1]!.content as Block[];
  expect(result).toMatchObject({ type: "tool_result", tool_use_id: "toolu_1_0" });
  expect((result!.content as Block[])[1]).toEqual(picture(1));
});

test("a tool call in an answer that was cut off is not carried out", async () => {
  const outcome = await run([{ ...click, cutOff: true }]);
  expect(outcome).toMatchObject({ stopReason: "max_tokens" });
  expect(environment.calls).toEqual(["screenshot {}"]);
});

test("an empty completion is an empty answer", async () => {
  expect(await run([{}])).toEqual({ stopReason: "answered", answer: "", transcripts: [] });
});

test("an environment that goes away in the middle is told as that", async () => {
  const running = run([click]);
  await environment.close();
  expect(await running).toMatchObject({ stopReason: "environment_error" });
});
