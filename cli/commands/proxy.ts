import { resolve } from "node:path";
import type { SessionReport } from "@openforgerl/contracts/session";
import { startProxy } from "@openforgerl/proxy/server";
import { type Command, Option } from "commander";
import { action, addDocumentation, type Cli } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { nonNegativeInt, nonNegativeNumber, port } from "../option-values.ts";
import { findModel, openModel, type UpstreamOptions } from "../runs/model.ts";
import { makeFolder, RUNS_DIR } from "../runs/run-dir.ts";

interface Options extends UpstreamOptions {
  model: string;
  port: number;
  records: string;
  temperature?: number;
  seed?: number;
}

/** `forge proxy`: one recorded session in front of a model, for any program that speaks its dialect. */
export function define(command: Command, cli: Cli): void {
  command
    .requiredOption("--model <name>", "`embedded`, a training run's folder, or the upstream's name for it")
    .option("--base-url <url>", "where the model is served; not for `embedded`")
    .addOption(
      new Option("--dialect <name>", "what the upstream speaks")
        .choices(["openai-chat", "anthropic-messages"])
        .default("openai-chat"),
    )
    .option("--api-key-env <name>", "environment variable that holds the upstream's key")
    .addOption(
      new Option("--capture <how>", "`vllm`: ask the upstream for token ids and log-probabilities")
        .choices(["vllm", "none"])
        .default("none"),
    )
    .option("--port <n>", "port to listen on; 0 for a free one", port, 0)
    .option("--records <dir>", "folder to record into", "runs/proxy")
    .option("--temperature <t>", "set on every call, whatever the program asks for", nonNegativeNumber)
    .option("--seed <n>", "base of the seed set on every call", nonNegativeInt);
  addDocumentation(command, cli, {
    examples: [
      ["proxy --model embedded", "record calls to the policy that `train` made"],
      [
        "proxy --model my-model --base-url http://127.0.0.1:8000 --capture vllm",
        "record calls to a model server, tokens included",
      ],
    ],
    json: "one line when it listens (baseUrl, token, sessionId, recordsDir), one with the session's report when it is stopped.",
    exits: [EXIT.fault],
  });
  action<Options>(command, cli, async ({ options, out, lifecycle, signal }) => {
    const source = await findModel(options.model, options, RUNS_DIR);
    const recordsDir = resolve(options.records);
    await makeFolder("--records", recordsDir);
    const model = await openModel(source, signal);
    lifecycle.onClose(() => model.close());
    const proxy = await startProxy({ recordsDir, upstreams: model.upstreams, port: options.port });
    lifecycle.onClose(() => proxy.close());
    const grant = await proxy.createSession({
      sampling: { temperature: options.temperature, seed: options.seed },
    });
    const { id: sessionId, token, baseUrl } = grant;
    out.emit({ baseUrl, token, sessionId, recordsDir, model: model.name });
    out.print(`Base URL  ${baseUrl}`);
    out.print(`Token     ${token}`);
    out.print(`Records   ${recordsDir} (session ${sessionId})`);
    out.print("");
    out.print("Anthropic Messages:       ANTHROPIC_BASE_URL and ANTHROPIC_AUTH_TOKEN");
    out.print("OpenAI Chat Completions:  OPENAI_BASE_URL (with /v1 behind it) and OPENAI_API_KEY");
    out.log("Recording until Ctrl-C.");
    proxy.onCall(sessionId, (record) => {
      const tokens = `${record.promptLength} + ${record.sampledLength} tokens`;
      const complete = record.complete === true ? "complete" : `incomplete: ${record.complete}`;
      out.log(`call ${record.index} (${record.role}): ${record.status}, ${tokens}, ${complete}`);
    });
    await lifecycle.untilStopped();
    const report = await proxy.sealSession(sessionId);
    out.emit({ sessionId, report });
    out.print(describe(report));
    return EXIT.ok;
  });
}

function describe(report: SessionReport): string {
  if (report.calls === 0) return "No calls were made.";
  return [
    `Calls: ${report.calls}, of them complete: ${report.completeCalls}, in sequences: ${report.sequences}`,
    `(${report.mergeRatio.toFixed(2)} calls a sequence); ${report.deliveredTokens} sampled tokens can be trained on.`,
  ].join(" ");
}
