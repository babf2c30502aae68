import { type RandomStream, randomStream } from "../../../random.ts";

/** A seeded stream with the draws that tests need. */
export class Draws {
  readonly #stream: RandomStream;

  constructor(seed: number) {
    this.#stream = randomStream(seed);
    for (let i = 0; i < 3; i++) this.#stream.next();
  }

  int(from: number, to: number): number {
    return from + Math.floor(this.#stream.next() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)]!;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const all = [...items];
    for (let i = all.length - 1; i > 0; i--) {
      const j = this.int(0, i);
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all;
  }

  sample<T>(items: readonly T[], count: number): T[] {
    return this.shuffle(items).slice(0, count);
  }

  float(): number {
    return this.#stream.next();
  }
}
