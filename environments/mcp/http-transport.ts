import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

/**
 * The SDK's transport contract over single request/response pairs: the streamable HTTP transport in its
 * stateless form with JSON answers. The SDK's own needs a fresh server and transport per request when
 * stateless, which costs more than a tool call should; one of these serves a whole episode.
 *
 * Requests are renumbered on their way in, so that clients which count from the same number can't collide.
 */
export class JsonHttpTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #waiting = new Map<RequestId, { id: RequestId; answer: (message: JSONRPCMessage) => void }>();
  #next = 0;

  async start(): Promise<void> {}

  /** Hands one message to the server; resolves to its answer, or to undefined for a notification. */
  receive(message: JSONRPCMessage): Promise<JSONRPCMessage | undefined> {
    if (!("method" in message) || !("id" in message)) {
      this.onmessage?.(message);
      return Promise.resolve(undefined);
    }
    const id = this.#next++;
    return new Promise((answer) => {
      this.#waiting.set(id, { id: message.id, answer });
      this.onmessage?.({ ...message, id });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // Notifications of the server have no stream to travel on here; ours sends none that matter.
    if (!("id" in message) || message.id === undefined) return;
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    waiting.answer({ ...message, id: waiting.id } as JSONRPCMessage);
  }

  async close(): Promise<void> {
    for (const { id, answer } of this.#waiting.values()) {
      answer({ jsonrpc: "2.0", id, error: { code: -32000, message: "The episode is over." } });
    }
    this.#waiting.clear();
    this.onclose?.();
  }
}
