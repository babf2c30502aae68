import type { Collected, CollectedMark, Kit, MarkNode, Rect } from "./kit.ts";

/** Collects the marks of this frame and its same-origin frames, in document order. Runs in the page. */
export function marksKit(kit: Kit): void {
  const SKIP = /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|HEAD|OPTION|OPTGROUP|DATALIST|AUDIO|CANVAS|OBJECT)$/;

  kit.nodes = [];
  kit.frames = [];
  kit.frameElement = (index) => kit.frames[index];

  kit.frameBox = (index) => {
    const element = kit.frames[index];
    if (!element?.isConnected) return null;
    const view = element.ownerDocument.defaultView!;
    const outer = kit.frameOffset(view);
    const rect = element.getBoundingClientRect();
    const style = view.getComputedStyle(element);
    return {
      x: outer.x + rect.x + element.clientLeft + Number.parseFloat(style.paddingLeft),
      y: outer.y + rect.y + element.clientTop + Number.parseFloat(style.paddingTop),
      width: element.clientWidth,
      height: element.clientHeight,
    };
  };

  kit.look = ({ cap, digest }) => ({
    state: kit.state(),
    marks: cap === null ? [] : kit.collect({ cap }),
    digest: digest ? kit.digest() : null,
  });

  kit.collect = ({ cap }) => {
    const out: (Collected & { text?: boolean })[] = [];
    /** Elements that gave a mark its name; their text need not be listed again. */
    const sources: { element: Element; name: string }[] = [];
    const runs = kit.textRuns((node, mark) => add(node, mark, true));
    kit.nodes = [];
    kit.frames = [];

    function add(node: MarkNode, mark: CollectedMark, text: boolean): void {
      kit.nodes.push(node);
      out.push({ mark, index: kit.nodes.length - 1, text });
    }

    function walk(element: Element, block: Element, owners: string[], clear: boolean): void {
      if (SKIP.test(element.tagName)) return;
      const view = element.ownerDocument.defaultView!;
      const style = view.getComputedStyle(element);
      if (style.display === "none" || (style.display !== "contents" && !element.checkVisibility())) return;
      const inline = style.display.startsWith("inline") || style.display === "contents";
      const shown = style.visibility === "visible";
      const seeThrough = clear || style.opacity === "0";
      let inner = owners;
      if (/^I?FRAME$/.test(element.tagName)) {
        runs.flush();
        if (shown && !seeThrough) frame(element as HTMLIFrameElement);
        return;
      }
      if (shown && kit.isInteractive(element)) {
        const name = interactive(element, seeThrough);
        if (name !== null) inner = [...owners, name];
      } else if (shown && element.tagName === "LABEL" && standsForHidden(element as HTMLLabelElement)) {
        const name = interactive((element as HTMLLabelElement).control!, false, element);
        if (name !== null) inner = [...owners, name];
      } else if (shown && !seeThrough && element.tagName === "IMG") {
        const name = kit.nameOf(element);
        const box = visibleBox(element);
        if (
          name &&
          box !== null &&
          !owners.some((owner) => owner.includes(name)) &&
          kit.clickPoint(element)
        ) {
          runs.flush();
          add(element, { role: "img", name, box }, true);
        }
      }
      if (/^(SELECT|TEXTAREA)$/.test(element.tagName) || style.contentVisibility === "hidden") return;
      if (kit.roleOf(element) === "textbox") return;
      const owner = inline ? block : element;
      if (!inline) runs.flush();
      else if (element.tagName === "BR") return;
      const children = element.shadowRoot
        ? element.shadowRoot.childNodes
        : element.tagName === "SLOT" && (element as HTMLSlotElement).assignedNodes().length > 0
          ? (element as HTMLSlotElement).assignedNodes()
          : element.childNodes;
      if (element.shadowRoot) kit.watch(element.shadowRoot);
      for (const child of children) {
        if (child.nodeType === Node.ELEMENT_NODE) walk(child as Element, owner, inner, seeThrough);
        else if (child.nodeType === Node.TEXT_NODE && shown && !seeThrough) {
          const text = kit.fold((child as Text).data);
          // White space between two pieces of text belongs to the run, though it is nothing by itself.
          if (text === "" || !inner.some((name) => name.includes(text))) runs.add(child as Text, owner);
        }
      }
      if (!inline) runs.flush();
    }

    /** Adds a mark for a control, aimed at `at`; null where it cannot be reached. */
    function interactive(control: Element, seeThrough: boolean, at: Element = control): string | null {
      const box = visibleBox(at);
      // A see-through control is a real target only where a site laid a native input over its own drawing.
      if (box === null || (seeThrough && control.tagName !== "INPUT")) return null;
      if (kit.clickPoint(at) === null) return null;
      runs.flush();
      const role = kit.roleOf(control) || "button";
      const name = kit.nameOf(control);
      add(at, { role, name, ...kit.states(control, role), box }, false);
      const root = control.getRootNode() as Document | ShadowRoot;
      for (const id of control.getAttribute("aria-labelledby")?.split(/\s+/) ?? []) {
        const source = root.getElementById(id);
        if (source) sources.push({ element: source, name });
      }
      for (const label of (control as HTMLInputElement).labels ?? []) sources.push({ element: label, name });
      return name;
    }

    function standsForHidden(label: HTMLLabelElement): boolean {
      const control = label.control;
      if (!control || !/^(checkbox|radio|file)$/.test((control as HTMLInputElement).type)) return false;
      const box = visibleBox(control);
      return box === null || box.width * box.height < 16 || kit.clickPoint(control) === null;
    }

    function visibleBox(element: Element): Rect | null {
      const view = element.ownerDocument.defaultView!;
      let box: Rect | null = null;
      for (const rect of kit.rectsOf(element)) {
        const seen = kit.visibleRect(rect, view);
        if (seen === null) continue;
        if (box === null) box = { ...seen };
        else {
          const right = Math.max(box.x + box.width, seen.x + seen.width);
          const bottom = Math.max(box.y + box.height, seen.y + seen.height);
          box.x = Math.min(box.x, seen.x);
          box.y = Math.min(box.y, seen.y);
          box.width = right - box.x;
          box.height = bottom - box.y;
        }
      }
      return box;
    }

    function frame(element: HTMLIFrameElement): void {
      const box = visibleBox(element);
      if (box === null) return;
      const inner = element.contentDocument;
      if (inner?.body && inner.defaultView) {
        kit.watch(inner);
        walk(inner.body, inner.body, [], false);
        runs.flush();
      } else if (inner === null) {
        kit.frames.push(element);
        const index = kit.frames.length - 1;
        out.push({ frame: index, box: kit.frameBox(index)!, focused: kit.activeElement() === element });
      }
    }

    if (document.body) walk(document.body, document.body, [], false);
    runs.flush();
    const named = (item: Collected & { text?: boolean }) =>
      "mark" in item &&
      item.text === true &&
      sources.some(
        (source) =>
          source.name.includes(item.mark.name) && kit.contains(source.element, kit.nodes[item.index]!),
      );
    const kept = out.filter((item) => !named(item));
    // Past the cap, static text goes first.
    let texts = cap - kept.filter((item) => !item.text).length;
    return kept
      .filter((item) => {
        if (!item.text) return true;
        texts -= 1;
        return texts >= 0;
      })
      .slice(0, cap)
      .map(({ text: _, ...item }) => item as Collected);
  };
}
