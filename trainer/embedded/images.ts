import { createHash } from "node:crypto";
import type { Sha256 } from "@openforgerl/contracts/content";
import { asForgeError } from "@openforgerl/contracts/errors";
import sharp from "sharp";
import { regionFeatures } from "./regions.ts";
import { SIGHT } from "./vision.ts";

/** An image as the policy sees it. */
export interface SeenImage {
  /** Size of the encoded image in pixels. */
  width: number;
  height: number;
  /** RGB, SIGHT.width x SIGHT.height, row by row. */
  pixels: Uint8Array;
  /** What each cell of the pointing grid shows; see `regionFeatures`. */
  regions: Float32Array;
}

/** Name of the way from image bytes to pixels; a change of it makes recorded log-probabilities stale. */
export const PROCESSOR = `embedded-${SIGHT.width}x${SIGHT.height}-v2`;

/** Decoded images kept. */
const CAPACITY = 3000;

/** Decodes images, each once, by one and the same path for sampling and for training. */
export class ImageCache {
  readonly #read: (sha256: Sha256) => Promise<Uint8Array>;
  readonly #images = new Map<Sha256, Promise<SeenImage>>();

  /** @param read fetches the bytes of an image that is not in the cache. */
  constructor(read: (sha256: Sha256) => Promise<Uint8Array>) {
    this.#read = read;
  }

  /** Decodes bytes under their name. @throws ForgeError `input/bad_image` when they are no image. */
  put(sha256: Sha256, bytes: Uint8Array): Promise<SeenImage> {
    return this.#images.get(sha256) ?? this.#keep(sha256, decode(bytes, sha256));
  }

  /** Fetches and decodes an image. @throws as `put`, and whatever the fetch throws. */
  get(sha256: Sha256): Promise<SeenImage> {
    return (
      this.#images.get(sha256) ??
      this.#keep(
        sha256,
        this.#read(sha256).then((bytes) => decode(bytes, sha256)),
      )
    );
  }

  #keep(sha256: Sha256, image: Promise<SeenImage>): Promise<SeenImage> {
    const [oldest] = this.#images.keys();
    if (this.#images.size >= CAPACITY && oldest !== undefined) this.#images.delete(oldest);
    this.#images.set(sha256, image);
    // A failure must not stay in the cache.
    image.catch(() => this.#images.delete(sha256));
    return image;
  }
}

/** Name of image bytes. */
export function imageSha(bytes: Uint8Array): Sha256 {
  return createHash("sha256").update(bytes).digest("hex");
}

async function decode(bytes: Uint8Array, sha256: Sha256): Promise<SeenImage> {
  try {
    const image = sharp(bytes);
    const { width, height } = await image.metadata();
    const pixels = await image
      .resize(SIGHT.width, SIGHT.height, { fit: "fill", kernel: "linear" })
      .flatten({ background: "#ffffff" })
      .toColourspace("srgb")
      .removeAlpha()
      .raw()
      .toBuffer();
    return { width, height, pixels, regions: regionFeatures(pixels, SIGHT.width, SIGHT.height) };
  } catch (thrown) {
    throw asForgeError(thrown, {
      boundary: "input",
      code: "bad_image",
      advice: `Send image ${sha256} as a whole PNG, JPEG or WebP file.`,
    });
  }
}
