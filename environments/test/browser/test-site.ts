import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A web site for browser tests: pages by path, and a log of what reached the server. */
export interface TestSite {
  /** `http://127.0.0.1:port`. */
  origin: string;
  /** The same server under another site name, for cross-origin frames. */
  otherOrigin: string;
  /** `METHOD /path body`, in order of arrival. */
  log: string[];
  close(): Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Serves HTML by path (no query); a function handles a path by itself. `ORIGIN` and `OTHER` are replaced. */
export async function serveSite(pages: Record<string, string | Handler>): Promise<TestSite> {
  const log: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const path = new URL(request.url!, "http://x").pathname;
    log.push(`${request.method} ${path}${body === "" ? "" : ` ${body}`}`);
    const page = pages[path];
    if (page === undefined) {
      response.writeHead(404, { "content-type": "text/html" });
      response.end("<title>Not found</title><h1>Not found</h1>");
    } else if (typeof page === "function") page(request, response, body);
    else {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(`<!doctype html>${page.replaceAll("ORIGIN", origin).replaceAll("OTHER", otherOrigin)}`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const otherOrigin = `http://localhost:${port}`;
  return {
    origin,
    otherOrigin,
    log,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
