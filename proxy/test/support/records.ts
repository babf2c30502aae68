import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallRecord, CallTokens } from "@openforgerl/contracts/call";
import { onTestFinished } from "vitest";
import { BlobWriter } from "../../store/blobs.ts";
import type { StoreFiles } from "../../store/files.ts";
import { nodeFiles } from "../../store/files.ts";
import { scanBody } from "../../store/request-encoder.ts";
import { type Durability, SessionWriter } from "../../store/session-writer.ts";

/** A directory of this test alone, removed when the test is over. */
export async function recordsDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "forge-records-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export function sessionWriter(
  dir: string,
  id: string,
  options: { files?: StoreFiles; durability?: Durability } = {},
): SessionWriter {
  const { files = nodeFiles, durability = "os" } = options;
  return new SessionWriter({ recordsDir: dir, blobs: new BlobWriter(dir, files), durability, files }, id, {});
}

/** Records one call that has no tokens unless some are given. */
export async function writeCall(
  writer: SessionWriter,
  sessionId: string,
  index: number,
  body: Buffer,
  responseBytes: Buffer,
  tokens: CallTokens | null = null,
): Promise<CallRecord> {
  const request = writer.beginCall(scanBody(body, "messages"));
  const record: Omit<CallRecord, "request" | "response"> = {
    schemaVersion: 1,
    id: `call-${index}`,
    sessionId,
    index,
    role: "agent",
    dialect: "anthropic-messages",
    streamed: false,
    upstream: { id: "u", dialect: "anthropic-messages", model: "m" },
    sampling: {},
    promptLength: tokens?.prompt.length ?? 0,
    sampledLength: tokens?.sampled.length ?? 0,
    policyVersion: null,
    finishReason: null,
    timing: { startedAt: "2026-01-01T00:00:00.000Z", firstByteMs: null, totalMs: 0 },
    status: 200,
    attempts: [],
    complete: tokens === null ? "no_token_ids" : true,
  };
  return writer.endCall({ record, request, responseBytes, tokens });
}
