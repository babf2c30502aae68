import type { DialogDriver } from "./engine.ts";

/** Thrown out of a call that cannot finish while a dialog is open. The call itself goes on unheard. */
export class DialogInTheWay extends Error {}

/** The open dialogs of an episode, oldest first. A page whose dialog is open answers nothing. */
export class Dialogs {
  readonly #open: DialogDriver[] = [];
  readonly #waiting = new Set<() => void>();

  get current(): DialogDriver | undefined {
    return this.#open[0];
  }

  add(dialog: DialogDriver): void {
    this.#open.push(dialog);
    for (const wake of this.#waiting) wake();
  }

  /** Answers the oldest dialog. */
  async answer(accept: boolean, text?: string): Promise<void> {
    const dialog = this.#open.shift();
    // A dialog that went away with its page has nothing left to answer.
    await dialog?.answer(accept, text).catch(() => {});
  }

  /** @throws DialogInTheWay as soon as a dialog is open and the work is not done. */
  async race<T>(work: Promise<T>): Promise<T> {
    let wake = () => {};
    const opened = new Promise<never>((_, reject) => {
      wake = () => reject(new DialogInTheWay("a dialog is open"));
    });
    if (this.current !== undefined) wake();
    this.#waiting.add(wake);
    work.catch(() => {});
    try {
      return await Promise.race([work, opened]);
    } finally {
      this.#waiting.delete(wake);
    }
  }
}
