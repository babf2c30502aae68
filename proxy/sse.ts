/** One server-sent event. */
export interface SseEvent {
  /** The `event:` field; `message` where the stream named none. */
  event: string;
  data: string;
}

/**
 * Reads server-sent events (WHATWG HTML, "Server-sent events") from chunks cut anywhere: inside a UTF-8
 * sequence, a field name, or a CR LF pair. Comments, `id` and `retry` are skipped; an event that the stream
 * ended in the middle of is not given out.
 */
export class SseReader {
  readonly #decoder = new TextDecoder("utf-8");
  #line = "";
  #afterCr = false;
  #event = "";
  #data: string[] = [];

  /** The events completed by this chunk. */
  push(chunk: Uint8Array): SseEvent[] {
    const text = this.#decoder.decode(chunk, { stream: true });
    const events: SseEvent[] = [];
    let start = 0;
    for (let at = nextBreak(text, 0); at !== -1; at = nextBreak(text, start)) {
      // A LF right behind a CR that ended the line before belongs to that CR.
      const isPairedLf = text[at] === "\n" && at === start && this.#afterCr;
      this.#afterCr = text[at] === "\r";
      if (!isPairedLf) {
        const event = this.#endLine(this.#line + text.slice(start, at));
        if (event !== undefined) events.push(event);
        this.#line = "";
      }
      start = at + 1;
    }
    if (start < text.length) {
      this.#line += text.slice(start);
      this.#afterCr = false;
    }
    return events;
  }

  #endLine(line: string): SseEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const raw = colon === -1 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "event") this.#event = value;
    else if (field === "data") this.#data.push(value);
    return undefined;
  }

  #dispatch(): SseEvent | undefined {
    const event = this.#event || "message";
    const data = this.#data;
    this.#event = "";
    this.#data = [];
    return data.length === 0 ? undefined : { event, data: data.join("\n") };
  }
}

function nextBreak(text: string, from: number): number {
  const lf = text.indexOf("\n", from);
  const end = lf === -1 ? text.length : lf;
  for (let at = from; at < end; at++) if (text.charCodeAt(at) === 13) return at;
  return lf;
}

/** Prints one event; without a name the `event:` line is left out. */
export function printSse(data: unknown, event?: string): string {
  const body = typeof data === "string" ? data : JSON.stringify(data);
  return event === undefined ? `data: ${body}\n\n` : `event: ${event}\ndata: ${body}\n\n`;
}
