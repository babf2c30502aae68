import type { EpisodeView, Picture, ReportModel, RolloutRow } from "../model.ts";
import { curveKit } from "./curve.ts";
import { domKit } from "./dom.ts";
import { episodeKit } from "./episode.ts";
import { listKit } from "./list.ts";
import { pictureKit } from "./picture.ts";
import { startKit } from "./start.ts";

/** What the page's parts offer each other. Each kit below adds its own; they run in the page, in order. */
export interface ReportKit {
  // dom
  model: ReportModel;
  /** Makes an element: `make("p", { class: "meta" }, "text", child)`. Strings become text, never markup. */
  make<Tag extends keyof HTMLElementTagNameMap>(
    tag: Tag,
    attributes: Record<string, string>,
    ...children: (Node | string | null)[]
  ): HTMLElementTagNameMap[Tag];
  byId(id: string): HTMLElement;
  /** `good`, `bad`, or `none` for a rollout without a score. */
  tone(score: number | null): string;
  imageUrl(picture: Picture): string | undefined;
  loadEpisode(id: string): Promise<EpisodeView>;
  // picture
  drawPicture(frame: EpisodeView["frames"][number]): HTMLElement;
  // episode
  showEpisode(episode: EpisodeView, frame: number): void;
  /** Moves to the frame before (-1) or behind (+1). */
  moveFrame(by: number): void;
  onFrame(told: (episode: EpisodeView, frame: number) => void): void;
  // list
  showList(current: string | undefined): void;
  /** Rollouts that pass the filters, in order. */
  listed(): RolloutRow[];
  // curve
  watchCurve(): void;
}

const parts = [domKit, pictureKit, episodeKit, listKit, curveKit, startKit];

/** The page's script. */
export const CLIENT_SOURCE = `"use strict"; { const kit = {}; ${parts
  .map((part) => `(${part.toString()})(kit);`)
  .join("\n")} }`;
