import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { CallRecord } from "@openforgerl/contracts/call";
import { ForgeError, inputError } from "@openforgerl/contracts/errors";
import type { SessionGrant, SessionOptions, SessionReport } from "@openforgerl/contracts/session";
import { UpstreamAgents } from "./forward.ts";
import type { Log } from "./relay.ts";
import { createApp } from "./routes.ts";
import { Session } from "./session.ts";
import { BlobWriter } from "./store/blobs.ts";
import { nodeFiles, type StoreFiles } from "./store/files.ts";
import type { Durability } from "./store/session-writer.ts";
import { openStore, type Store } from "./store.ts";
import { DEFAULT_RETRY, type RetryPolicy, type UpstreamConfig } from "./upstream.ts";

export type { Log } from "./relay.ts";
export type { Durability } from "./store/session-writer.ts";
export type { RetryPolicy, UpstreamConfig } from "./upstream.ts";

export interface ProxyOptions {
  /** Where recordings go; created where it is missing. */
  recordsDir: string;
  /** At least one. A call goes to the first that speaks its dialect, else to the first it can be translated for. */
  upstreams: UpstreamConfig[];
  /** Default: a free one. */
  port?: number;
  /** Default: silent. */
  log?: Log;
  /** Parts of the retry policy that differ from `DEFAULT_RETRY`. */
  retry?: Partial<RetryPolicy>;
  /** Default `fsync`: recordings of a sealed session survive a power loss. */
  durability?: Durability;
  /** Bearer token for opening and sealing sessions over HTTP; without one, there are no such routes. */
  adminToken?: string;
  /** Largest request body, bytes. Default 256 MiB. */
  maxBodyBytes?: number;
  /** The file system, for tests. */
  files?: StoreFiles;
}

/** A running proxy: the one place where model calls of rollouts pass through and are recorded. */
export interface Proxy {
  /** Base URL, without `/v1`. */
  readonly url: string;
  /** Reads what was recorded, from disk. */
  readonly store: Store;
  createSession(options: SessionOptions): Promise<SessionGrant>;
  /**
   * Ends a session: waits for its calls under way, makes its recording final and reports how it merged.
   * @throws ForgeError `proxy/disk_full`, `proxy/record_failed`; `input/no_such_session`.
   */
  sealSession(id: string): Promise<SessionReport>;
  /** Model calls of a session that the model server has answered or is answering. */
  calls(id: string): number;
  /** Hears every record of a session as it is written; returns the way to stop. */
  onCall(id: string, listener: (record: CallRecord) => void): () => void;
  /** Aborts the upstream requests of a session; later calls get 409. It can still be sealed. */
  abortSession(id: string): void;
  /** Aborts what is under way and stops listening. Unsealed sessions stay unsealed. */
  close(): Promise<void>;
}

/**
 * Starts a proxy on 127.0.0.1.
 * @throws ForgeError `input/bad_input` for bad options, `input/port_taken`.
 */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  if (options.upstreams.length === 0) {
    throw inputError("upstreams", [], "Configure at least one model server.");
  }
  const files = options.files ?? nodeFiles;
  const writer = {
    recordsDir: options.recordsDir,
    blobs: new BlobWriter(options.recordsDir, files),
    durability: options.durability ?? "fsync",
    files,
  } as const;
  const agents = new UpstreamAgents();
  const sessions = new Map<string, Session>();
  const byToken = new Map<string, Session>();
  let url = "";

  function find(id: string): Session {
    const session = sessions.get(id);
    if (session !== undefined) return session;
    throw new ForgeError({
      boundary: "input",
      code: "no_such_session",
      message: `This proxy has no session ${JSON.stringify(id)}.`,
      advice: "Create the session first; sessions of an earlier process can only be read.",
    });
  }

  function createSession(sessionOptions: SessionOptions): SessionGrant {
    const session = new Session(sessionOptions, writer);
    sessions.set(session.id, session);
    byToken.set(session.token, session);
    return { id: session.id, token: session.token, baseUrl: url };
  }

  const app = createApp({
    relay: {
      upstreams: options.upstreams,
      agents,
      retry: { ...DEFAULT_RETRY, ...options.retry },
      log: options.log ?? (() => undefined),
    },
    sessionByToken: (token) => byToken.get(token),
    sessionById: find,
    createSession,
    adminToken: options.adminToken,
    maxBodyBytes: options.maxBodyBytes ?? 256 * 1024 * 1024,
  });
  const server = createServer(app);
  // A model may think for longer than any default of Node's.
  server.requestTimeout = 0;
  // Harnesses act for longer than Node's five seconds between two calls on one connection.
  server.keepAliveTimeout = 65_000;
  server.listen(options.port ?? 0, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    throw new ForgeError({
      boundary: "input",
      code: "port_taken",
      message: `Can't listen on 127.0.0.1:${options.port ?? 0}.`,
      advice: "Choose another port, or none for a free one.",
      cause: error,
    });
  }
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    store: openStore(options.recordsDir),
    createSession: async (sessionOptions) => createSession(sessionOptions),
    sealSession: (id) => find(id).seal(),
    calls: (id) => find(id).calls,
    onCall: (id, listener) => find(id).onCall(listener),
    abortSession: (id) => find(id).abort(),
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const session of sessions.values()) session.abort();
      await Promise.all([...sessions.values()].map((session) => session.settle()));
      server.closeAllConnections();
      agents.close();
      await closed;
    },
  };
}
