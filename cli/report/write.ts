import { join } from "node:path";
import { writeAtomically } from "@openforgerl/orchestrator/run-folder";
import { openStore } from "@openforgerl/proxy/store";
import sharp from "sharp";
import { readEpisode } from "./episode.ts";
import type { EpisodeView, ReportModel } from "./model.ts";
import { reportPage } from "./page.ts";
import { chooseShown, rolloutRow } from "./rows.ts";
import { readRun } from "./run-data.ts";

/** Rollouts a report file shows step by step. */
const MOST_SHOWN = 40;
/** Pictures stop being put into the file at this many bytes. */
const IMAGE_BUDGET = 16 * 2 ** 20;

/**
 * Writes `report.html` into a run's folder: one file that can be mailed, opened without a server and read on
 * its own. Works at any time of a run's life; what is missing is said in the page.
 * @returns path of the file.
 * @throws ForgeError input/no_run, input/bad_input where the folder's files are damaged.
 */
export async function writeReport(runDir: string): Promise<string> {
  const run = await readRun(runDir);
  const shown = chooseShown(run.rollouts, MOST_SHOWN);
  const episodes: Record<string, EpisodeView> = {};
  for (const { rolloutId } of shown) {
    const episode = await readEpisode(runDir, rolloutId);
    if (episode) episodes[rolloutId] = episode;
  }
  const model: ReportModel = {
    mode: "file",
    rollouts: shown.filter(({ rolloutId }) => episodes[rolloutId]).map(rolloutRow),
    episodes,
    images: await embedImages(runDir, Object.values(episodes)),
  };
  const path = join(runDir, "report.html");
  await writeAtomically(path, reportPage(run, model));
  return path;
}

/** The episodes' pictures as data URLs, each once; what is missing, damaged or beyond the budget is left out. */
async function embedImages(
  runDir: string,
  episodes: readonly EpisodeView[],
): Promise<Record<string, string>> {
  const store = openStore(runDir);
  const images: Record<string, string> = {};
  let size = 0;
  for (const { picture } of episodes.flatMap(({ frames }) => frames)) {
    if (!picture || images[picture.sha256] !== undefined || size > IMAGE_BUDGET) continue;
    const bytes = await store.readBlob(picture.sha256).catch(() => undefined);
    if (bytes === undefined) continue;
    // A third of the PNG's size, and no eye can tell.
    const webp = await sharp(bytes)
      .webp({ quality: 85, effort: 3 })
      .toBuffer()
      .catch(() => undefined);
    if (webp === undefined) continue;
    images[picture.sha256] = `data:image/webp;base64,${webp.toString("base64")}`;
    size += webp.length;
  }
  return images;
}
