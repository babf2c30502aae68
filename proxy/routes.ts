import { ForgeError, parseInput } from "@openforgerl/contracts/errors";
import type { SessionGrant } from "@openforgerl/contracts/session";
import { SessionOptions } from "@openforgerl/contracts/session";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { estimateTokens } from "./count-tokens.ts";
import { anthropicMessages } from "./dialects/anthropic-messages.ts";
import type { WireDialect, WireError } from "./dialects/dialect.ts";
import { WIRE_DIALECTS } from "./dialects/registry.ts";
import { errorText, forward, readAll, type UpstreamReply } from "./forward.ts";
import { replyHeaders, shownTokens, upstreamHeaders } from "./headers.ts";
import { chooseUpstream } from "./plan.ts";
import { CallRelay, type RelayContext } from "./relay.ts";
import { setFields } from "./rewrite.ts";
import type { Session } from "./session.ts";
import { type ScannedBody, scanBody } from "./store/request-encoder.ts";
import { upstreamUrl } from "./upstream.ts";

export interface AppContext {
  relay: RelayContext;
  sessionByToken(token: string): Session | undefined;
  /** @throws ForgeError. */
  sessionById(id: string): Session;
  createSession(options: SessionOptions): SessionGrant;
  adminToken: string | undefined;
  maxBodyBytes: number;
}

const COUNT_TOKENS = "/v1/messages/count_tokens";

/** The proxy's HTTP routes. The path selects the dialect, the token the session. */
export function createApp(context: AppContext): Express {
  const app = express();
  app.disable("x-powered-by").disable("etag");
  const raw = express.raw({ type: () => true, limit: context.maxBodyBytes });
  for (const dialect of Object.values(WIRE_DIALECTS)) {
    app.post(dialect.path, raw, (req, res) => modelCall(context, dialect, req, res));
  }
  app.post(COUNT_TOKENS, raw, (req, res) => countTokens(context, req, res));
  app.get("/v1/models", (req, res) => listModels(context, req, res));
  app.get("/healthz", (_req, res) => res.json({ ok: true }));
  // Some harnesses probe their base URL first.
  app.get("/", (_req, res) => res.json({ ok: true }));

  if (context.adminToken !== undefined) addSessionRoutes(app, context, context.adminToken);
  app.use((req, res) => {
    sendError(res, dialectOf(req), { status: 404, message: `There is no ${req.method} ${req.path} here.` });
  });
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) => {
    context.relay.log("warn", "request refused", { path: req.path, error: errorText(error) });
    if (res.headersSent) res.destroy();
    else if (req.path.startsWith("/sessions")) sendFault(res, error);
    else sendError(res, dialectOf(req), { status: statusOf(error), message: errorText(error) });
  });
  return app;
}

/** Managing sessions from another process, for whoever shows the admin token. */
function addSessionRoutes(app: Express, context: AppContext, adminToken: string): void {
  app.post("/sessions", express.json({ type: () => true }), (req, res) => {
    requireAdmin(adminToken, req);
    const options = parseInput(SessionOptions.strict(), req.body ?? {}, "request body");
    res.status(201).json(context.createSession(options));
  });
  app.get("/sessions/:id", (req, res) => {
    requireAdmin(adminToken, req);
    const session = context.sessionById(req.params.id);
    const report = session.writer.report();
    res.json({ id: session.id, state: session.state, calls: session.calls, report });
  });
  app.post("/sessions/:id/seal", async (req, res) => {
    requireAdmin(adminToken, req);
    res.json(await context.sessionById(req.params.id).seal());
  });
}

async function modelCall(
  context: AppContext,
  dialect: WireDialect,
  req: Request,
  res: Response,
): Promise<void> {
  const session = attribute(context, dialect, req, res);
  if (session === undefined) return;
  const body = readBody(dialect, req, res);
  if (body === undefined) return;
  const refusal = session.refusal();
  if (refusal !== undefined) {
    // Client libraries try 409 and 429 again; these will never change.
    res.setHeader("x-should-retry", "false");
    sendError(res, dialect, refusal);
    return;
  }
  await session.run((index, controller, fail) =>
    new CallRelay(context.relay, session, dialect, body, req, res).run(index, controller, fail),
  );
}

function attribute(
  context: AppContext,
  dialect: WireDialect,
  req: Request,
  res: Response,
): Session | undefined {
  const tokens = shownTokens(req.headers);
  const session = tokens.map((token) => context.sessionByToken(token)).find((found) => found !== undefined);
  if (session === undefined) {
    const message =
      tokens.length === 0
        ? "No session token: send it as x-api-key or Authorization: Bearer."
        : "Unknown session token.";
    sendError(res, dialect, { status: 401, message });
  }
  return session;
}

