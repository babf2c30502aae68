import type { CollectedMark, Kit } from "./kit.ts";

/** Roles, accessible names and states, a practical subset of accname-1.2 and html-aam. Runs in the page. */
export function semanticsKit(kit: Kit): void {
  const INPUT_ROLES: Record<string, string> = {
    checkbox: "checkbox",
    radio: "radio",
    range: "slider",
    number: "spinbutton",
    search: "searchbox",
    button: "button",
    submit: "button",
    reset: "button",
    image: "button",
    file: "button",
    color: "button",
  };
  const WIDGET_ROLES = new Set(
    "button link checkbox radio switch tab option menuitem menuitemcheckbox menuitemradio textbox searchbox combobox listbox slider spinbutton treeitem gridcell".split(
      " ",
    ),
  );
  const NAMED_BY_CONTENT = new Set(
    "button link checkbox radio switch tab option menuitem menuitemcheckbox menuitemradio treeitem gridcell cell heading tooltip".split(
      " ",
    ),
  );

  kit.fold = (text) => text.replace(/\s+/g, " ").trim();

  kit.roleOf = (element) => {
    const explicit = element.getAttribute("role")?.trim().split(/\s+/)[0];
    if (explicit && explicit !== "presentation" && explicit !== "none") return explicit;
    switch (element.tagName) {
      case "A":
      case "AREA":
        return element.hasAttribute("href") ? "link" : "";
      case "BUTTON":
      case "SUMMARY":
        return "button";
      case "TEXTAREA":
        return "textbox";
      case "SELECT":
        return (element as HTMLSelectElement).multiple || (element as HTMLSelectElement).size > 1
          ? "listbox"
          : "combobox";
      case "INPUT": {
        const input = element as HTMLInputElement;
        if (input.type === "hidden") return "";
        if (input.list && /^(text|search|url|tel|email)$/.test(input.type)) return "combobox";
        return INPUT_ROLES[input.type] ?? "textbox";
      }
      case "IMG":
        return "img";
      case "H1":
      case "H2":
      case "H3":
      case "H4":
      case "H5":
      case "H6":
        return "heading";
      default:
        return (element as HTMLElement).isContentEditable && isEditingHost(element) ? "textbox" : "";
    }
  };

  function isEditingHost(element: Element): boolean {
    return !(element.parentElement?.isContentEditable ?? false);
  }

  kit.isInteractive = (element) => {
    if (WIDGET_ROLES.has(kit.roleOf(element))) return true;
    if (element.hasAttribute("onclick")) return true;
    if (element.tagName === "BODY" || element.tagName === "HTML" || element.tagName === "LABEL") return false;
    const view = element.ownerDocument.defaultView!;
    if (view.getComputedStyle(element).cursor !== "pointer") return false;
    // The cursor is inherited: only the element where it begins is the thing to click.
    const parent = kit.composedParent(element);
    return !(
      parent !== null &&
      parent.nodeType === Node.ELEMENT_NODE &&
      view.getComputedStyle(parent as Element).cursor === "pointer"
    );
  };

  kit.nameOf = (element) => kit.fold(name(element, new Set(), false)).slice(0, 160);

  function name(element: Element, seen: Set<Element>, inside: boolean): string {
    if (seen.has(element)) return "";
    seen.add(element);
    const root = element.getRootNode() as Document | ShadowRoot;
    const labelledBy = element.getAttribute("aria-labelledby");
    if (labelledBy && !inside) {
      const named = labelledBy
        .split(/\s+/)
        .map((id) => root.getElementById(id))
        .filter((found) => found !== null)
        .map((found) => name(found, new Set(seen), true))
        .join(" ");
      if (kit.fold(named)) return named;
    }
    const label = element.getAttribute("aria-label");
    if (label && kit.fold(label)) return label;
    return native(element, seen) || content(element, seen, inside) || element.getAttribute("title") || "";
  }

  function native(element: Element, seen: Set<Element>): string {
    const labels = (element as HTMLInputElement).labels;
    if (labels && labels.length > 0) {
      const named = [...labels].map((label) => content(label, new Set(seen), true)).join(" ");
      if (kit.fold(named)) return named;
    }
    if (element.tagName === "IMG" || element.tagName === "AREA") return element.getAttribute("alt") ?? "";
    if (element.tagName === "svg") return element.querySelector(":scope > title")?.textContent ?? "";
    if (element.tagName === "INPUT") {
      const input = element as HTMLInputElement;
      if (input.type === "submit") return input.value || "Submit";
      if (input.type === "reset") return input.value || "Reset";
      if (input.type === "button") return input.value;
      if (input.type === "image") return input.alt || input.value || "Submit";
      return input.placeholder || input.title || (input.type === "file" ? "Choose file" : "");
    }
    if (element.tagName === "TEXTAREA") return (element as HTMLTextAreaElement).placeholder;
    return element.getAttribute("aria-placeholder") ?? "";
  }

  /** Text of the descendants, where the role is named by them (or a label asks for it). */
  function content(element: Element, seen: Set<Element>, inside: boolean): string {
    if (/^(INPUT|SELECT|TEXTAREA|SCRIPT|STYLE|NOSCRIPT|TEMPLATE|IFRAME)$/.test(element.tagName)) return "";
    const role = kit.roleOf(element);
    if (!inside && role !== "" && !NAMED_BY_CONTENT.has(role)) return "";
    if ((element as HTMLElement).isContentEditable) return "";
    let text = "";
    const children = element.shadowRoot
      ? element.shadowRoot.childNodes
      : element.tagName === "SLOT" && (element as HTMLSlotElement).assignedNodes().length > 0
        ? (element as HTMLSlotElement).assignedNodes()
        : element.childNodes;
    for (const child of children) {
      if (text.length > 400) break;
      if (child.nodeType === Node.TEXT_NODE) text += child.textContent;
      else if (child.nodeType === Node.ELEMENT_NODE) {
        const inner = child as Element;
        if (inner.getAttribute("aria-hidden") === "true" || !inner.checkVisibility()) continue;
        const view = inner.ownerDocument.defaultView!;
        const gap = view.getComputedStyle(inner).display === "inline" ? "" : " ";
        text += inner.tagName === "BR" ? " " : gap + name(inner, seen, true) + gap;
      }
    }
    return text;
  }

  kit.states = (element, role) => {
    const found: Partial<CollectedMark> = {};
    const aria = (attribute: string) => element.getAttribute(attribute);
    const tag = element.tagName;
    if (tag === "SELECT") {
      const select = element as HTMLSelectElement;
      found.options = [...select.options].map((option) => kit.fold(option.label || option.text));
      found.value = [...select.selectedOptions]
        .map((option) => kit.fold(option.label || option.text))
        .join(", ");
    } else if (tag === "TEXTAREA") {
      found.value = (element as HTMLTextAreaElement).value;
    } else if (tag === "INPUT") {
      const input = element as HTMLInputElement;
      if (input.type === "checkbox" || input.type === "radio") found.checked = input.checked;
      else if (input.type === "file")
        found.value = [...(input.files ?? [])].map((file) => file.name).join(", ");
      else if (input.type === "password") found.value = "•".repeat(input.value.length);
      else if (INPUT_ROLES[input.type] !== "button" || input.type === "color") found.value = input.value;
    } else if ((element as HTMLElement).isContentEditable) {
      // biome-ignore lint/performance/useDomNodeTextContent: line breaks between blocks must not be lost.
      found.value = kit.fold((element as HTMLElement).innerText);
    } else if (aria("aria-valuetext") ?? aria("aria-valuenow")) {
      found.value = (aria("aria-valuetext") ?? aria("aria-valuenow"))!;
    }
    if (found.value !== undefined && found.value.length > 400) found.value = `${found.value.slice(0, 399)}…`;
    if (found.checked === undefined && aria("aria-checked") !== null)
      found.checked = aria("aria-checked") !== "false";
    if (found.checked === undefined && role === "button" && aria("aria-pressed") !== null)
      found.checked = aria("aria-pressed") !== "false";
    if (aria("aria-selected") !== null) found.selected = aria("aria-selected") === "true";
    else if (aria("aria-current") !== null && aria("aria-current") !== "false") found.selected = true;
    if (aria("aria-expanded") !== null) found.expanded = aria("aria-expanded") === "true";
    else if (tag === "SUMMARY" && element.parentElement?.tagName === "DETAILS")
      found.expanded = (element.parentElement as HTMLDetailsElement).open;
    if (element.matches(":disabled") || aria("aria-disabled") === "true") found.disabled = true;
    if (kit.activeElement() === element) found.focused = true;
    return found;
  };

  kit.activeElement = () => {
    let active = document.activeElement;
    for (;;) {
      const inner =
        active?.shadowRoot?.activeElement ??
        (active && /^I?FRAME$/.test(active.tagName)
          ? (active as HTMLIFrameElement).contentDocument?.activeElement
          : null);
      if (!inner) break;
      active = inner;
    }
    return active === null || active.tagName === "BODY" || active.tagName === "HTML" ? null : active;
  };

  kit.describe = (element) => {
    const role =
      kit.roleOf(element) || (kit.isInteractive(element) ? "button" : element.tagName.toLowerCase());
    const named = kit.nameOf(element);
    return named ? `${role} ${JSON.stringify(named)}` : role;
  };
}
