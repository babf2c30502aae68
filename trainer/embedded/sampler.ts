import { randomStream } from "../random.ts";
import { SLOTS } from "./grammar.ts";
import type { Decision } from "./policy.ts";
import { END, SLOT_BASE, VERBS } from "./tokens.ts";

/** A sampled completion. */
export interface Completion {
  tokens: number[];
  /** Natural log; see `sampleCompletion`. */
  logprobs: number[];
  stopReason: "stop" | "length";
}

/**
 * Samples a completion. A pure function of the decision, the temperature and the seed. Temperature 0 takes the
 * most probable choice each time and reports its log-probability at temperature 1; else log-probabilities are
 * those of the distribution that was drawn from.
 */
export function sampleCompletion(
  decision: Decision,
  { temperature, seed, maxTokens }: { temperature: number; seed: number; maxTokens: number },
): Completion {
  const random = randomStream(seed ^ (seed / 2 ** 32));
  const tokens: number[] = [];
  const logprobs: number[] = [];
  const draw = (from: Float32Array, base: number): number => {
    const drawn = drawChoice(from, temperature, random.next());
    tokens.push(base + drawn.choice);
    logprobs.push(drawn.logprob);
    return drawn.choice;
  };
  const cut = () => tokens.length >= maxTokens;
  if (cut()) return { tokens, logprobs, stopReason: "length" };

  const verb = VERBS[draw(decision.verb().logprobs.data, SLOT_BASE.verb)]!;
  const choices: number[] = [];
  for (const slot of SLOTS[verb]) {
    if (cut()) return { tokens, logprobs, stopReason: "length" };
    choices.push(draw(decision.argument(verb, choices)!.logprobs.data, SLOT_BASE[slot]));
  }
  if (cut()) return { tokens, logprobs, stopReason: "length" };
  tokens.push(END);
  logprobs.push(0);
  return { tokens, logprobs, stopReason: "stop" };
}

function drawChoice(
  logprobs: Float32Array,
  temperature: number,
  uniform: number,
): { choice: number; logprob: number } {
  let best = 0;
  for (let i = 1; i < logprobs.length; i++) if (logprobs[i]! > logprobs[best]!) best = i;
  if (temperature === 0) return { choice: best, logprob: logprobs[best]! };
  const weights = Array.from(logprobs, (value) => Math.exp((value - logprobs[best]!) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = uniform * total;
  let choice = best;
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i]!;
    if (left < 0) {
      choice = i;
      break;
    }
  }
  const logprob = temperature === 1 ? logprobs[choice]! : Math.log(weights[choice]! / total);
  return { choice, logprob };
}
