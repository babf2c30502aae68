import { ResponseAccumulator } from "./accumulate.ts";
import type { StreamParser, WireDialect } from "./dialects/dialect.ts";
import type { CanonicalEvent, CanonicalResponse, TokenCapture } from "./messages.ts";
import { SseReader } from "./sse.ts";

/** Reads an upstream's answer as it passes. It never throws: what it can't read, it notes in `failure`. */
export class ResponseObserver {
  readonly #dialect: WireDialect;
  readonly #reader = new SseReader();
  readonly #parser: StreamParser;
  readonly #accumulator = new ResponseAccumulator();
  #whole: CanonicalResponse | undefined;
  /** Why the answer could not be read, if it could not. */
  failure: Error | undefined;

  constructor(dialect: WireDialect) {
    this.#dialect = dialect;
    this.#parser = dialect.streamParser();
  }

  /** Reads a chunk of a stream; returns the events it completed. */
  pushChunk(chunk: Uint8Array): CanonicalEvent[] {
    if (this.failure !== undefined) return [];
    const events: CanonicalEvent[] = [];
    try {
      for (const sse of this.#reader.push(chunk)) {
        for (const event of this.#parser.push(sse)) {
          this.#accumulator.push(event);
          events.push(event);
        }
      }
    } catch (error) {
      this.failure = error as Error;
    }
    return events;
  }

  /** Reads a whole JSON answer. */
  readWhole(bytes: Buffer): CanonicalResponse | undefined {
    try {
      this.#whole = this.#dialect.parseResponse(JSON.parse(bytes.toString("utf8")));
    } catch (error) {
      this.failure = error as Error;
    }
    return this.#whole;
  }

  /** True once the answer is known to be whole. */
  get ended(): boolean {
    return this.#whole !== undefined || this.#accumulator.ended;
  }

  /** The model server's own error in the stream, if it sent one. */
  get streamError(): string | undefined {
    return this.#accumulator.error;
  }

  get capture(): TokenCapture {
    return this.#whole === undefined ? this.#accumulator.capture : (this.#whole.capture ?? {});
  }

  get finishReason(): string | null {
    return this.#whole?.stop ?? this.#accumulator.stop ?? null;
  }

  /** Sampled tokens by the server's count; 0 where it gave none. */
  get outputTokens(): number {
    return (this.#whole ?? this.#accumulator.response()).usage.outputTokens;
  }
}
