import type { CallTokens, IncompleteReason, PromptImage } from "@openforgerl/contracts/call";
import type { CapturedImage, TokenCapture } from "./messages.ts";

/** Base64 images of a request, decoded, in order. */
export type RequestImages = readonly { sha256: string; size: number }[];

/** Token ids beyond this do not fit the int32 arrays that trainers use. */
const MAX_TOKEN_ID = 2 ** 31 - 1;

/**
 * Decides whether an answer's capture can be trained on. Nothing is padded or guessed: what is missing
 * makes the call incomplete for its reason.
 * @param outputTokens sampled tokens by the server's own count; 0 where it gave none.
 */
export function judgeCapture(
  capture: TokenCapture,
  requestImages: RequestImages,
  outputTokens: number,
): { complete: true; tokens: CallTokens } | { complete: IncompleteReason; tokens: null } {
  const { promptTokenIds, tokenIds, logprobs } = capture;
  if (promptTokenIds === undefined || promptTokenIds.length === 0 || tokenIds === undefined) {
    return { complete: "no_token_ids", tokens: null };
  }
  if (!promptTokenIds.every(isTokenId) || !tokenIds.every(isTokenId)) {
    return { complete: "no_token_ids", tokens: null };
  }
  if (logprobs === undefined) {
    if (tokenIds.length > 0) return { complete: "no_logprobs", tokens: null };
  } else if (logprobs.length !== tokenIds.length) {
    return { complete: "length_mismatch", tokens: null };
  }
  // Servers have been seen to leave the tokens of tool calls out of streams.
  if (outputTokens > 0 && outputTokens !== tokenIds.length)
    return { complete: "length_mismatch", tokens: null };
  const images = placeImages(capture.promptImages, requestImages, promptTokenIds.length);
  if (images === undefined) return { complete: "image_mismatch", tokens: null };
  return {
    complete: true,
    tokens: { prompt: promptTokenIds, sampled: tokenIds, logprobs: logprobs ?? [], images },
  };
}

/**
 * The prompt's images, or undefined where they can't be those of the request: the server must say where
 * they are, in order, and each must be one that the request carries (it may have left some out).
 */
function placeImages(
  captured: readonly CapturedImage[] | undefined,
  request: RequestImages,
  promptLength: number,
): PromptImage[] | undefined {
  if (captured === undefined) return request.length === 0 ? [] : undefined;
  const placed: PromptImage[] = [];
  let next = 0;
  let free = 0;
  for (const image of captured) {
    while (next < request.length && request[next]?.sha256 !== image.sha256) next++;
    const source = request[next++];
    if (source === undefined || source.size !== image.size) return undefined;
    if (image.offset < free || image.offset + image.length > promptLength) return undefined;
    free = image.offset + image.length;
    placed.push({
      content: { sha256: image.sha256, size: image.size, mediaType: image.mediaType },
      offset: image.offset,
      length: image.length,
      ...(image.grid === undefined ? {} : { grid: image.grid }),
      ...(image.processor === undefined ? {} : { processor: image.processor }),
    });
  }
  return placed;
}

function isTokenId(id: number): boolean {
  return Number.isInteger(id) && id >= 0 && id <= MAX_TOKEN_ID;
}
