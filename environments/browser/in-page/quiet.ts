import type { Kit } from "./kit.ts";

/** Tells when the document has come to rest. Runs in the page. */
export function quietKit(kit: Kit): void {
  const watched = new WeakSet<Node>();
  const observer = new MutationObserver(() => {
    kit.changes += 1;
  });
  kit.changes = 1;
  kit.watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
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

  /** Animations that will end; endless ones never come to rest and are not waited for. */
  function animating(): boolean {
    for (const animation of document.getAnimations()) {
      if (animation.playState !== "running") continue;
      const end = animation.effect?.getComputedTiming().endTime;
      if (typeof end === "number" && end !== Number.POSITIVE_INFINITY && end < 2000) return true;
    }
    return false;
  }

  kit.quiet = async ({ thorough, maxMs }) => {
    const end = performance.now() + maxMs;
    await turn();
    // Drawing on a canvas leaves no trace in the document, so such pages always get their two frames.
    const calm = kit.changes === 0 && !thorough && !animating() && document.querySelector("canvas") === null;
    if (calm) return true;
    let still = 0;
    while (performance.now() < end) {
      kit.changes = 0;
      await frame();
      still = kit.changes === 0 && !animating() ? still + 1 : 0;
      if (still >= 2) {
        kit.changes = 0;
        return true;
      }
    }
    kit.changes = 0;
    return false;
  };
}
