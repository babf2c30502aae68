import type { Sha256 } from "@openforgerl/contracts/content";
import { act, type EpisodeState, observe, startEpisode } from "./episode.ts";
import { readInstruction } from "./instruction.ts";
import type { Verb } from "./tokens.ts";

/** States kept before all are forgotten. */
const CAPACITY = 20_000;

/**
 * Episode states by what led to them, each worked out once. Equal histories give the same object, so a state
 * can stand for its history as a key.
 */
export class EpisodeMemo {
  readonly #starts = new Map<string, EpisodeState>();
  readonly #next = new Map<EpisodeState, Map<string, EpisodeState>>();

  /** Forgets all states when there are too many; call it between sequences. */
  trim(): void {
    if (this.#next.size <= CAPACITY) return;
    this.#starts.clear();
    this.#next.clear();
  }

  /** The state before the first observation. */
  start(verbs: readonly Verb[], instruction: string): EpisodeState {
    const key = `${verbs.join(" ")}|${instruction}`;
    const known = this.#starts.get(key);
    if (known) return known;
    const state = startEpisode(new Set(verbs), readInstruction(instruction));
    this.#starts.set(key, state);
    return state;
  }

  /** As `observe` of the episode. */
  observe(from: EpisodeState, lines: string, image: Sha256 | undefined): EpisodeState {
    return this.#step(from, `o${image ?? ""} ${lines}`, () => observe(from, lines, image));
  }

  /** As `act` of the episode. */
  act(from: EpisodeState, tokens: readonly number[]): EpisodeState {
    return this.#step(from, `a${tokens.join(" ")}`, () => act(from, tokens));
  }

  #step(from: EpisodeState, key: string, make: () => EpisodeState): EpisodeState {
    const steps = this.#next.get(from) ?? new Map<string, EpisodeState>();
    this.#next.set(from, steps);
    const known = steps.get(key);
    if (known) return known;
    const state = make();
    steps.set(key, state);
    return state;
  }
}
