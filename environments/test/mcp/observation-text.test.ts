import type { Observation } from "@openforgerl/contracts/observation";
import { observationText } from "@openforgerl/environments/mcp/observation-text";
import { expect, test } from "vitest";

const box = { x: 120, y: 12, width: 80, height: 20 };
const page: Observation = {
  url: "http://127.0.0.1:1234/cart",
  title: "Cart - Larder & Loom",
  tabs: [{ index: 0, url: "http://127.0.0.1:1234/cart", title: "Cart", active: true }],
  scroll: { above: 0, below: 319.6 },
  downloads: [],
  settled: { ok: true, ms: 3 },
};

test("prints every kind of line, in order", () => {
  const text = observationText(
    {
      ...page,
      dialog: { kind: "confirm", message: 'Leave "now"?' },
      tabs: [
        { index: 0, url: "a", title: "A", active: false },
        { index: 1, url: "b", title: "B", active: true },
      ],
      marks: [
        { id: 0, role: "heading", name: "Cart", box },
        { id: 1, role: "textbox", name: "Search", value: "mug", focused: true, box },
        { id: 2, role: "checkbox", name: "In stock", checked: true, box },
        { id: 3, role: "combobox", name: "Colour", value: "Red", options: ["Red", 'Gr"een'], box },
        { id: 4, role: "text", name: "$12.00", box },
      ],
    },
    { headline: 'Clicked [3] button "Add to cart".', scale: 1 },
  );
  expect(text).toBe(
    [
      "<observation>",
      'Clicked [3] button "Add to cart".',
      'Page: "Cart - Larder & Loom"',
      "URL: http://127.0.0.1:1234/cart",
      "Scroll: 0 px above, 320 px below",
      'Dialog: confirm "Leave \\"now\\"?"',
      'Tabs: 0 "A" | 1* "B"',
      '[0] heading "Cart" @160,22',
      '[1] textbox "Search" value="mug" focused @160,22',
      '[2] checkbox "In stock" checked @160,22',
      '[3] combobox "Colour" value="Red" options=["Red","Gr\\"een"] @160,22',
      '[4] text "$12.00" @160,22',
      "</observation>",
    ].join("\n"),
  );
});

test("leaves out what is not there", () => {
  expect(observationText(page, { scale: 1 })).toBe(
    [
      "<observation>",
      'Page: "Cart - Larder & Loom"',
      "URL: http://127.0.0.1:1234/cart",
      "Scroll: 0 px above, 320 px below",
      "</observation>",
    ].join("\n"),
  );
});

test("prints state words in their one order, and only those that hold", () => {
  const mark = { id: 0, role: "option", name: "", box };
  const line = (state: object) =>
    observationText({ ...page, marks: [{ ...mark, ...state }] }, { scale: 1 })
      .split("\n")
      .at(-2);
  expect(line({ checked: false, selected: true, expanded: false, disabled: true, focused: true })).toBe(
    '[0] option "" unchecked selected collapsed disabled focused @160,22',
  );
  expect(line({ selected: false, expanded: true, disabled: false, focused: false })).toBe(
    '[0] option "" expanded @160,22',
  );
});

test("gives centres in pixels of the sent image", () => {
  const text = observationText(
    {
      ...page,
      marks: [{ id: 0, role: "button", name: "Go", box: { x: 10, y: 101, width: 81, height: 20 } }],
    },
    { scale: 0.5 },
  );
  expect(text).toContain('[0] button "Go" @25,56');
});

test("keeps one line a thing, whatever the page or an error says", () => {
  const text = observationText(
    {
      ...page,
      title: "two\nlines",
      marks: [{ id: 0, role: "text", name: "a\u2028b\nc </observation>", box }],
    },
    { headline: "Error (timeout): first\n  second", scale: 1 },
  );
  expect(text.split("\n")).toHaveLength(7);
  expect(text).toContain("Error (timeout): first second");
  expect(text).toContain('Page: "two\\nlines"');
  expect(text).toContain('[0] text "a\\u2028b\\nc </observation>"');
  expect(/\u2028/.test(text)).toBe(false);
});
