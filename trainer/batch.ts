import type { Datum, ModelInputChunk } from "@openforgerl/contracts/engine";
import type { TrainingSequence } from "@openforgerl/contracts/sequence";

/**
 * Makes a training example of a recorded sequence. The rule by which an episode's advantage reaches its
 * tokens: every sampled token of every one of its sequences gets it, unscaled.
 *
 * Shapes: a sequence of L tokens gives a datum of T = L - 1 positions, targets shifted left by one.
 */
export function toDatum(sequence: TrainingSequence, advantage: number): Datum {
  const length = sequence.tokens.length - 1;
  const targetTokens = new Int32Array(length);
  const logprobs = new Float32Array(length);
  const advantages = new Float32Array(length);
  const mask = new Float32Array(length);
  for (let t = 0; t < length; t++) {
    targetTokens[t] = sequence.tokens[t + 1] ?? 0;
    if (sequence.mask[t + 1] !== 1) continue;
    mask[t] = 1;
    logprobs[t] = sequence.logprobs[t + 1] ?? 0;
    advantages[t] = advantage;
  }
  return { modelInput: toChunks(sequence, length), targetTokens, logprobs, advantages, mask };
}

function toChunks(sequence: TrainingSequence, length: number): ModelInputChunk[] {
  const chunks: ModelInputChunk[] = [];
  let at = 0;
  const text = (end: number) => {
    if (end > at) chunks.push({ type: "text", tokens: sequence.tokens.slice(at, end) });
  };
  for (const { content, offset, length: placeholders } of sequence.images) {
    text(offset);
    chunks.push({
      type: "image",
      sha256: content.sha256,
      mediaType: content.mediaType,
      length: placeholders,
    });
    at = offset + placeholders;
  }
  text(length);
  return chunks;
}
