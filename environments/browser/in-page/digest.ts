import type { Kit } from "./kit.ts";

/** A digest of everything in the document that decides what is drawn. Runs in the page. */
export function digestKit(kit: Kit): void {
  // What is drawn by these cannot be read from the document.
  const OPAQUE = "video,audio,iframe,frame,object,embed,portal,input[type=color],:modal,:popover-open";

  kit.digest = () => {
    if (document.readyState !== "complete" || document.fullscreenElement || document.fonts.size > 0)
      return null;
    if ((CSS.highlights?.size ?? 0) > 0) return null;
    const hash = hasher();
    for (const animation of document.getAnimations()) {
      if (animation.playState === "running") return null;
      hash.add(`animation ${animation.playState} ${animation.currentTime}`);
    }
    hash.add(location.pathname + location.search + location.hash);
    const hovered = [...document.querySelectorAll(":hover")].at(-1) ?? null;
    const active = kit.activeElement();
    const roots: (Document | ShadowRoot)[] = [document];
    for (const root of roots) {
      if (root.querySelector(OPAQUE)) return null;
      const markup = "innerHTML" in root ? root.innerHTML : root.documentElement.outerHTML;
      hash.add(markup);
      const sheets = [...root.styleSheets, ...root.adoptedStyleSheets];
      const rules = sheets.map(ruleText).join("\n");
      hash.add(rules);
      if (/url\((?!["']?data:)/.test(markup + rules)) return null;
      let index = 0;
      for (const element of root.querySelectorAll("*")) {
        index += 1;
        if (element.shadowRoot) roots.push(element.shadowRoot);
        else if (element.tagName.includes("-")) return null;
        if (element.scrollTop !== 0 || element.scrollLeft !== 0)
          hash.add(`scroll ${index} ${element.scrollLeft} ${element.scrollTop}`);
        if (element === hovered) hash.add(`hover ${index}`);
        if (element === active) hash.add(`focus ${index} ${element.matches(":focus-visible")}`);
        if (/^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName)) hash.add(`${index} ${controlState(element)}`);
        else if (element.tagName === "IMG" && !readable(element as HTMLImageElement)) return null;
        else if (element.tagName === "image") return null;
        else if (element.tagName === "CANVAS" && !addCanvas(hash, element as HTMLCanvasElement)) return null;
      }
    }
    const selection = document.getSelection();
    if (selection !== null && selection.type === "Range") return null;
    return hash.end();
  };

  function ruleText(sheet: CSSStyleSheet): string {
    try {
      return `${sheet.disabled} ${sheet.media.mediaText} ${[...sheet.cssRules].map((rule) => rule.cssText).join("")}`;
    } catch {
      // A sheet of another origin cannot be read, which `url(` stands for.
      return "url(";
    }
  }

  function controlState(element: Element): string {
    const control = element as HTMLInputElement & HTMLSelectElement;
    const invalid = element.matches(":user-invalid");
    if (element.tagName === "SELECT")
      return `${[...control.options].map((option) => (option.selected ? 1 : 0)).join("")} ${invalid}`;
    const range = element === kit.activeElement() ? `${control.selectionStart}-${control.selectionEnd}` : "";
    return JSON.stringify([control.value, control.checked, control.indeterminate, invalid, range]);
  }

  function readable(image: HTMLImageElement): boolean {
    return image.complete && image.currentSrc.startsWith("data:");
  }

  /**
   * Adds what a canvas shows. One that reads as empty may be a drawing buffer that was cleared after it was
   * shown, and one with pictures of other origins cannot be read: neither can be told.
   */
  function addCanvas(hash: ReturnType<typeof hasher>, canvas: HTMLCanvasElement): boolean {
    const { width, height } = canvas;
    if (width === 0 || height === 0) return true;
    try {
      const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
      copy.drawImage(canvas, 0, 0);
      const pixels = new Uint32Array(copy.getImageData(0, 0, width, height).data.buffer);
      return hash.addWords(pixels);
    } catch {
      return false;
    }
  }

  /** 2 x 32 bits in two lanes: ample for the thousands of states that a cache holds. */
  function hasher() {
    let a = 0xdeadbeef;
    let b = 0x41c6ce57;
    function mix(length: number): void {
      a = Math.imul(a ^ (a >>> 16) ^ length, 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
      b = Math.imul(b ^ (b >>> 16) ^ length, 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
    }
    return {
      add(text: string) {
        for (let at = 0; at < text.length; at++) {
          const code = text.charCodeAt(at);
          a = Math.imul(a ^ code, 2654435761);
          b = Math.imul(b ^ code, 1597334677);
        }
        mix(text.length);
      },
      /** Returns whether any word is not zero. */
      addWords(words: Uint32Array): boolean {
        let any = 0;
        for (let at = 0; at < words.length; at++) {
          const word = words[at]!;
          any |= word;
          a = Math.imul(a ^ word, 2654435761);
          b = Math.imul(b ^ (word >>> 3) ^ (word << 29), 1597334677);
        }
        mix(words.length);
        return any !== 0;
      },
      end: () => `${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}`,
    };
  }
}
