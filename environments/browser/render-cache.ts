import { createHash } from "node:crypto";
import type { BrowserSpec } from "@openforgerl/contracts/environment";
import type { Screenshot } from "@openforgerl/contracts/observation";
import type { Look } from "./frames.ts";

/**
 * First looks of deterministic self-hosted pages, so that a group of rollouts of one task draws its first picture
 * once. A picture is known when the same site, family, seed, split and surroundings drew it before, and the page is
 * verified to be what it was then: by a digest of everything in the document that decides what is drawn
 * (`in-page/digest.ts`), or, on pages that hold something the digest cannot see (frames, video …), by marks, title,
 * scroll and focus.
 *
 * Later looks are always drawn: they show the pointer's and the keyboard's doings too, and a picture that is
 * wrong once in a thousand times would be worse than a slow one.
 */
export class RenderCache {
  readonly #limit: number;
  readonly #entries = new Map<string, Screenshot>();
  #bytes = 0;
  hits = 0;
  misses = 0;

  /** @param limitBytes most bytes of images kept; the least recently used go first. */
  constructor(limitBytes = 64 * 1024 * 1024) {
    this.#limit = limitBytes;
  }

  get(key: string): Screenshot | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) {
      this.misses += 1;
      return undefined;
    }
    this.hits += 1;
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found;
  }

  put(key: string, screenshot: Screenshot): void {
    this.#drop(key);
    this.#entries.set(key, screenshot);
    this.#bytes += screenshot.bytes.byteLength;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const found = this.#entries.get(key);
    if (found === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= found.bytes.byteLength;
  }
}

/** The part of a cache that one episode may use. */
export interface EpisodeRenders {
  cache: RenderCache;
  /** What the pictures of this episode depend on besides the page. */
  surroundings: string;
}

/** An episode's view of a cache; undefined where the spec does not pin what is drawn. */
export function episodeRenders(
  cache: RenderCache | undefined,
  spec: BrowserSpec,
  drawing: unknown,
): EpisodeRenders | undefined {
  if (cache === undefined || spec.determinism === undefined || spec.start.at !== "site") return undefined;
  const { viewport, locale, timeZone, determinism, start } = spec;
  return { cache, surroundings: JSON.stringify([start, viewport, locale, timeZone, determinism, drawing]) };
}

/** The key under which the picture of an episode's first look is kept. */
export function renderKey(renders: EpisodeRenders, look: Look): string {
  const { title, scroll, focused } = look.state;
  const decides = look.digest ?? [look.marks, title, scroll, focused];
  return createHash("sha256").update(renders.surroundings).update(JSON.stringify(decides)).digest("hex");
}
