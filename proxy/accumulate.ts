import {
  type CanonicalEvent,
  type CanonicalResponse,
  type CanonicalStop,
  parseInputJson,
  type ResponsePart,
  type TokenCapture,
  type Usage,
} from "./messages.ts";

/** Folds the events of a streamed answer into the answer. */
export class ResponseAccumulator {
  /** True once the answer's own end was seen; a stream that stops earlier was cut. */
  ended = false;
  /** The model server's own error event, if it sent one. */
  error: string | undefined;
  readonly capture: TokenCapture = {};
  #id = "";
  #model = "";
  #created: number | undefined;
  #usage: Usage = { inputTokens: 0, outputTokens: 0 };
  #stop: CanonicalStop | undefined;
  #stopSequence: string | undefined;
  readonly #parts: ResponsePart[] = [];
  #toolJson = "";

  push(event: CanonicalEvent): void {
    switch (event.type) {
      case "start":
        this.#id = event.id;
        this.#model = event.model;
        this.#created = event.created;
        if (event.usage !== undefined) this.#usage = event.usage;
        Object.assign(this.capture, event.capture);
        return;
      case "text": {
        const last = this.#open("text");
        if (last?.type === "text") last.text += event.text;
        else this.#parts.push({ type: "text", text: event.text });
        return;
      }
      case "thinking": {
        const last = this.#open("thinking");
        if (last?.type === "thinking" && last.signature === undefined) last.text += event.text;
        else this.#parts.push({ type: "thinking", text: event.text });
        return;
      }
      case "thinking_signature": {
        const last = this.#open("thinking");
        if (last?.type === "thinking") last.signature = event.signature;
        return;
      }
      case "tool_start":
        this.#closeTool();
        this.#parts.push({ type: "tool_use", id: event.id, name: event.name, input: {} });
        return;
      case "tool_delta":
        this.#toolJson += event.json;
        return;
      case "tokens":
        this.#pushTokens(event.ids, event.logprobs);
        return;
      case "end":
        this.#closeTool();
        this.ended = true;
        this.#stop = event.stop;
        this.#stopSequence = event.stopSequence;
        if (event.usage !== undefined) this.#usage = { ...this.#usage, ...event.usage };
        if (event.policyVersion !== undefined) {
          const first = this.capture.policyVersion?.first ?? event.policyVersion.first;
          this.capture.policyVersion = { first, last: event.policyVersion.last };
        }
        return;
      case "error":
        this.error = event.message;
    }
  }

  /** The stop reason, once the end was seen. */
  get stop(): CanonicalStop | undefined {
    return this.#stop;
  }

  /** The answer so far. */
  response(): CanonicalResponse {
    return {
      id: this.#id,
      model: this.#model,
      ...(this.#created === undefined ? {} : { created: this.#created }),
      parts: this.#parts,
      stop: this.#stop ?? "end_turn",
      ...(this.#stopSequence === undefined ? {} : { stopSequence: this.#stopSequence }),
      usage: this.#usage,
      ...(Object.keys(this.capture).length === 0 ? {} : { capture: this.capture }),
    };
  }

  #pushTokens(ids: number[], logprobs: number[] | null): void {
    this.capture.tokenIds ??= [];
    for (const id of ids) this.capture.tokenIds.push(id);
    if (logprobs === null) return;
    this.capture.logprobs ??= [];
    for (const value of logprobs) this.capture.logprobs.push(value);
  }

  #open(type: ResponsePart["type"]): ResponsePart | undefined {
    const last = this.#parts.at(-1);
    if (last?.type === type) return last;
    this.#closeTool();
    return undefined;
  }

  #closeTool(): void {
    const last = this.#parts.at(-1);
    if (last?.type === "tool_use") last.input = parseInputJson(this.#toolJson);
    this.#toolJson = "";
  }
}
