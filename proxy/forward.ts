import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallRecord } from "@openforgerl/contracts/call";
import type { RetryPolicy } from "./upstream.ts";

/** Keep-alive connections to upstreams. */
export class UpstreamAgents {
  readonly http = new HttpAgent({ keepAlive: true });
  readonly https = new HttpsAgent({ keepAlive: true });

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }
}

/** A response whose first byte has arrived (or that is over). */
export interface UpstreamReply {
  status: number;
  headers: IncomingHttpHeaders;
  first: Buffer | undefined;
  /** The bytes behind `first`; rejects where the upstream resets the connection. */
  rest: AsyncIterator<Buffer>;
}

export type Attempt = CallRecord["attempts"][number];

export interface ForwardOptions {
  agents: UpstreamAgents;
  method: "GET" | "POST";
  url: URL;
  headers: Record<string, string | string[]>;
  body: Buffer | undefined;
  retry: RetryPolicy;
  signal: AbortSignal;
  /** Every attempt, in order, is added here. */
  attempts: Attempt[];
}

/**
 * Sends a request, and sends it again after 429, 5xx and connection errors as long as no byte of an answer
 * has arrived. Returns the last reply; rejects with the last connection error, or when the signal aborts.
 */
export async function forward(options: ForwardOptions): Promise<UpstreamReply> {
  const { retry, attempts, signal } = options;
  const begun = performance.now();
  for (let tried = 1; ; tried++) {
    const started = performance.now();
    const outcome = await attempt(options).then(
      (reply) => ({ reply, error: undefined }),
      (error: unknown) => ({ reply: undefined, error }),
    );
    const { reply, error } = outcome;
    attempts.push({
      status: reply?.status ?? null,
      error: error === undefined ? null : errorText(error),
      ms: performance.now() - started,
    });
    signal.throwIfAborted();
    const pause = pauseBefore(tried, retry, reply);
    const late = performance.now() - begun + pause > retry.totalMs;
    const transient = reply === undefined || reply.status === 429 || reply.status >= 500;
    if (!transient || tried >= retry.attempts || late) {
      if (reply === undefined) throw error;
      return reply;
    }
    // The connection can only be used again once the refusal was read to its end.
    await drain(reply?.rest);
    await sleep(pause, undefined, { signal });
  }
}

/** Milliseconds to wait: Retry-After where the server gave one, else exponential with up to 25% jitter. */
function pauseBefore(tried: number, retry: RetryPolicy, reply: UpstreamReply | undefined): number {
  const asked = reply === undefined ? undefined : retryAfterMs(reply.headers, Date.now());
  if (asked !== undefined) return asked;
  return Math.min(retry.maxMs, retry.baseMs * 2 ** (tried - 1)) * (1 - 0.25 * Math.random());
}

/** `Retry-After` (RFC 9110, seconds or a date) or `retry-after-ms`, in milliseconds from now. */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | undefined {
  const ms = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (ms >= 0) return ms;
  const value = headers["retry-after"];
  if (value === undefined || value.trim() === "") return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

async function attempt(options: ForwardOptions): Promise<UpstreamReply> {
  const response = await send(options);
  const rest = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await rest.next();
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    first: first.done ? undefined : first.value,
    rest,
  };
}

function send({ agents, method, url, headers, body, signal }: ForwardOptions): Promise<IncomingMessage> {
  const secure = url.protocol === "https:";
  const length = body === undefined ? {} : { "content-length": String(body.length) };
  const common = { method, headers: { ...headers, ...length }, signal };
  return new Promise((resolve, reject) => {
    const request: ClientRequest = secure
      ? httpsRequest(url, { ...common, agent: agents.https }, resolve)
      : httpRequest(url, { ...common, agent: agents.http }, resolve);
    request.on("error", reject);
    request.end(body);
  });
}

async function drain(rest: AsyncIterator<Buffer> | undefined): Promise<void> {
  try {
    while (rest !== undefined && !(await rest.next()).done);
  } catch {
    // The attempt is over either way, and is on record.
  }
}

/** A connection error in words; Node leaves the message of an AggregateError empty. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  return error.message || code || error.name;
}

/** The bytes of a reply as they arrive; throws where the upstream resets the connection. */
export async function* chunksOf(reply: UpstreamReply): AsyncGenerator<Buffer> {
  if (reply.first === undefined) return;
  yield reply.first;
  for (let next = await reply.rest.next(); !next.done; next = await reply.rest.next()) yield next.value;
}

/** All bytes of a reply. */
export async function readAll(reply: UpstreamReply): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(reply)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
