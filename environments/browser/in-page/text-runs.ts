import type { Kit, Rect } from "./kit.ts";

/** Gathers neighbouring text nodes into the runs a reader sees as one piece. Runs in the page. */
export function textRunsKit(kit: Kit): void {
  kit.textRuns = (emit) => {
    let block: Element | null = null;
    let nodes: Text[] = [];

    function flush(): void {
      if (nodes.length > 0 && block !== null) finish(nodes, block);
      nodes = [];
    }

    function finish(run: Text[], owner: Element): void {
      const view = owner.ownerDocument.defaultView!;
      let box: Rect | null = null;
      let anchor: Text | null = null;
      for (const node of run) {
        if (kit.fold(node.data) === "") continue;
        let seenHere = false;
        for (const rect of kit.rectsOf(node)) {
          const seen = kit.visibleRect(rect, view);
          if (seen === null) continue;
          seenHere = true;
          box = box === null ? seen : union(box, seen);
        }
        if (anchor === null && seenHere && onTop(node)) anchor = node;
      }
      if (box === null || anchor === null) return;
      const text = kit.fold(run.map((node) => node.data).join(""));
      if (text === "") return;
      const role = owner.closest("h1,h2,h3,h4,h5,h6,[role=heading]") ? "heading" : "text";
      emit(anchor, { role, name: text.length > 240 ? `${text.slice(0, 239)}…` : text, box });
    }

    /** Text that lets the pointer through cannot be hit-tested and counts as seen. */
    function onTop(node: Text): boolean {
      const parent = node.parentElement!;
      const view = parent.ownerDocument.defaultView!;
      return kit.clickPoint(node) !== null || view.getComputedStyle(parent).pointerEvents === "none";
    }

    return {
      add(node, owner) {
        if (owner !== block) flush();
        block = owner;
        nodes.push(node);
      },
      flush,
    };
  };

  function union(a: Rect, b: Rect): Rect {
    const x = Math.min(a.x, b.x);
    const y = Math.min(a.y, b.y);
    return {
      x,
      y,
      width: Math.max(a.x + a.width, b.x + b.width) - x,
      height: Math.max(a.y + a.height, b.y + b.height) - y,
    };
  }
}
