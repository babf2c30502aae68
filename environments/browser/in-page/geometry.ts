import type { Kit, MarkNode, Rect } from "./kit.ts";

/** Boxes, frames and hit-testing. Runs in the page. */
export function geometryKit(kit: Kit): void {
  /** The part of a rectangle of `view` that lies inside this frame's viewport and every frame between. */
  kit.visibleRect = (rect: Rect, view: Window): Rect | null => {
    let left = Math.max(rect.x, 0);
    let top = Math.max(rect.y, 0);
    let right = Math.min(rect.x + rect.width, view.innerWidth);
    let bottom = Math.min(rect.y + rect.height, view.innerHeight);
    for (let at = view; at !== window; at = at.parent) {
      const offset = ownOffset(at);
      left = Math.max(left + offset.x, 0);
      right = Math.min(right + offset.x, at.parent.innerWidth);
      top = Math.max(top + offset.y, 0);
      bottom = Math.min(bottom + offset.y, at.parent.innerHeight);
    }
    if (right - left < 1 || bottom - top < 1) return null;
    return { x: left, y: top, width: right - left, height: bottom - top };
  };

  function ownOffset(view: Window): { x: number; y: number } {
    const frame = view.frameElement!;
    const box = frame.getBoundingClientRect();
    const style = frame.ownerDocument.defaultView!.getComputedStyle(frame);
    return {
      x: box.x + frame.clientLeft + Number.parseFloat(style.paddingLeft),
      y: box.y + frame.clientTop + Number.parseFloat(style.paddingTop),
    };
  }

  /** Where the viewport of a same-origin descendant frame starts in this frame's viewport. */
  kit.frameOffset = (view) => {
    let x = 0;
    let y = 0;
    for (let at = view; at !== window; at = at.parent) {
      const own = ownOffset(at);
      x += own.x;
      y += own.y;
    }
    return { x, y };
  };

  /** The innermost element at a point of this frame's viewport, through shadow roots and same-origin frames. */
  kit.hit = (doc, x, y) => {
    let found = doc.elementFromPoint(x, y);
    while (found?.shadowRoot) {
      const inner = found.shadowRoot.elementFromPoint(x, y);
      if (inner === null || inner === found) break;
      found = inner;
    }
    if (found !== null && /^I?FRAME$/.test(found.tagName)) {
      const inner = (found as HTMLIFrameElement).contentDocument;
      if (inner?.defaultView) {
        const offset = ownOffset(inner.defaultView);
        return kit.hit(inner, x - offset.x, y - offset.y) ?? found;
      }
    }
    return found;
  };

  /** The parent in the composed tree: out of shadow roots, and out of frames. */
  kit.composedParent = (node) =>
    (node as Element).assignedSlot ??
    node.parentNode ??
    (node as ShadowRoot).host ??
    (node as Document).defaultView?.frameElement ??
    null;

  kit.contains = (outer, inner) => {
    for (let at: Node | null = inner; at !== null; at = kit.composedParent(at)) if (at === outer) return true;
    return false;
  };

  kit.rectsOf = (node) => {
    if (node.nodeType === Node.ELEMENT_NODE) return [...(node as Element).getClientRects()];
    const range = node.ownerDocument!.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  };

  /** A point of this frame's viewport at which the node is on top, or null where none was found. */
  kit.clickPoint = (node: MarkNode) => {
    const view = node.ownerDocument.defaultView!;
    const aim = node.nodeType === Node.ELEMENT_NODE ? (node as Element) : node.parentElement!;
    const accept = (hit: Element | null) => {
      if (hit === null) return false;
      if (kit.contains(aim, hit)) return true;
      if (node !== aim) return kit.contains(hit, aim) && hit.contains(node);
      const label = hit.closest("label");
      return label !== null && label.control === aim;
    };
    for (const rect of kit.rectsOf(node).slice(0, 4)) {
      const seen = kit.visibleRect(rect, view);
      if (seen === null) continue;
      for (const [fx, fy] of [
        [0.5, 0.5],
        [0.2, 0.5],
        [0.8, 0.5],
        [0.5, 0.2],
        [0.5, 0.8],
      ] as const) {
        const x = seen.x + seen.width * fx;
        const y = seen.y + seen.height * fy;
        if (accept(kit.hit(document, x, y))) return { x, y };
      }
    }
    return null;
  };
}
