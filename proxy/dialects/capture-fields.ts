import { z } from "zod";
import type { CapturedImage, TokenCapture } from "../messages.ts";

/** vLLM's request fields for token ids and log-probabilities; `top_logprobs: 0` because null means none. */
export const CAPTURE_FIELDS = { logprobs: true, top_logprobs: 0, return_token_ids: true } as const;

const Ids = z.array(z.int().nonnegative());

/** Wire form of `prompt_images` (our extension, in prompt order). */
const WireImage = z.object({
  sha256: z.string(),
  media_type: z.string(),
  size: z.int().nonnegative(),
  offset: z.int().nonnegative(),
  length: z.int().positive(),
  grid: z.tuple([z.int(), z.int(), z.int()]).nullish(),
  processor: z.string().nullish(),
});
const PolicyVersion = z.object({ first: z.coerce.string(), last: z.coerce.string() });

/** Capture fields as they stand on a response's root, a first chunk, or `message_start.message`. */
export const WireCapture = z.looseObject({
  prompt_token_ids: z.array(z.int()).nullish(),
  prompt_images: z.array(WireImage).nullish(),
  policy_version: PolicyVersion.nullish(),
});
export const WirePolicyVersion = PolicyVersion;
export const WireTokenIds = Ids;

type HeadCapture = Pick<TokenCapture, "promptTokenIds" | "promptImages" | "policyVersion">;

/** Reads the capture fields; undefined where there are none. */
export function parseCapture(wire: z.output<typeof WireCapture>): HeadCapture | undefined {
  const capture: HeadCapture = {};
  if (wire.prompt_token_ids) capture.promptTokenIds = wire.prompt_token_ids;
  if (wire.prompt_images) capture.promptImages = wire.prompt_images.map(parseImage);
  if (wire.policy_version) capture.policyVersion = wire.policy_version;
  return Object.keys(capture).length === 0 ? undefined : capture;
}

/** Prints the capture fields that belong at the head of an answer. */
export function printCapture(capture: HeadCapture | undefined): Record<string, unknown> {
  if (capture === undefined) return {};
  return {
    ...(capture.promptTokenIds === undefined ? {} : { prompt_token_ids: capture.promptTokenIds }),
    ...(capture.promptImages === undefined ? {} : { prompt_images: capture.promptImages.map(printImage) }),
    ...(capture.policyVersion === undefined ? {} : { policy_version: capture.policyVersion }),
  };
}

function parseImage(image: z.output<typeof WireImage>): CapturedImage {
  return {
    sha256: image.sha256,
    mediaType: image.media_type,
    size: image.size,
    offset: image.offset,
    length: image.length,
    ...(image.grid ? { grid: image.grid } : {}),
    ...(image.processor ? { processor: image.processor } : {}),
  };
}

function printImage(image: CapturedImage): z.input<typeof WireImage> {
  return {
    sha256: image.sha256,
    media_type: image.mediaType,
    size: image.size,
    offset: image.offset,
    length: image.length,
    ...(image.grid === undefined ? {} : { grid: image.grid }),
    ...(image.processor === undefined ? {} : { processor: image.processor }),
  };
}
