import type { Datum, LossConfig } from "@openforgerl/contracts/engine";
import { ForgeError } from "@openforgerl/contracts/errors";
import { policyGradientLoss } from "../losses/policy-gradient.ts";
import type { Tensor } from "./autodiff/tape.ts";
import type { EpisodeState } from "./episode.ts";
import { SLOTS } from "./grammar.ts";
import type { Decision } from "./policy.ts";
import { flatten, type SequenceReader } from "./sequence.ts";
import { END, SLOT_BASE, tokenVerb, VERBS } from "./tokens.ts";

/** A completion in the batch: tokens [at, at + length) of a datum's sequence. */
interface Use {
  datum: number;
  /** Index of the first completion token in the whole sequence; its target stands at `at - 1`. */
  at: number;
  completion: number[];
}

/** All completions of one prompt. */
export interface DecisionGroup {
  state: EpisodeState;
  uses: Use[];
}

/** Means over the trained tokens of a batch. */
export type TokenTotals = Record<"loss" | "entropy" | "kl" | "clipFraction" | "ratio", number>;

/** Groups the trained completions of a batch by their prompt, in order of appearance. */
export function collectDecisions(
  reader: SequenceReader,
  data: readonly Datum[],
): { groups: DecisionGroup[]; tokens: number } {
  const groups = new Map<EpisodeState, DecisionGroup>();
  let tokens = 0;
  data.forEach((datum, index) => {
    const sequence = flatten(datum.modelInput);
    const last = datum.targetTokens.at(-1);
    if (last !== undefined) sequence.tokens.push(last);
    for (const { state, at, completion } of reader.read(sequence).decisions) {
      const trained = completion.filter((_, i) => datum.mask[at - 1 + i] === 1).length;
      if (trained === 0) continue;
      tokens += trained;
      const group = groups.get(state) ?? { state, uses: [] };
      group.uses.push({ datum: index, at, completion });
      groups.set(state, group);
    }
  });
  return { groups: [...groups.values()], tokens };
}

interface PassContext {
  data: readonly Datum[];
  /** Filled in: one array a datum, by target position. */
  logprobs: Float32Array[];
  /** Trained tokens of the whole batch. */
  tokens: number;
  /** Undefined: log-probabilities only. */
  loss: LossConfig | undefined;
  /** Added to. */
  totals: TokenTotals;
}

/** Works out the log-probabilities of a prompt's completions and puts the loss's gradients on the graph. */
export function scoreGroup(decision: Decision, group: DecisionGroup, context: PassContext): void {
  for (const { datum: index, at, completion } of group.uses) {
    const datum = context.data[index]!;
    const logprobs = context.logprobs[index]!;
    walk(decision, completion, at, (i, distribution, choice) => {
      const target = at - 1 + i;
      if (datum.mask[target] !== 1) return;
      logprobs[target] = distribution ? distribution.data[choice]! : 0;
      if (context.loss)
        addGradient(distribution, choice, datum, target, logprobs[target]!, context.loss, context);
    });
  }
}

function addGradient(
  distribution: Tensor | undefined,
  choice: number,
  datum: Datum,
  target: number,
  logprob: number,
  config: LossConfig,
  { tokens, totals }: PassContext,
): void {
  const part = policyGradientLoss({
    newLogprobs: Float32Array.of(logprob),
    oldLogprobs: datum.logprobs.subarray(target, target + 1),
    advantages: datum.advantages.subarray(target, target + 1),
    mask: datum.mask.subarray(target, target + 1),
    config,
    tokens,
  });
  totals.loss += part.loss;
  totals.kl += part.kl;
  totals.clipFraction += part.clipFraction;
  totals.ratio += part.ratioMean;
  if (!distribution) return;
  const { data, grad } = distribution;
  grad[choice] = grad[choice]! + part.gradLogprobs[0]!;
  // Entropy bonus: d(-H)/d log p_j = p_j (log p_j + 1), passed on through the log-softmax.
  const weight = config.entropy / tokens;
  let entropy = 0;
  for (let j = 0; j < data.length; j++) {
    const logp = data[j]!;
    if (logp === Number.NEGATIVE_INFINITY) continue;
    const p = Math.exp(logp);
    entropy -= p * logp;
    grad[j] = grad[j]! + weight * p * (logp + 1);
  }
  totals.entropy += entropy / tokens;
  totals.loss -= weight * entropy;
}

/** Visits the tokens of a completion with the distribution each was drawn from; the end token has none. */
function walk(
  decision: Decision,
  completion: readonly number[],
  at: number,
  visit: (index: number, distribution: Tensor | undefined, choice: number) => void,
): void {
  const verb = tokenVerb(completion[0] ?? -1);
  if (!verb) throw illegal(at, completion[0]);
  const step = (i: number, distribution: Tensor, choice: number) => {
    if (!(distribution.data[choice]! > Number.NEGATIVE_INFINITY)) throw illegal(at + i, completion[i]);
    visit(i, distribution, choice);
  };
  step(0, decision.verb().logprobs, VERBS.indexOf(verb));
  const choices: number[] = [];
  for (const [s, slot] of SLOTS[verb].entries()) {
    const token = completion[s + 1];
    if (token === undefined) return;
    const choice = token - SLOT_BASE[slot];
    step(s + 1, decision.argument(verb, choices)!.logprobs, choice);
    choices.push(choice);
  }
  const last = choices.length + 1;
  if (completion.length > last) {
    if (completion[last] !== END || completion.length > last + 1) throw illegal(at + last, completion[last]);
    visit(last, undefined, 0);
  }
}

function illegal(at: number, token: number | undefined): ForgeError {
  return new ForgeError({
    boundary: "trainer",
    code: "illegal_token",
    message: `token ${token} at ${at} can't have been sampled there`,
    advice: "Train the embedded policy only on sequences that were recorded from it, with the same version.",
  });
}
