import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

const httpAgent = new HttpAgent({ keepAlive: true });
const httpsAgent = new HttpsAgent({ keepAlive: true });

/**
 * Posts JSON over a kept-alive connection and reads the whole answer. Not `fetch`, which gives up on a model
 * that thinks for more than five minutes before its first byte.
 * @throws the connection's own error, or an AbortError when the signal fires.
 */
export function postJson(
  url: string,
  headers: Record<string, string>,
  body: unknown,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const bytes = Buffer.from(JSON.stringify(body));
  const isTls = url.startsWith("https:");
  return new Promise((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(url, {
      method: "POST",
      agent: isTls ? httpsAgent : httpAgent,
      headers: { "content-type": "application/json", "content-length": bytes.length, ...headers },
      signal,
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    request.end(bytes);
  });
}
