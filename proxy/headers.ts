import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { WireDialect } from "./dialects/dialect.ts";
import type { UpstreamConfig } from "./upstream.ts";

/** Meant for one connection only (RFC 9110, 7.6.1), or wrong once a body passes through other hands. */
const PER_CONNECTION = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "host",
  "content-length",
  "content-encoding",
]);
/** A session's token is for us alone, and answers must arrive uncompressed to be read. */
const OURS = new Set(["authorization", "x-api-key", "accept-encoding", "cookie"]);

/** The harness's headers as an upstream gets them; unknown ones pass. */
export function upstreamHeaders(
  incoming: IncomingHttpHeaders,
  upstream: UpstreamConfig,
  out: WireDialect,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(incoming)) {
    if (value !== undefined && !PER_CONNECTION.has(name) && !OURS.has(name)) headers[name] = value;
  }
  headers["content-type"] = "application/json";
  headers["accept-encoding"] = "identity";
  return Object.assign(headers, upstream.apiKey === undefined ? {} : out.authHeaders(upstream.apiKey));
}

/** An upstream's headers as the harness gets them. */
export function replyHeaders(incoming: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(incoming).filter(([name]) => !PER_CONNECTION.has(name) && name !== "set-cookie"),
  );
}

/** The tokens a caller shows: `x-api-key`, and `Authorization: Bearer`. Some clients fill both. */
export function shownTokens(headers: IncomingHttpHeaders): string[] {
  const key = headers["x-api-key"];
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? "")?.[1]?.trim();
  return [key, bearer].filter((token) => typeof token === "string" && token !== "") as string[];
}
