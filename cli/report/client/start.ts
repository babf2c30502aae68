import type { ReportKit } from "./kit.ts";

/** Joins list, viewer, address and keyboard. Runs in the page, last. */
export function startKit(kit: ReportKit): void {
  let current: string | undefined;

  async function open(id: string, frame: number): Promise<void> {
    current = id;
    kit.showList(id);
    try {
      const episode = await kit.loadEpisode(id);
      // Another one may have been opened meanwhile.
      if (current === id) kit.showEpisode(episode, frame);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      kit.byId("viewer").replaceChildren(kit.make("p", { class: "empty" }, `It can't be shown: ${why}`));
    }
  }

  /** `#rollout=<id>&step=<n>`; steps count from 1. */
  function follow(): void {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const id = wanted.get("rollout") ?? kit.listed()[0]?.id;
    if (id === undefined) kit.showList(undefined);
    else void open(id, Math.max(1, Number(wanted.get("step")) || 1) - 1);
  }

  kit.onFrame((episode, frame) => {
    const hash = `#rollout=${encodeURIComponent(episode.id)}&step=${frame + 1}`;
    history.replaceState(null, "", hash);
  });
  window.addEventListener("hashchange", follow);
  document.addEventListener("keydown", (event) => {
    const isField = event.target instanceof Element && event.target.closest("select, input, textarea");
    if (isField || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowLeft") kit.moveFrame(-1);
    else if (event.key === "ArrowRight") kit.moveFrame(1);
    else return;
    event.preventDefault();
  });

  kit.watchCurve();
  if (kit.model.rollouts.length === 0) return;
  const opened = new URLSearchParams(location.hash.slice(1)).has("rollout");
  follow();
  if (opened) kit.byId("rollouts").scrollIntoView();
}
