import type { EpisodeView, ReportModel } from "../model.ts";
import type { ReportKit } from "./kit.ts";

/** Elements, data and where it comes from. Runs in the page. */
export function domKit(kit: ReportKit): void {
  kit.byId = (id) => {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page has no #${id}`);
    return element;
  };
  kit.model = JSON.parse(kit.byId("model").textContent ?? "") as ReportModel;

  kit.make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    for (const child of children) if (child !== null) element.append(child);
    return element;
  };

  kit.tone = (score) => (score === null ? "none" : score >= 0.5 ? "good" : "bad");

  kit.imageUrl = ({ sha256, mediaType }) =>
    kit.model.mode === "served"
      ? `blobs/${sha256}?type=${encodeURIComponent(mediaType)}`
      : kit.model.images[sha256];

  const loaded = new Map<string, Promise<EpisodeView>>();
  kit.loadEpisode = (id) => {
    const own = kit.model.episodes[id];
    if (own) return Promise.resolve(own);
    const known = loaded.get(id);
    if (known) return known;
    const fetched = fetch(`api/rollouts/${encodeURIComponent(id)}`).then(async (response) => {
      const body = await response.json();
      if (!response.ok) throw new Error(String(body.error));
      return body as EpisodeView;
    });
    loaded.set(id, fetched);
    // A rollout that could not be read may be there the next time it is asked for.
    fetched.catch(() => loaded.delete(id));
    return fetched;
  };
}
