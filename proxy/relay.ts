import { randomUUID } from "node:crypto";
import type { CallRecord, IncompleteReason } from "@openforgerl/contracts/call";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { Request, Response } from "express";
import { judgeCapture } from "./completeness.ts";
import type { WireDialect, WireError } from "./dialects/dialect.ts";
import {
  type Attempt,
  chunksOf,
  errorText,
  forward,
  readAll,
  type UpstreamAgents,
  type UpstreamReply,
} from "./forward.ts";
import { replyHeaders, upstreamHeaders } from "./headers.ts";
import type { CanonicalResponse } from "./messages.ts";
import { ResponseObserver } from "./observer.ts";
import { type CallPlan, planCall } from "./plan.ts";
import type { Session } from "./session.ts";
import type { EncodedRequest, ScannedBody } from "./store/request-encoder.ts";
import { type RetryPolicy, type UpstreamConfig, upstreamUrl } from "./upstream.ts";

export type Log = (level: "warn" | "error", message: string, detail: Record<string, unknown>) => void;

export interface RelayContext {
  upstreams: readonly UpstreamConfig[];
  agents: UpstreamAgents;
  retry: RetryPolicy;
  log: Log;
}

/**
 * One model call from the harness's request to its record: plan, send, pass the answer on as it arrives,
 * and note what was seen. The answer never waits for the recording.
 */
export class CallRelay {
  readonly #context: RelayContext;
  readonly #session: Session;
  readonly #dialect: WireDialect;
  readonly #body: ScannedBody;
  readonly #req: Request;
  readonly #res: Response;
  readonly #startedAt = new Date();
  readonly #started = performance.now();
  readonly #attempts: Attempt[] = [];
  /** What the harness was given. */
  readonly #given: Buffer[] = [];
  #firstByteMs: number | null = null;
  #status = 0;
  /** The fault that ended the call early, if one did. */
  #cut: IncompleteReason | undefined;
  #signal = new AbortController().signal;
  #fail: () => void = () => {};

  constructor(
    context: RelayContext,
    session: Session,
    dialect: WireDialect,
    body: ScannedBody,
    req: Request,
    res: Response,
  ) {
    this.#context = context;
    this.#session = session;
    this.#dialect = dialect;
    this.#body = body;
    this.#req = req;
    this.#res = res;
  }

