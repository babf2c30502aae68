import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { SampledSequence } from "@openforgerl/contracts/engine";
import { asForgeError, ForgeError } from "@openforgerl/contracts/errors";
import { anthropicMessages } from "@openforgerl/proxy/dialects/anthropic-messages";
import type { WireDialect } from "@openforgerl/proxy/dialects/dialect";
import { openaiChat } from "@openforgerl/proxy/dialects/openai-chat";
import type { CanonicalRequest, CanonicalResponse } from "@openforgerl/proxy/messages";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { actionOf } from "./action.ts";
import type { EmbeddedEngine } from "./engine.ts";
import { SLOTS, unspell } from "./grammar.ts";
import { type RenderedPrompt, renderPrompt } from "./template.ts";
import { printAction } from "./tool-calls.ts";

/** A policy that answers over HTTP. */
export interface PolicyServer {
  /** Base URL, without `/v1`. */
  url: string;
  close(): Promise<void>;
}

/** Longest completion that the grammar allows, with room. */
const MAX_TOKENS = 64;
/** Conversations carry all their screenshots in each request. */
const BODY_LIMIT = "256mb";

/**
 * Serves an engine's published weights in the Anthropic Messages and the OpenAI Chat Completions dialect,
 * streaming and not, with token ids and log-probabilities where the request asks for them.
 * @throws ForgeError `trainer/port_unavailable`.
 */
export async function servePolicy(
  engine: EmbeddedEngine,
  options: { port?: number } = {},
): Promise<PolicyServer> {
  const server = policyApp(engine).listen(options.port ?? 0, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (thrown) {
    throw asForgeError(thrown, {
      boundary: "trainer",
      code: "port_unavailable",
      advice: "Choose another port, or none to get a free one.",
    });
  }
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closeServer(server) };
}

function policyApp(engine: EmbeddedEngine): Express {
  const app = express();
  app.disable("x-powered-by");
  const json = express.json({ limit: BODY_LIMIT });
  for (const dialect of [anthropicMessages, openaiChat]) {
    app.post(dialect.path, json, (req, res) => complete(engine, dialect, req, res));
    app.use(dialect.path, wireErrors(dialect));
  }
  app.post(`${anthropicMessages.path}/count_tokens`, json, async (req, res) => {
    const { tokens } = await render(engine, anthropicMessages.parseRequest(req.body));
    res.json({ input_tokens: tokens.length });
  });
  app.use(`${anthropicMessages.path}/count_tokens`, wireErrors(anthropicMessages));
  app.get("/v1/models", (_req, res) => {
    const model = { id: engine.modelName, type: "model", object: "model", display_name: "Embedded policy" };
    res.json({ object: "list", data: [model], has_more: false });
  });
  app.get("/health", (_req, res) => {
    res.json({ model: engine.modelName, policyVersion: engine.publishedVersion() });
  });
  return app;
}

async function complete(
  engine: EmbeddedEngine,
  dialect: WireDialect,
  req: Request,
  res: Response,
): Promise<void> {
  const request = dialect.parseRequest(req.body);
  const prompt = await render(engine, request);
  const { sampling } = request;
  const sampled = await engine.sample(prompt.chunks, {
    temperature: sampling.temperature ?? 1,
    seed: sampling.seed ?? randomBytes(4).readUInt32LE(),
    maxTokens: Math.min(sampling.maxTokens ?? MAX_TOKENS, MAX_TOKENS),
  });
  const response = await answer(engine, request, prompt, sampled);
  if (!request.stream) {
    res.json(dialect.printResponse(response));
    return;
  }
  res.setHeader("content-type", "text/event-stream");
  res.setHeader("cache-control", "no-cache");
  for (const text of dialect.streamResponse(response)) res.write(text);
  res.end();
}

async function render(engine: EmbeddedEngine, request: CanonicalRequest): Promise<RenderedPrompt> {
  const prompt = await renderPrompt(request, {
    memo: engine.prompts,
    imageSize: (sha256, bytes) => engine.addImage(sha256, bytes),
  });
  const { image } = prompt.state;
  if (image !== undefined && prompt.newestImage && prompt.tools.has("click_at")) {
    await engine.addImage(image, prompt.newestImage);
  }
  return prompt;
}

async function answer(
  engine: EmbeddedEngine,
  request: CanonicalRequest,
  prompt: RenderedPrompt,
  sampled: SampledSequence & { policyVersion: string },
): Promise<CanonicalResponse> {
  const { state, tools, newestImage } = prompt;
  const response: CanonicalResponse = {
    id: `msg_${randomUUID().replaceAll("-", "")}`,
    model: request.model,
    created: Math.floor(Date.now() / 1000),
    parts: [],
    stop: "max_tokens",
    usage: { inputTokens: prompt.tokens.length, outputTokens: sampled.tokens.length },
    ...(request.capture
      ? {
          capture: {
            promptTokenIds: prompt.tokens,
            tokenIds: sampled.tokens,
            logprobs: sampled.logprobs,
            policyVersion: { first: sampled.policyVersion, last: sampled.policyVersion },
            ...(prompt.images.length > 0 ? { promptImages: prompt.images } : {}),
          },
        }
      : {}),
  };
  const spelt = unspell(sampled.tokens);
  if (sampled.stopReason === "length" || !spelt || spelt.choices.length < SLOTS[spelt.verb].length)
    return response;
  const aimsByPixel = state.image !== undefined && newestImage !== undefined && tools.has("click_at");
  const size = aimsByPixel ? await engine.addImage(state.image!, newestImage) : undefined;
  const call = printAction(actionOf(spelt), state, tools, size);
  if ("text" in call) return { ...response, parts: [{ type: "text", text: call.text }], stop: "end_turn" };
  const id = `toolu_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
  return {
    ...response,
    parts: [{ type: "tool_use", id, name: call.tool, input: call.input }],
    stop: "tool_use",
  };
}

/** Answers a failure in the dialect's own shape. */
function wireErrors(dialect: WireDialect) {
  return (error: unknown, _req: Request, res: Response, next: NextFunction): void => {
    if (res.headersSent) {
      next(error);
      return;
    }
    const status = statusOf(error);
    const message =
      error instanceof ForgeError
        ? `${error.message}. ${error.advice}`
        : error instanceof Error
          ? error.message
          : String(error);
    res.status(status).json(dialect.printError({ status, message }));
  };
}

function statusOf(error: unknown): number {
  if (error instanceof ForgeError) return error.boundary === "input" ? 400 : 500;
  // Errors of the body parser carry their own status.
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  return typeof status === "number" ? status : 500;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
