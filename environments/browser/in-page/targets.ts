import type { Done, Kit, MarkNode } from "./kit.ts";

/** What actions need to know about, and do to, the thing they are aimed at. Runs in the page. */
export function targetsKit(kit: Kit): void {
  const NOT_TEXT = /^(checkbox|radio|button|submit|reset|image|file|hidden)$/;
  const SET_AS_A_WHOLE = /^(date|time|month|week|datetime-local|color|range)$/;

  function gone(index: number): { ok: false; code: "mark_not_found"; message: string } {
    return {
      ok: false,
      code: "mark_not_found",
      message: `Mark ${index} is no longer on the page; look again to get fresh marks.`,
    };
  }

  const asElement = (node: MarkNode) =>
    node.nodeType === Node.ELEMENT_NODE ? (node as Element) : node.parentElement!;

  kit.locate = ({ index }) => {
    const node = kit.nodes[index];
    if (!node?.isConnected) return gone(index);
    const element = asElement(node);
    if (kit.rectsOf(node).every((rect) => kit.visibleRect(rect, element.ownerDocument.defaultView!) === null))
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const label = kit.describe(element);
    let point = kit.clickPoint(node);
    if (point === null) {
      // Text that lets the pointer through: its middle is where it can be read.
      const rect = kit.rectsOf(node)[0];
      const seen = rect && kit.visibleRect(rect, element.ownerDocument.defaultView!);
      if (!seen) return { ok: false, code: "out_of_view", message: `${label} cannot be scrolled into view.` };
      if (node === element) {
        const over = kit.hit(document, seen.x + seen.width / 2, seen.y + seen.height / 2);
        return {
          ok: false,
          code: "covered",
          message: `${label} is covered by ${over ? kit.describe(over) : "something else"}; close or move that first.`,
        };
      }
      point = { x: seen.x + seen.width / 2, y: seen.y + seen.height / 2 };
    }
    return { ok: true, ...point, ...traits(element), label };
  };

  function traits(element: Element) {
    const select = element.closest("select");
    const input = element as HTMLInputElement;
    return {
      select: isDropDown(select)
        ? [...select.options].map((option) => kit.fold(option.label || option.text))
        : null,
      file: input.tagName === "INPUT" && input.type === "file",
      draggable: element.closest("[draggable=true],a[href],img") !== null,
    };
  }

  function isDropDown(select: HTMLSelectElement | null): select is HTMLSelectElement {
    return select !== null && !select.multiple && select.size <= 1;
  }

  kit.at = ({ x, y }) => {
    const element = kit.hit(document, x, y);
    if (element === null)
      return { label: "the page", select: null, file: false, draggable: false, foreign: false };
    const foreign = /^I?FRAME$/.test(element.tagName);
    return { label: kit.describe(element), ...traits(element), foreign };
  };

  kit.element = (aim) => {
    if (!("index" in aim)) return kit.hit(document, aim.x, aim.y);
    const node = kit.nodes[aim.index];
    return node?.isConnected ? asElement(node) : null;
  };

  /** The control that stands behind a label, or the editing host behind a piece of rich text. */
  function field(element: Element): Element {
    const label = element.closest("label");
    if (label?.control && !element.closest("input,textarea,select")) return label.control;
    const host = element.closest("[contenteditable]");
    return host && (host as HTMLElement).isContentEditable ? host : element;
  }

  kit.focus = (aim) => {
    const found = kit.element(aim);
    if (found === null) return "index" in aim ? gone(aim.index) : notEditable("nothing");
    let element = field(found) as HTMLInputElement;
    if (!editable(element)) {
      const inner = element.querySelector("input,textarea,[contenteditable]") as HTMLInputElement | null;
      if (inner === null || !editable(inner)) return notEditable(kit.describe(element));
      element = inner;
    }
    if (element.matches(":disabled") || element.readOnly) {
      return {
        ok: false,
        code: "not_editable",
        message: `${kit.describe(element)} cannot be changed now (${element.readOnly ? "read-only" : "disabled"}).`,
      };
    }
    element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    element.focus({ preventScroll: true });
    if (element.tagName === "INPUT" && SET_AS_A_WHOLE.test(element.type)) return { ok: true, fill: true };
    if (aim.clear) selectAll(element);
    else toEnd(element);
    return {
      ok: true,
      empty:
        "value" in element ? element.value === "" : kit.fold((element as Element).textContent ?? "") === "",
    };
  };

  function notEditable(label: string): Done {
    return {
      ok: false,
      code: "not_editable",
      message: `${label} is not a text field; aim at a textbox, or click it.`,
    };
  }

  function editable(element: Element): boolean {
    if (element.tagName === "INPUT") return !NOT_TEXT.test((element as HTMLInputElement).type);
    return element.tagName === "TEXTAREA" || (element as HTMLElement).isContentEditable;
  }

  function selectAll(element: HTMLInputElement): void {
    if (typeof element.select === "function") element.select();
    else element.ownerDocument.getSelection()?.selectAllChildren(element);
  }

  function toEnd(element: HTMLInputElement): void {
    try {
      if (typeof element.select === "function")
        element.setSelectionRange(element.value.length, element.value.length);
      else {
        const selection = element.ownerDocument.getSelection();
        selection?.selectAllChildren(element);
        selection?.collapseToEnd();
      }
    } catch {
      // Email and number fields have no selection range; the caret is where focus put it.
    }
  }

  kit.holdPicker = (aim) => {
    const select = kit.element(aim)?.closest("select");
    if (!select) return;
    // The drop-down list of a native select is drawn outside the page, where no agent could see or reach it.
    select.addEventListener(
      "mousedown",
      (event) => {
        event.preventDefault();
        select.focus({ preventScroll: true });
      },
      { once: true },
    );
  };

  /** Writes a value as if the user had, for fields that are not typed into letter by letter. */
  kit.fill = (aim) => {
    const found = kit.element(aim);
    if (found === null) return "index" in aim ? gone(aim.index) : notEditable("nothing");
    const element = field(found) as HTMLInputElement;
    const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!;
    const before = element.value;
    setter.call(element, aim.text);
    const taken =
      element.type === "range"
        ? Number(element.value) === Number(aim.text)
        : element.value !== "" || aim.text === "";
    if (!taken || (element.type === "color" && element.value !== aim.text.toLowerCase())) {
      setter.call(element, before);
      return {
        ok: false,
        code: "invalid_action",
        message: `${kit.describe(element)} does not take ${JSON.stringify(aim.text)}; ${format(element.type)}`,
      };
    }
    fire(element);
    return { ok: true };
  };

  function format(type: string): string {
    const forms: Record<string, string> = {
      date: "write it as YYYY-MM-DD.",
      time: "write it as HH:MM.",
      month: "write it as YYYY-MM.",
      week: "write it as YYYY-Www.",
      "datetime-local": "write it as YYYY-MM-DDTHH:MM.",
      color: "write it as #rrggbb.",
      range: "write a number within its range and step.",
    };
    return forms[type] ?? "check its format.";
  }

  function fire(element: Element): void {
    element.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
    element.dispatchEvent(new Event("change", { bubbles: true }));
  }

  kit.select = (aim) => {
    const found = kit.element(aim);
    if (found === null) return "index" in aim ? gone(aim.index) : notEditable("nothing");
    const select = field(found).closest("select") ?? found.querySelector("select");
    if (select === null) {
      return {
        ok: false,
        code: "invalid_action",
        message: `${kit.describe(found)} is not a native drop-down list; click it and then click the option.`,
      };
    }
    if (select.disabled)
      return { ok: false, code: "not_editable", message: `${kit.describe(select)} is disabled.` };
    const chosen: HTMLOptionElement[] = [];
    for (const wanted of aim.options) {
      const option = findOption(select, wanted);
      if (option === undefined) {
        const labels = [...select.options]
          .slice(0, 60)
          .map((each) => JSON.stringify(kit.fold(each.label || each.text)));
        return {
          ok: false,
          code: "option_not_found",
          message: `${kit.describe(select)} has no option ${JSON.stringify(wanted)}; it has ${labels.join(", ")}.`,
        };
      }
      if (option.disabled)
        return {
          ok: false,
          code: "option_not_found",
          message: `Option ${JSON.stringify(wanted)} is disabled.`,
        };
      chosen.push(option);
    }
    if (chosen.length > 1 && !select.multiple)
      return { ok: false, code: "invalid_action", message: `${kit.describe(select)} takes one option only.` };
    select.scrollIntoView({ block: "nearest", behavior: "instant" });
    select.focus({ preventScroll: true });
    const changed = select.multiple
      ? [...select.options].some((option) => option.selected !== chosen.includes(option))
      : !chosen[0]!.selected;
    for (const option of select.options) if (select.multiple) option.selected = chosen.includes(option);
    if (!select.multiple) chosen[0]!.selected = true;
    if (changed) fire(select);
    return { ok: true };
  };

  function findOption(select: HTMLSelectElement, wanted: string): HTMLOptionElement | undefined {
    const options = [...select.options];
    const label = (option: HTMLOptionElement) => kit.fold(option.label || option.text);
    const text = kit.fold(wanted);
    return (
      options.find((option) => label(option) === text) ??
      options.find((option) => label(option).toLowerCase() === text.toLowerCase()) ??
      options.find((option) => option.value === wanted)
    );
  }

  kit.fileInput = (aim) => {
    const found = kit.element(aim);
    if (found === null) return null;
    const element = field(found) as HTMLInputElement;
    if (element.tagName === "INPUT" && element.type === "file") return element;
    return found.querySelector<HTMLInputElement>("input[type=file]");
  };
}