  /** Resolves once the call is recorded. @param fail called before the harness learns that the call failed. */
  async run(index: number, controller: AbortController, fail: () => void): Promise<void> {
    this.#fail = fail;
    const request = this.#recordRequest();
    const plan = request && this.#plan(index);
    if (request === undefined || plan === undefined) return;
    const role = this.#session.roles.classify(this.#body);
    const { signal } = controller;
    this.#signal = signal;
    this.#res.on("error", () => controller.abort());
    this.#res.on("close", () => {
      if (!this.#res.writableFinished) controller.abort();
    });
    const reply = forward({
      agents: this.#context.agents,
      method: "POST",
      url: upstreamUrl(plan.upstream, plan.out.path + (plan.translated ? "" : queryOf(this.#req))),
      headers: upstreamHeaders(this.#req.headers, plan.upstream, plan.out),
      body: plan.body,
      retry: this.#context.retry,
      signal,
      attempts: this.#attempts,
    });
    const observer = new ResponseObserver(plan.out);
    try {
      await this.#answer(await reply, plan, observer);
    } catch (error) {
      // Clients like to hang up on the last event, before the connection ends by itself.
      if (observer.ended && this.#res.headersSent) this.#end(this.#status);
      else this.#answerFault(error, plan, signal);
      // Where we stopped reading, the upstream should stop sending.
      controller.abort();
    }
    await this.#finish(index, role, plan, request, observer);
  }

  /** The call has no whole answer. A harness that hung up had its answer, as far as it wanted it. */
  #cutShort(reason: IncompleteReason): void {
    this.#cut = reason;
    if (reason !== "client_disconnected") this.#fail();
  }

  #plan(index: number): CallPlan | undefined {
    try {
      return planCall(this.#context.upstreams, this.#dialect, this.#body, this.#session, index);
    } catch (error) {
      const bad = error instanceof ForgeError && error.boundary === "input";
      this.#fail();
      this.#sendError({ status: bad ? 400 : 500, message: errorText(error) });
      return undefined;
    }
  }

  #recordRequest(): EncodedRequest | undefined {
    try {
      return this.#session.writer.beginCall(this.#body);
    } catch (error) {
      this.#fail();
      this.#sendError({ status: 400, message: `The request body is not JSON: ${errorText(error)}` });
      return undefined;
    }
  }

  async #answer(reply: UpstreamReply, plan: CallPlan, observer: ResponseObserver): Promise<void> {
    if (reply.status >= 400) return this.#answerRefusal(reply, plan);
    const isStream = String(reply.headers["content-type"] ?? "").startsWith("text/event-stream");
    if (isStream) return this.#answerStream(reply, plan, observer);
    const bytes = await readAll(reply);
    const whole = observer.readWhole(bytes);
    if (plan.translated === undefined) {
      this.#res.writeHead(reply.status, replyHeaders(reply.headers));
      await this.#give(bytes);
    } else if (whole === undefined) {
      this.#cutShort("upstream_error");
      this.#sendError({ status: 502, message: `Upstream ${plan.upstream.id} gave no readable answer.` });
      return;
    } else {
      await this.#giveTranslated(whole, plan.translated.stream, plan.translated.capture);
    }
    this.#end(reply.status);
  }

  async #giveTranslated(whole: CanonicalResponse, stream: boolean, withCapture: boolean): Promise<void> {
    const { capture: _, ...bare } = whole;
    const response = withCapture ? whole : bare;
    if (stream) {
      this.#res.writeHead(200, STREAM_HEADERS);
      for (const text of this.#dialect.streamResponse(response)) await this.#give(Buffer.from(text));
      return;
    }
    this.#res.writeHead(200, { "content-type": "application/json" });
    await this.#give(Buffer.from(JSON.stringify(this.#dialect.printResponse(response))));
  }

  async #answerStream(reply: UpstreamReply, plan: CallPlan, observer: ResponseObserver): Promise<void> {
    const { translated } = plan;
    this.#status = reply.status;
    this.#res.writeHead(reply.status, translated ? STREAM_HEADERS : replyHeaders(reply.headers));
    const printer = this.#dialect.streamPrinter();
    for await (const chunk of chunksOf(reply)) {
      const given = translated === undefined ? this.#give(chunk) : undefined;
      const events = observer.pushChunk(chunk);
      if (observer.streamError !== undefined) this.#cutShort("upstream_error");
      await given;
      if (translated === undefined) continue;
      const text = events
        .filter((event) => translated.capture || event.type !== "tokens")
        .map((event) => printer.print(translated.capture ? event : withoutCapture(event)))
        .join("");
      if (text !== "") await this.#give(Buffer.from(text));
      if (observer.failure !== undefined) throw observer.failure;
    }
    if (observer.streamError === undefined && !observer.ended && observer.failure === undefined) {
      throw new Error("the stream ended before the answer did");
    }
    this.#end(reply.status);
  }

