import type { Kit } from "./kit.ts";

/** Page-wide facts of an observation. Runs in the page. */
export function stateKit(kit: Kit): void {
  kit.state = () => {
    const scroller = document.scrollingElement ?? document.documentElement;
    const above = scroller?.scrollTop ?? 0;
    const active = kit.activeElement();
    return {
      title: document.title,
      focused: active === null ? null : kit.describe(active),
      scroll: {
        above: Math.round(above),
        below: Math.max(0, Math.round((scroller?.scrollHeight ?? 0) - above - window.innerHeight)),
      },
      viewport: { width: window.innerWidth, height: window.innerHeight },
    };
  };

  // biome-ignore lint/performance/useDomNodeTextContent: the text as it is rendered is what is asked for.
  kit.text = () => document.body?.innerText ?? "";

  /** Every scroll position that a wheel turn at a point could change. */
  kit.scrolled = ({ x, y }) => {
    const found: number[] = [window.scrollX, window.scrollY];
    for (let at: Node | null = kit.hit(document, x, y); at !== null; at = kit.composedParent(at)) {
      if (at.nodeType === Node.ELEMENT_NODE)
        found.push((at as Element).scrollLeft, (at as Element).scrollTop);
    }
    return found;
  };
}
