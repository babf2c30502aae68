import type { CdpSession } from "./engine.ts";
import { KIT_SOURCE, type Kit, WORLD } from "./in-page/kit.ts";

type Callable = {
  [K in keyof Kit]: Kit[K] extends (arg: infer A) => infer R
    ? [A] extends [Node | Element | null | string | Text | Document]
      ? never
      : R extends Node | Element | null
        ? never
        : K
    : never;
}[keyof Kit];

/** The functions of the kit whose argument and result are plain data. */
export type KitCall = Extract<Callable, string>;
type Arg<K extends KitCall> = Kit[K] extends () => unknown ? undefined : Parameters<Kit[K]>[0];
type Result<K extends KitCall> = Kit[K] extends (...args: never[]) => infer R ? Awaited<R> : never;

/** Thrown when a call's document went away under it (navigation). */
export class DocumentGone extends Error {}

/** Our isolated world in one frame: where the kit lives. */
export class FrameWorld {
  readonly frameId: string;
  readonly session: CdpSession;
  #context: Promise<number> | undefined;

  constructor(session: CdpSession, frameId: string) {
    this.session = session;
    this.frameId = frameId;
  }

  /** Forgets the world of a document that has been replaced. */
  reset(): void {
    this.#context = undefined;
  }

  /** Calls a function of the kit with plain data. @throws DocumentGone when the document went away. */
  async call<K extends KitCall>(name: K, arg: Arg<K>): Promise<Result<K>> {
    const value = await this.#evaluate(
      `__kit.${name}(${arg === undefined ? "" : JSON.stringify(arg)})`,
      true,
    );
    return value.value as Result<K>;
  }

  /** Calls a function of the kit that returns an element, and returns its remote handle. */
  async handle(name: "element" | "fileInput" | "frameElement", arg: unknown): Promise<string | undefined> {
    const found = await this.#evaluate(`__kit.${name}(${JSON.stringify(arg)})`, false);
    return found.objectId;
  }

  async #evaluate(expression: string, returnByValue: boolean) {
    // A document that was replaced a moment ago takes its world along; the second try meets the new one.
    for (let attempt = 0; ; attempt++) {
      this.#context ??= this.#open();
      const context = await this.#context;
      try {
        const reply = await this.session.send("Runtime.evaluate", {
          expression,
          contextId: context,
          awaitPromise: true,
          returnByValue,
        });
        if (reply.exceptionDetails === undefined) return reply.result;
        const text = reply.exceptionDetails.exception?.description ?? reply.exceptionDetails.text;
        if (!text.includes("__kit is not defined")) throw new Error(text);
        throw new DocumentGone(text);
      } catch (error) {
        const lost = error instanceof DocumentGone || isContextLoss(error);
        if (!lost) throw error;
        this.#context = undefined;
        if (attempt >= 2) throw new DocumentGone("the document went away", { cause: error });
      }
    }
  }

  async #open(): Promise<number> {
    const { executionContextId } = await this.session.send("Page.createIsolatedWorld", {
      frameId: this.frameId,
      worldName: WORLD,
    });
    await this.session.send("Runtime.evaluate", { expression: KIT_SOURCE, contextId: executionContextId });
    return executionContextId;
  }
}

function isContextLoss(error: unknown): boolean {
  const message = error instanceof Error ? error.message : "";
  return /context with specified id|context was destroyed|Inspected target navigated|Promise was collected|Frame with the given frameId is not found|No frame for given id/i.test(
    message,
  );
}
