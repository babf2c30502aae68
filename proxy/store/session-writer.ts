import { join } from "node:path";
import type { CallRecord, CallTokens } from "@openforgerl/contracts/call";
import type { Sha256 } from "@openforgerl/contracts/content";
import type { ForgeError } from "@openforgerl/contracts/errors";
import type { SessionReport } from "@openforgerl/contracts/session";
import type { BlobWriter } from "./blobs.ts";
import { type AppendFile, nodeFiles, type StoreFiles, storeError } from "./files.ts";
import type { CallLine, JournalLine } from "./journal-format.ts";
import { type Blob, sha256 } from "./parts.ts";
import { type EncodedRequest, RequestEncoder, type ScannedBody } from "./request-encoder.ts";
import { encodeResponse } from "./response-encoding.ts";
import { TokenEncoder } from "./token-encoding.ts";

/**
 * When recordings survive a power loss. `fsync`: a session's blobs and journal are on the disk before its
 * seal returns (several sessions sealing at once share one pass over the new blobs). `os`: the operating
 * system writes them when it likes. Under both, what a killed process had appended is kept.
 */
export type Durability = "fsync" | "os";

export interface WriterOptions {
  recordsDir: string;
  blobs: BlobWriter;
  durability: Durability;
  files?: StoreFiles;
}

/** Path of a session's journal. */
export function journalPath(recordsDir: string, sessionId: string): string {
  return join(recordsDir, "sessions", `${sessionId}.jsonl`);
}

/** What is known of a call when it ends. */
export interface FinishedCall {
  record: Omit<CallRecord, "request" | "response">;
  request: EncodedRequest;
  /** null where no byte arrived. */
  responseBytes: Buffer | null;
  /** null where the call is not complete. */
  tokens: CallTokens | null;
}

/**
 * Appends one session to its journal. Writes are queued in order and never block the caller; the first
 * failure stops the recording of the session for good, because later lines refer to earlier ones.
 */
export class SessionWriter {
  readonly #options: WriterOptions;
  readonly #files: StoreFiles;
  readonly #path: string;
  #requests = new RequestEncoder();
  #tokens = new TokenEncoder();
  #report: SessionReport | undefined;
  #file: AppendFile | undefined;
  #queue: Promise<void>;
  #failure: ForgeError | undefined;
  #lines = 0;
  #calls = 0;
  #promptTokensTotal = 0;

  constructor(options: WriterOptions, id: string, metadata: Record<string, string | number>) {
    this.#options = options;
    this.#files = options.files ?? nodeFiles;
    this.#path = journalPath(options.recordsDir, id);
    this.#queue = this.#open();
    const createdAt = new Date().toISOString();
    this.#enqueue([{ t: "s", schemaVersion: 1, id, createdAt, metadata }], []);
  }

  /**
   * Records the request of a call that begins.
   * @throws SyntaxError where the body is no JSON.
   */
  beginCall(body: ScannedBody): EncodedRequest {
    const request = this.#requests.encode(body);
    this.#enqueue(request.lines, request.blobs);
    return request;
  }

  /** Records a call that ended; resolves with its record once it is written. @throws ForgeError. */
  async endCall(call: FinishedCall): Promise<CallRecord> {
    const { responseBytes, tokens } = call;
    const response: Sha256 | null = responseBytes === null ? null : sha256(responseBytes);
    const record: CallRecord = { ...call.record, request: call.request.address, response };
    const blobs: Blob[] = [];
    const line: CallLine = {
      t: "c",
      rec: record,
      q: call.request.place,
      a:
        responseBytes === null
          ? null
          : encodeResponse(responseBytes, tokens?.prompt, (blob) => blobs.push(blob)),
      k: tokens === null ? null : this.#tokens.encode(record.id, tokens),
    };
    this.#calls++;
    this.#promptTokensTotal += record.promptLength;
    this.#enqueue([line], blobs);
    await this.#queue;
    if (this.#failure !== undefined) throw this.#failure;
    return record;
  }

  /** How the calls recorded so far merge. */
  report(): SessionReport {
    if (this.#report !== undefined) return this.#report;
    return this.#tokens.forest.report({ calls: this.#calls, promptTokensTotal: this.#promptTokensTotal });
  }

  /**
   * Ends the journal; after this it never changes.
   * @throws ForgeError `proxy/disk_full` or `proxy/record_failed` where any part of the session is not on disk.
   */
  async seal(): Promise<SessionReport> {
    const report = this.report();
    try {
      await this.#end(report);
    } catch (error) {
      this.#fail(error, 0);
    }
    await this.close();
    // A proxy outlives thousands of sessions: what only further calls would need is let go.
    this.#report = report;
    this.#requests = new RequestEncoder();
    this.#tokens = new TokenEncoder();
    if (this.#failure !== undefined) throw this.#failure;
    return report;
  }

  /** Waits for what is queued and closes the file, sealed or not. */
  async close(): Promise<void> {
    await this.#queue;
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  /** Writes the last line, durably. Stops, without it, where the recording has failed. */
  async #end(report: SessionReport): Promise<void> {
    const durable = this.#options.durability === "fsync";
    await this.#queue;
    if (this.#failure !== undefined) return;
    if (durable) await this.#options.blobs.sync();
    const lines = this.#lines;
    this.#enqueue([{ t: "end", sealedAt: new Date().toISOString(), lines, calls: this.#calls, report }], []);
    await this.#queue;
    if (!durable || this.#failure !== undefined) return;
    await this.#file?.sync();
    await this.#files.sync(join(this.#path, ".."));
  }

  async #open(): Promise<void> {
    try {
      await this.#files.mkdir(join(this.#path, ".."));
      this.#file = await this.#files.openAppend(this.#path);
    } catch (error) {
      this.#fail(error, 0);
    }
  }

  #enqueue(lines: JournalLine[], blobs: Blob[]): void {
    if (lines.length === 0) return;
    this.#lines += lines.length;
    // A line may only stand in the journal once the blobs it names can be read.
    const written = Promise.all(blobs.map((blob) => this.#options.blobs.put(blob)));
    written.catch(() => undefined);
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    this.#queue = this.#queue.then(async () => {
      if (this.#failure !== undefined) return;
      try {
        await written;
        await this.#file?.append(bytes);
      } catch (error) {
        this.#fail(error, bytes.length);
      }
    });
  }

  #fail(error: unknown, bytes: number): void {
    this.#failure ??= storeError(error, this.#path, bytes);
  }
}
