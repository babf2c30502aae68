import { outcomeOf, readStream } from "@openforgerl/harness-adapters/claude-code/parse";
import type { ProcessResult } from "@openforgerl/harness-adapters/process/run-process";
import { expect, test } from "vitest";

const exited = (exitCode: number): ProcessResult => ({ exitCode, endedBy: null, aborted: false });
const init = (status: string) => ({
  type: "system",
  subtype: "init",
  mcp_servers: [{ name: "env", status }],
});
const said = { type: "assistant", message: { content: [{ type: "text", text: "Hm." }] } };
const success = { type: "result", subtype: "success", is_error: false, result: " Blue.\n" };

async function outcome(events: object[], ended: ProcessResult, stderr = "") {
  return outcomeOf(await readStream(events.map((event) => JSON.stringify(event))), ended, stderr);
}

test("a result is an answer", async () => {
  expect(await outcome([init("connected"), said, success], exited(0))).toEqual({
    stopReason: "answered",
    exitCode: 0,
    answer: "Blue.",
  });
});

test("success without a trace of work is an error of the harness", async () => {
  expect(await outcome([], exited(0))).toMatchObject({
    stopReason: "harness_error",
    detail: "Claude Code exited with 0 without a result.",
  });
  expect(await outcome([init("connected"), success], exited(0))).toMatchObject({
    stopReason: "harness_error",
    detail: "Claude Code ended without asking the model.",
  });
});

test("a death is told with the last words", async () => {
  const killed: ProcessResult = { exitCode: null, endedBy: "SIGSEGV", aborted: false };
  expect(await outcome([init("connected"), said], killed, "first\nlast words\n")).toMatchObject({
    stopReason: "harness_error",
    detail: "Claude Code was ended by SIGSEGV without a result: last words",
  });
  expect(await outcome([init("connected"), said, success], exited(2))).toMatchObject({
    stopReason: "harness_error",
  });
});

test("an environment that is not connected outweighs an answer", async () => {
  for (const status of ["failed", "pending", "needs-auth"]) {
    expect(await outcome([init(status), said, success], exited(0))).toMatchObject({
      stopReason: "environment_error",
    });
  }
});

test("the limits have their own reasons", async () => {
  const turns = { type: "result", subtype: "error_max_turns", is_error: true };
  expect(await outcome([init("connected"), said, turns], exited(1))).toMatchObject({
    stopReason: "max_calls",
  });
  const cut = { ...said, error: "max_output_tokens" };
  const failed = { ...success, is_error: true, result: "API Error: exceeded" };
  expect(await outcome([init("connected"), cut, failed], exited(1))).toMatchObject({
    stopReason: "max_tokens",
  });
});

test("an error of the model is told in the CLI's words and is no answer", async () => {
  const failed = { ...success, is_error: true, result: "API Error: 500 down", terminal_reason: "api_error" };
  const told = await outcome(
    [init("connected"), said, { ...said, error: "server_error" }, failed],
    exited(1),
  );
  expect(told).toEqual({ stopReason: "model_error", exitCode: 1, detail: "API Error: 500 down" });
});

test("giving up counts once the environment has accepted it", async () => {
  const call = {
    type: "assistant",
    message: { content: [{ type: "tool_use", id: "a", name: "mcp__env__report_infeasible" }] },
  };
  const reply = (is_error: boolean) => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: "a", is_error }] },
  });
  expect(await outcome([init("connected"), call, reply(false), said, success], exited(0))).toMatchObject({
    stopReason: "gave_up",
    answer: "Blue.",
  });
  expect(await outcome([init("connected"), call, reply(true), said, success], exited(0))).toMatchObject({
    stopReason: "answered",
  });
});

test("an abort outweighs everything", async () => {
  const ended: ProcessResult = { exitCode: 143, endedBy: null, aborted: true };
  expect(await outcome([init("failed"), success], ended)).toMatchObject({ stopReason: "cancelled" });
});

test("lines of other kinds, broken lines and unknown fields are passed over", async () => {
  const lines = ["not json", "{", "[]", JSON.stringify({ type: "system", subtype: "api_retry" }), "null"];
  const facts = await readStream([...lines, JSON.stringify({ ...success, novel: 1 })]);
  expect(facts.result?.result).toBe(" Blue.\n");
  expect(facts.modelMessages).toBe(0);
});
