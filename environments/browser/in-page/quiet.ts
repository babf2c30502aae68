import type { Kit } from "./kit.ts";

/** Tells when the document has come to rest. Runs in the page. */
export function quietKit(kit: Kit): void {
  const watched = new WeakSet<Node>();
  const documents: Document[] = [];
  const observer = new MutationObserver(() => {
    kit.changes += 1;
  });
  kit.changes = 1;
  kit.watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    if (root.nodeType === Node.DOCUMENT_NODE) documents.push(root as Document);
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  };
  kit.watch(document);
  document.addEventListener(
    "scroll",
    () => {
      kit.changes += 1;
    },
    { capture: true, passive: true },
  );

  /** A hidden page draws no frames; there a timer stands in. */
  const frame = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 250);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  /** Runs after the tasks that are due now: promise chains and zero timers of event handlers. */
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

  /**
   * Whether something moves that will come to rest; endless animations are not waited for.
   * @param hold bring all to rest now: what ends is put at its end (its events fire), what does not is
   *   held at its start.
   */
  function moving(hold: boolean): boolean {
    let found = false;
    for (const each of documents) {
      for (const animation of each.getAnimations()) {
        // Animations on other timelines follow the scroll position and rest with it.
        if (animation.playState !== "running" || animation.timeline !== each.timeline) continue;
        const end = animation.effect?.getComputedTiming().endTime;
        const ends = typeof end === "number" && end !== Number.POSITIVE_INFINITY;
        if (hold && ends) animation.finish();
        else if (hold) {
          animation.pause();
          animation.currentTime = 0;
        }
        if (hold || (ends && end < 2000)) found = true;
      }
    }
    return found;
  }

  kit.quiet = async ({ thorough, maxMs, hold }) => {
    const end = performance.now() + maxMs;
    await turn();
    // Drawing on a canvas leaves no trace in the document, so such pages always get their two frames.
    const calm = kit.changes === 0 && !thorough && !moving(hold) && document.querySelector("canvas") === null;
    if (calm) return true;
    let still = 0;
    while (performance.now() < end) {
      kit.changes = 0;
      await frame();
      still = kit.changes === 0 && !moving(hold) ? still + 1 : 0;
      if (still >= 2) {
        kit.changes = 0;
        return true;
      }
    }
    kit.changes = 0;
    return false;
  };
}
