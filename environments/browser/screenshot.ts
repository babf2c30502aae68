import type { Screenshot } from "@openforgerl/contracts/observation";
import sharp from "sharp";
import type { BrowserPage } from "./page.ts";

/** How screenshots are made. */
export interface ScreenshotOptions {
  /** Images wider than this many pixels are scaled down. */
  maxWidth?: number;
}

// Images are small and episodes run side by side: a thread pool for one image only adds waiting.
sharp.concurrency(1);

/** Captures the viewport as the browser draws it: PNG bytes in device pixels. */
export async function capture(page: BrowserPage): Promise<Buffer> {
  const shot = await page.ask(
    page.session.send("Page.captureScreenshot", { format: "png", optimizeForSpeed: true }),
  );
  return Buffer.from(shot.data, "base64");
}

/**
 * Encodes captured bytes for the agent and records their relation to the viewport.
 * @param viewportWidth CSS pixels.
 */
export async function encodeScreenshot(
  captured: Buffer,
  viewportWidth: number,
  options: ScreenshotOptions,
): Promise<Screenshot> {
  let image = sharp(captured, { sequentialRead: true }).removeAlpha();
  if (options.maxWidth !== undefined) {
    image = image.resize({ width: options.maxWidth, withoutEnlargement: true });
  }
  const { data, info } = await image
    // Level 3 is within a tenth of level 6's size at two thirds of its time; a palette costs four times
    // that and changes colours.
    .png({ compressionLevel: 3, adaptiveFiltering: false, palette: false })
    .toBuffer({ resolveWithObject: true });
  return {
    bytes: data,
    mediaType: "image/png",
    width: info.width,
    height: info.height,
    scale: info.width / viewportWidth,
  };
}

/** What a page looks like before it has drawn anything: white. */
export async function blankScreenshot(
  viewport: { width: number; height: number },
  options: ScreenshotOptions,
): Promise<Screenshot> {
  const white = await sharp({
    create: { width: viewport.width, height: viewport.height, channels: 3, background: "#ffffff" },
  })
    .png()
    .toBuffer();
  return encodeScreenshot(white, viewport.width, options);
}