/** A body that is no JSON object is refused here; what is in it is the model server's business. */
function readBody(dialect: WireDialect, req: Request, res: Response): ScannedBody | undefined {
  try {
    return scanBody(Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0), dialect.messagesField);
  } catch (error) {
    sendError(res, dialect, { status: 400, message: `The request body is not JSON: ${errorText(error)}` });
    return undefined;
  }
}

/** Asks the upstream where it speaks the dialect; else estimates. Not a model call, and not recorded. */
async function countTokens(context: AppContext, req: Request, res: Response): Promise<void> {
  const dialect = anthropicMessages;
  if (attribute(context, dialect, req, res) === undefined) return;
  const body = readBody(dialect, req, res);
  if (body === undefined) return;
  const { upstream, out } = chooseUpstream(context.relay.upstreams, dialect);
  if (out === dialect) {
    const model = upstream.model === undefined ? {} : { model: upstream.model };
    const reply = await ask(context, req, res, COUNT_TOKENS, setFields(body, model)).catch(() => undefined);
    if (reply !== undefined && reply.status < 400) {
      res.writeHead(reply.status, replyHeaders(reply.headers));
      res.end(await readAll(reply));
      return;
    }
  }
  const request = dialect.parseRequest(JSON.parse(body.bytes.toString("utf8")));
  res.json({ input_tokens: estimateTokens(request) });
}

/** Passes the upstream's own list on; without one, lists the models that upstreams are configured with. */
async function listModels(context: AppContext, req: Request, res: Response): Promise<void> {
  const dialect = dialectOf(req);
  if (attribute(context, dialect, req, res) === undefined) return;
  const reply = await ask(context, req, res, "/v1/models", undefined).catch(() => undefined);
  if (reply !== undefined && reply.status < 400) {
    res.writeHead(reply.status, replyHeaders(reply.headers));
    res.end(await readAll(reply));
    return;
  }
  const names = context.relay.upstreams.map(({ id, model }) => model ?? id);
  // Both dialects' fields at once: each client reads its own.
  const data = names.map((id) => ({
    id,
    object: "model",
    type: "model",
    display_name: id,
    created: 0,
    created_at: new Date(0).toISOString(),
    owned_by: "openforgerl",
  }));
  res.json({
    object: "list",
    data,
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  });
}

async function ask(
  context: AppContext,
  req: Request,
  res: Response,
  path: string,
  body: Buffer | undefined,
): Promise<UpstreamReply> {
  const { upstream, out } = chooseUpstream(context.relay.upstreams, dialectOf(req));
  const controller = new AbortController();
  res.on("close", () => controller.abort());
  const query = req.originalUrl.slice(req.path.length);
  return forward({
    agents: context.relay.agents,
    method: body === undefined ? "GET" : "POST",
    url: upstreamUrl(upstream, path + query),
    headers: upstreamHeaders(req.headers, upstream, out),
    body,
    retry: { ...context.relay.retry, attempts: 1 },
    signal: controller.signal,
    attempts: [],
  });
}

function dialectOf(req: Request): WireDialect {
  const byPath = Object.values(WIRE_DIALECTS).find(({ path }) => req.path.startsWith(path));
  if (byPath !== undefined) return byPath;
  return req.headers["anthropic-version"] === undefined
    ? (WIRE_DIALECTS["openai-chat"] ?? anthropicMessages)
    : anthropicMessages;
}

function requireAdmin(adminToken: string, req: Request): void {
  if (shownTokens(req.headers).includes(adminToken)) return;
  throw new ForgeError({
    boundary: "input",
    code: "not_admin",
    message: "Sessions are managed with the admin token.",
    advice: "Send it as Authorization: Bearer.",
  });
}

function sendError(res: Response, dialect: WireDialect, error: WireError): void {
  res.status(error.status).json(dialect.printError(error));
}

/** Faults of the session routes, which belong to no dialect. */
function sendFault(res: Response, error: unknown): void {
  const fault =
    error instanceof ForgeError
      ? error.toFault()
      : { boundary: "input", code: "bad_input", message: errorText(error) };
  res.status(statusOf(error)).json({ error: fault });
}

function statusOf(error: unknown): number {
  if (error instanceof ForgeError) {
    if (error.code === "not_admin") return 401;
    if (error.code === "no_such_session") return 404;
    return error.boundary === "input" ? 400 : 500;
  }
  const { status } = error as { status?: unknown };
  return typeof status === "number" ? status : 500;
}
