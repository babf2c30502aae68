/** Records calls until it is killed, and prints the number of each once it is written. */
import { BlobWriter } from "../../store/blobs.ts";
import { scanBody } from "../../store/request-encoder.ts";
import { SessionWriter } from "../../store/session-writer.ts";

const recordsDir = process.argv[2]!;
const writer = new SessionWriter(
  { recordsDir, blobs: new BlobWriter(recordsDir), durability: "os" },
  "s",
  {},
);
const messages: object[] = [];
let prompt = [1];
for (let index = 0; ; index++) {
  messages.push({ role: "user", content: `turn ${index} `.repeat(300) });
  const body = Buffer.from(JSON.stringify({ model: "m", messages }));
  const request = writer.beginCall(scanBody(body, "messages"));
  await writer.endCall({
    record: {
      schemaVersion: 1,
      id: `call-${index}`,
      sessionId: "s",
      index,
      role: "agent",
      dialect: "anthropic-messages",
      streamed: false,
      upstream: { id: "u", dialect: "anthropic-messages", model: "m" },
      sampling: {},
      promptLength: prompt.length,
      sampledLength: 1,
      policyVersion: null,
      finishReason: null,
      timing: { startedAt: "2026-01-01T00:00:00.000Z", firstByteMs: null, totalMs: 0 },
      status: 200,
      attempts: [],
      complete: true,
    },
    request,
    responseBytes: Buffer.from(`answer ${index}`),
    tokens: { prompt, sampled: [index], logprobs: [-1], images: [] },
  });
  prompt = [...prompt, index, 7];
  process.stdout.write(`${index}\n`);
}
