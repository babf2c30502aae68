import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CallRecord, CallTokens } from "@openforgerl/contracts/call";
import type { Sha256 } from "@openforgerl/contracts/content";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { TrainingSequence } from "@openforgerl/contracts/sequence";
import type { SessionReport } from "@openforgerl/contracts/session";
import { CallForest, trainingSequences } from "./chaining.ts";
import { blobPath } from "./store/blobs.ts";
import type { CallLine } from "./store/journal-format.ts";
import { sha256 } from "./store/parts.ts";
import { SessionReader } from "./store/session-reader.ts";

/** A session as it stands on disk. */
export interface StoredSession {
  id: string;
  createdAt: string;
  metadata: Record<string, string | number>;
  /** null: the session was never sealed, and nothing of it may be trained on. */
  sealedAt: string | null;
  calls: number;
  /** True where the last line was cut short by a crash; the lines before it are whole. */
  torn: boolean;
}

/** A call with its bulk. */
export interface OpenedCall {
  /** JSON value of the request body as the harness sent it. */
  request: unknown;
  /** The response body byte for byte as the harness got it; null where no byte arrived. */
  responseBytes: Uint8Array | null;
  /** null for a call that is not complete. */
  tokens: CallTokens | null;
}

/** Something wrong with a stored session. */
export interface StoreProblem {
  callId?: string;
  message: string;
}

/** Reads recordings from disk alone. Every reader throws `ForgeError` for what isn't there. */
export interface Store {
  readonly dir: string;
  /** Ids of the sessions, in the order of their names. */
  listSessions(): Promise<string[]>;
  readSession(id: string): Promise<StoredSession>;
  /** Records in order of arrival. */
  readCalls(id: string): Promise<CallRecord[]>;
  openCall(record: CallRecord): Promise<OpenedCall>;
  readBlob(address: Sha256): Promise<Uint8Array>;
  /** Training sequences of the session's complete calls (see chaining.ts). */
  sequences(sessionId: string): Promise<TrainingSequence[]>;
  report(sessionId: string): Promise<SessionReport>;
  /** Everything that is wrong with a session: damage, missing or altered parts, an absent seal. */
  verify(sessionId: string): Promise<StoreProblem[]>;
}

/** Sealed journals kept in memory: they never change. */
const CACHED_SESSIONS = 8;

/** Opens the recordings under a directory; it need not exist yet. */
export function openStore(dir: string): Store {
  const cache = new Map<string, SessionReader>();

  async function readBlob(address: Sha256): Promise<Uint8Array> {
    const path = blobPath(dir, address);
    try {
      return await readFile(path);
    } catch (error) {
      throw new ForgeError({
        boundary: "proxy",
        code: "blob_missing",
        message: `The content store has no ${path}.`,
        advice: "Leave out the sessions that name it and run their rollouts again.",
        cause: error,
      });
    }
  }

  async function open(id: string): Promise<SessionReader> {
    const cached = cache.get(id);
    if (cached !== undefined) return cached;
    const reader = await SessionReader.open(dir, id, readBlob);
    if (reader.seal === undefined) return reader;
    cache.set(id, reader);
    const [oldest] = cache.keys();
    if (cache.size > CACHED_SESSIONS && oldest !== undefined) cache.delete(oldest);
    return reader;
  }

  return {
    dir,
    readBlob,
    async listSessions() {
      let names: string[];
      try {
        names = await readdir(join(dir, "sessions"));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw error;
      }
      return names
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => name.slice(0, -".jsonl".length))
        .sort();
    },
    async readSession(id) {
      const reader = await open(id);
      return {
        id,
        createdAt: reader.header?.createdAt ?? "",
        metadata: reader.header?.metadata ?? {},
        sealedAt: reader.seal?.sealedAt ?? null,
        calls: reader.calls.length,
        torn: reader.damage?.torn ?? false,
      };
    },
    async readCalls(id) {
      return (await open(id)).records();
    },
    async openCall(record) {
      const reader = await open(record.sessionId);
      const call = findCall(reader, record.id);
      return {
        request: await reader.request(call),
        responseBytes: await reader.response(call),
        tokens: reader.tokens(record.id),
      };
    },
    async sequences(sessionId) {
      return trainingSequences(sessionId, (await open(sessionId)).chainCalls());
    },
    async report(sessionId) {
      const reader = await open(sessionId);
      if (reader.seal !== undefined) return reader.seal.report;
      const forest = new CallForest();
      for (const call of reader.chainCalls()) forest.add(call);
      const promptTokensTotal = reader.calls.reduce((sum, { rec }) => sum + rec.promptLength, 0);
      return forest.report({ calls: reader.calls.length, promptTokensTotal });
    },
    async verify(sessionId) {
      // Not from memory, and with each blob held against its name.
      const reader = await SessionReader.open(dir, sessionId, async (address) => {
        const bytes = await readBlob(address);
        if (sha256(bytes) !== address) throw new Error(`blob ${address} is damaged`);
        return bytes;
      });
      const problems: StoreProblem[] = [];
      if (reader.damage !== undefined) {
        problems.push({ message: `line ${reader.damage.line}: ${reader.damage.message}` });
      }
      if (reader.seal === undefined) problems.push({ message: "the session was never sealed" });
      for (const call of reader.calls) problems.push(...(await verifyCall(reader, call, readBlob)));
      return problems;
    },
  };
}

function findCall(reader: SessionReader, id: string): CallLine {
  const call = reader.calls.find(({ rec }) => rec.id === id);
  if (call !== undefined) return call;
  throw new ForgeError({
    boundary: "input",
    code: "no_such_call",
    message: `Session ${reader.header?.id ?? ""} has no call ${JSON.stringify(id)}.`,
    advice: "Give a record of that session.",
  });
}

async function verifyCall(
  reader: SessionReader,
  call: CallLine,
  readBlob: (address: Sha256) => Promise<Uint8Array>,
): Promise<StoreProblem[]> {
  const problems: StoreProblem[] = [];
  const { rec } = call;
  const report = (message: string): void => {
    problems.push({ callId: rec.id, message });
  };
  try {
    await reader.request(call);
    if ((await reader.requestAddress(call)) !== rec.request) report("the request differs from its address");
    const response = await reader.response(call);
    if ((response === null ? null : sha256(response)) !== rec.response) {
      report("the response differs from its address");
    }
    const tokens = reader.tokens(rec.id);
    if ((rec.complete === true) !== (tokens !== null)) report("the tokens of a complete call are missing");
    if (
      tokens !== null &&
      (tokens.prompt.length !== rec.promptLength || tokens.sampled.length !== rec.sampledLength)
    ) {
      report("the tokens differ in number from the record");
    }
    for (const { content } of tokens?.images ?? []) {
      if (sha256(await readBlob(content.sha256)) !== content.sha256) {
        report(`image ${content.sha256} differs from its address`);
      }
    }
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
  }
  return problems;
}
