/** A seeded stream of uniform numbers in [0, 1) (mulberry32); `state` is all that a checkpoint has to keep. */
export interface RandomStream {
  next(): number;
  state(): number;
}

/** Starts a stream from a 32-bit state. */
export function randomStream(seed: number): RandomStream {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    },
    state: () => state,
  };
}
