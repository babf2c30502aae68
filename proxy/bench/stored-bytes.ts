/**
 * Stored bytes of a 50-turn screenshot session against its unique bytes, through the real proxy; plain
 * JSON lines of the same bodies for contrast.
 *
 * Unique bytes, each distinct thing once: decoded images; the JSON text of each message without its images;
 * the rest of the request; each response without the prompt's token ids; token ids as int32 (a chain of
 * prompts counted once); log-probabilities as float64.
 *
 *   ./forge bench proxy/stored-bytes [turns]
 */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import type { ResponsePart } from "../messages.ts";
import { startProxy } from "../server.ts";
import { startFakeUpstream } from "../test/support/fake-upstream.ts";
import { screenshotPng } from "../test/support/png.ts";

const turns = Number(process.argv[2] ?? 50);
const dir = await mkdtemp(join(tmpdir(), "forge-bench-"));
const marks = (turn: number): string =>
  Array.from(
    { length: 24 },
    (_, at) => `[${at}] button "Item ${turn}-${at}" @${40 + at},${30 + at * 15}`,
  ).join("\n");
const say = (turn: number): ResponsePart[] => [
  { type: "text", text: `Step ${turn}: the list is open, so I click the next item.` },
  { type: "tool_use", id: `toolu_${turn}`, name: "mcp__env__click", input: { mark: turn } },
];

const fake = await startFakeUpstream((_, index) => ({ parts: say(index) }));
const proxy = await startProxy({
  recordsDir: dir,
  upstreams: [{ id: "fake", dialects: ["anthropic-messages"], baseUrl: fake.url, capture: "vllm" }],
});
let [imageBytes, partBytes, responseBytes, responsePacked, jsonl] = [0, 0, 0, 0, 0];
try {
  const session = await proxy.createSession({});
  const rest = {
    model: "policy",
    max_tokens: 1024,
    system: [
      { type: "text", text: "You operate a browser. ".repeat(100), cache_control: { type: "ephemeral" } },
    ],
    tools: Array.from({ length: 12 }, (_, at) => ({
      name: `mcp__env__tool${at}`,
      description: "Does one thing on the page. ".repeat(8),
      input_schema: { type: "object", properties: { mark: { type: "integer" } } },
    })),
  };
  partBytes += JSON.stringify(rest).length;
  const messages: { role: string; content: object[] }[] = [];
  const add = (role: string, content: object[]): void => {
    messages.push({ role, content });
    const bare = JSON.stringify(content, (key, value) => (key === "data" ? "" : value));
    partBytes += Buffer.byteLength(JSON.stringify({ role, content: null })) + Buffer.byteLength(bare);
  };
  add("user", [{ type: "text", text: "<task>Buy a mug.</task>" }]);
  for (let turn = 0; turn < turns; turn++) {
    // As Claude Code does it: the cache breakpoint stands on the last message, and moves.
    const sent = [...messages];
    const last = sent.pop()!;
    sent.push({
      ...last,
      content: last.content.with(-1, { ...last.content.at(-1), cache_control: { type: "ephemeral" } }),
    });
    const body = JSON.stringify({ ...rest, stream: true, messages: sent });
    const reply = await fetch(`${session.baseUrl}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": session.token, "content-type": "application/json" },
      body,
    });
    const answer = await reply.text();
    jsonl += Buffer.byteLength(JSON.stringify({ request: body, response: answer })) + 1;
    const bare = answer.replace(/"prompt_token_ids":\[[\d,]*\]/, '"prompt_token_ids":[]');
    responseBytes += Buffer.byteLength(bare);
    responsePacked += zstdCompressSync(bare).length;
    add(
      "assistant",
      say(turn).map((part) => part),
    );
    const png = screenshotPng(turn);
    imageBytes += png.length;
    add("user", [
      {
        type: "tool_result",
        tool_use_id: `toolu_${turn}`,
        content: [
          { type: "text", text: `<observation>\nClicked.\n${marks(turn)}\n</observation>` },
          {
            type: "image",
            source: { type: "base64", media_type: "image/png", data: png.toString("base64") },
          },
        ],
      },
    ]);
  }
  // The last turn's screenshot was never sent.
  imageBytes -= screenshotPng(turns - 1).length;
  const report = await proxy.sealSession(session.id);
  const problems = await proxy.store.verify(session.id);
  if (problems.length > 0 || report.completeCalls !== turns || report.sequences !== 1) {
    throw new Error(`the session did not record: ${JSON.stringify({ report, problems })}`);
  }
  const tokenBytes = (report.promptTokensAdded + report.sampledTokens) * 4 + report.sampledTokens * 8;
  const unique = imageBytes + partBytes + responseBytes + tokenBytes;
  const { journal, blobs, files, disk } = await sizes(dir);
  const stored = journal + blobs;
  const row = (name: string, bytes: number): void => {
    console.log(
      `${name.padEnd(44)}${bytes.toLocaleString("en").padStart(14)}  ${(bytes / unique).toFixed(3)}`,
    );
  };
  console.log(`${turns} turns, one 640x400 screenshot a turn${" ".repeat(15)}bytes   x unique`);
  row("images, decoded", imageBytes);
  row("distinct message parts and the rest", partBytes);
  row("responses without prompt ids", responseBytes);
  row("token ids and log-probabilities, binary", tokenBytes);
  row("unique bytes", unique);
  row("stored: journal", journal);
  row(`stored: ${files} blobs`, blobs);
  row("stored (target <= 1.05)", stored);
  const strict = stored / (unique - responseBytes + responsePacked);
  console.log(`  the same with the responses' unique bytes taken zstd-compressed: ${strict.toFixed(3)}`);
  row("allocated on disk (4 KiB blocks)", disk);
  row("plain JSON lines", jsonl);
} finally {
  await proxy.close();
  await fake.close();
  await rm(dir, { recursive: true, force: true });
}

async function sizes(root: string): Promise<{ journal: number; blobs: number; files: number; disk: number }> {
  const total = { journal: 0, blobs: 0, files: 0, disk: 0 };
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size, blocks } = await stat(join(entry.parentPath, entry.name));
    total.disk += blocks * 512;
    if (entry.name.endsWith(".jsonl")) total.journal += size;
    else {
      total.blobs += size;
      total.files++;
    }
  }
  return total;
}