  /** The upstream said no: in its own bytes where it speaks the harness's dialect, else in ours. */
  async #answerRefusal(reply: UpstreamReply, plan: CallPlan): Promise<void> {
    this.#cutShort("upstream_error");
    const bytes = await readAll(reply);
    const message = errorMessage(bytes);
    if (plan.translated === undefined && message !== undefined) {
      this.#res.writeHead(reply.status, replyHeaders(reply.headers));
      await this.#give(bytes);
      this.#end(reply.status);
      return;
    }
    const { "retry-after": retryAfter } = reply.headers;
    if (retryAfter !== undefined) this.#res.setHeader("retry-after", retryAfter);
    this.#sendError({
      status: reply.status,
      message: message ?? `Upstream ${plan.upstream.id} answered ${reply.status}: ${shorten(bytes)}`,
    });
  }

  /** No answer, or half of one. */
  #answerFault(error: unknown, plan: CallPlan, signal: AbortSignal): void {
    const text = errorText(error);
    if (signal.aborted) this.#cutShort("client_disconnected");
    else this.#cutShort(this.#res.headersSent ? "upstream_reset" : "upstream_error");
    this.#context.log("warn", "model call failed", {
      session: this.#session.id,
      upstream: plan.upstream.id,
      reason: this.#cut,
      error: text,
    });
    if (this.#res.closed) {
      this.#status ||= 499;
      return;
    }
    const message = signal.aborted
      ? "The session was aborted."
      : `Upstream ${plan.upstream.id} broke off: ${text}`;
    if (!this.#res.headersSent) {
      if (signal.aborted) this.#res.setHeader("x-should-retry", "false");
      this.#sendError({ status: signal.aborted ? 409 : 502, message });
      return;
    }
    const event = Buffer.from(this.#dialect.printErrorEvent({ status: 502, message }));
    this.#given.push(event);
    this.#res.end(event);
  }

  async #give(bytes: Buffer): Promise<void> {
    this.#firstByteMs ??= performance.now() - this.#started;
    this.#given.push(bytes);
    if (this.#res.write(bytes) || this.#res.closed) return;
    await drained(this.#res, this.#signal);
  }

  #end(status: number): void {
    this.#status = status;
    this.#res.end();
  }

  #sendError(error: WireError): void {
    const bytes = Buffer.from(JSON.stringify(this.#dialect.printError(error)));
    this.#status = error.status;
    this.#res.status(error.status).type("application/json").end(bytes);
    if (this.#attempts.some(({ status }) => status !== null)) this.#given.push(bytes);
  }

  async #finish(
    index: number,
    role: CallRecord["role"],
    plan: CallPlan,
    request: EncodedRequest,
    observer: ResponseObserver,
  ): Promise<void> {
    const { capture } = observer;
    const judged = this.#judge(plan, request, observer);
    const record: Omit<CallRecord, "request" | "response"> = {
      schemaVersion: 1,
      id: randomUUID(),
      sessionId: this.#session.id,
      index,
      role,
      dialect: this.#dialect.name,
      streamed: plan.streamed,
      upstream: { id: plan.upstream.id, dialect: plan.out.name, model: plan.model },
      sampling: plan.sampling,
      promptLength: capture.promptTokenIds?.length ?? 0,
      sampledLength: capture.tokenIds?.length ?? 0,
      policyVersion: capture.policyVersion ?? null,
      finishReason: observer.finishReason,
      timing: {
        startedAt: this.#startedAt.toISOString(),
        firstByteMs: this.#firstByteMs,
        totalMs: performance.now() - this.#started,
      },
      status: this.#status,
      attempts: this.#attempts,
      complete: judged.complete,
    };
    const responseBytes = this.#given.length === 0 ? null : Buffer.concat(this.#given);
    const finished = { record, request, responseBytes, tokens: judged.tokens };
    const kept = await this.#session.writer.endCall(finished).catch((error: unknown): CallRecord => {
      this.#context.log("error", "call not recorded", { session: this.#session.id, error: errorText(error) });
      return { ...record, request: request.address, response: null, complete: "record_failed" };
    });
    this.#session.notify(kept);
  }

  #judge(
    plan: CallPlan,
    request: EncodedRequest,
    observer: ResponseObserver,
  ): ReturnType<typeof judgeCapture> {
    if (this.#cut !== undefined) return { complete: this.#cut, tokens: null };
    if (observer.failure !== undefined) {
      this.#context.log("warn", "answer not understood", {
        session: this.#session.id,
        error: errorText(observer.failure),
      });
      return { complete: "record_failed", tokens: null };
    }
    // Further answers were sampled and can't be trained on: the call is not whole.
    if (plan.choices > 1) return { complete: "length_mismatch", tokens: null };
    return judgeCapture(observer.capture, request.images, observer.outputTokens);
  }
}

const STREAM_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

function withoutCapture<E extends { type: string }>(event: E): E {
  const {
    capture: _c,
    policyVersion: _p,
    ...rest
  } = event as E & { capture?: unknown; policyVersion?: unknown };
  return rest as unknown as E;
}

/** Resolves once the client has taken what was written, or is gone, or the call is ended by `signal`. */
function drained(res: Response, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off("drain", done).off("close", done);
      signal.removeEventListener("abort", aborted);
      resolve();
    };
    // A client that reads nothing would never take the rest of the answer either.
    const aborted = (): void => {
      res.destroy();
      done();
    };
    res.on("drain", done).on("close", done);
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted);
  });
}

function queryOf(req: Request): string {
  const at = req.originalUrl.indexOf("?");
  return at === -1 ? "" : req.originalUrl.slice(at);
}

/** The message of an error body that has the dialects' common `error.message`. */
function errorMessage(bytes: Buffer): string | undefined {
  try {
    const message: unknown = JSON.parse(bytes.toString("utf8"))?.error?.message;
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

function shorten(bytes: Buffer): string {
  return bytes.toString("utf8", 0, 300);
}
