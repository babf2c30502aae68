import { z } from "zod";

/** Lower-case hex SHA-256 of the bytes: the name of a part in the content store. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export type Sha256 = z.infer<typeof Sha256>;

/** A reference to bytes in the content store. */
export const ContentRef = z.object({
  sha256: Sha256,
  /** Length in bytes. */
  size: z.int().nonnegative(),
  mediaType: z.string(),
});
export type ContentRef = z.infer<typeof ContentRef>;

/** An image in the content store, with its size in pixels and its relation to the real screen. */
export const ImageRef = ContentRef.extend({
  width: z.int().positive(),
  height: z.int().positive(),
  /** Image pixels per CSS pixel (browser) or per screen pixel (desktop). */
  scale: z.number().positive(),
});
export type ImageRef = z.infer<typeof ImageRef>;
