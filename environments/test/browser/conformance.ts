import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ActionInput } from "@openforgerl/contracts/action";
import { type BrowserSpec, type Environment, EnvironmentSpec } from "@openforgerl/contracts/environment";
import type { Mark, Observation } from "@openforgerl/contracts/observation";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { EpisodeExtras } from "../../browser/pool.ts";
import { pages } from "./pages.ts";
import { killRenderers } from "./processes.ts";
import { serveSite, type TestSite } from "./test-site.ts";

/** How an implementation under test opens an episode. */
export interface Engine {
  open(spec: BrowserSpec, url: string, extras?: EpisodeExtras): Promise<Environment>;
  close(): Promise<void>;
}

export function browserSpec(url: string, more: Partial<BrowserSpec> = {}): BrowserSpec {
  return EnvironmentSpec.parse({
    kind: "browser",
    viewport: { width: 640, height: 480 },
    start: { at: "url", url },
    ...more,
  });
}

/** What every browser environment must do, whatever engine it is built on. */
export function describeBrowserConformance(name: string, start: () => Promise<Engine>): void {
  describe(`browser environment on ${name}`, () => {
    let engine: Engine;
    let site: TestSite;
    let env: Environment | undefined;

    beforeAll(async () => {
      [engine, site] = await Promise.all([start(), serveSite(pages)]);
    });
    afterAll(async () => {
      await engine?.close();
      await site?.close();
    });
    afterEach(async () => {
      await env?.close();
      env = undefined;
    });

    async function open(path: string, more: Partial<BrowserSpec> = {}, extras?: EpisodeExtras) {
      env = await engine.open(browserSpec(site.origin + path, more), site.origin + path, extras);
      return env;
    }
    const look = () => env!.observe();
    const text = async () => (await env!.probe({ type: "page_text" })) as { value: string };
    const line = (mark: Mark) => `${mark.role} ${mark.name}`;
    const find = (seen: Observation, wanted: string) => {
      const found = seen.marks!.find((mark) => line(mark) === wanted);
      if (!found) throw new Error(`no mark ${wanted} among ${seen.marks!.map(line).join(" | ")}`);
      return { by: "mark" as const, mark: found.id };
    };
    /** Acts on the mark that reads so in a fresh look. */
    const on = async (wanted: string, action: (at: { by: "mark"; mark: number }) => ActionInput) =>
      await env!.act(action(find(await look(), wanted)));
    const click = (wanted: string) => on(wanted, (at) => ({ type: "click", at }));

    describe("marks", () => {
      it("names and describes what is on the page, in document order", async () => {
        await open("/names", { viewport: { width: 900, height: 900 } });
        const { marks } = await look();
        const seen = marks!.map(({ id: _, box: __, ...mark }) => mark);
        expect(seen).toEqual([
          { role: "heading", name: "Section one" },
          { role: "textbox", name: "Given name", value: "Ada" },
          { role: "textbox", name: "Wrapped", value: "" },
          { role: "searchbox", name: "Search the shop", value: "" },
          { role: "textbox", name: "Secret", value: "•••" },
          { role: "textbox", name: "Billing street", value: "" },
          { role: "button", name: "Close" },
          { role: "button", name: "Cart" },
          { role: "button", name: "Only a title" },
          { role: "combobox", name: "Colour", options: ["Red", "Green", "Blue"], value: "Green" },
          { role: "checkbox", name: "In stock", checked: true },
          { role: "radio", name: "Express", checked: false },
          { role: "button", name: "Menu", expanded: false },
          { role: "button", name: "Pay", disabled: true },
          { role: "tab", name: "Details", selected: true },
          { role: "button", name: "More", expanded: false },
          { role: "textbox", name: "Notes", value: "line" },
          { role: "textbox", name: "Editor", value: "draft" },
          { role: "button", name: "Plain clickable" },
          { role: "button", name: "Pointer card" },
          { role: "text", name: "Some bold prose with a" },
          { role: "link", name: "link inside" },
          { role: "text", name: "and an end." },
        ]);
        expect(marks!.map((mark) => mark.id)).toEqual(marks!.map((_, at) => at));
      });

      it("leaves out what is covered or outside the viewport", async () => {
        await open("/covered");
        expect((await look()).marks!.map(line)).toEqual(["button Free"]);
      });

      it("inlines open shadow roots and slots", async () => {
        await open("/shadow");
        expect((await look()).marks!.map(line)).toEqual([
          "heading Outside",
          "button In shadow",
          "text Slotted words",
          "text After",
        ]);
        await click("button In shadow");
        expect((await look()).title).toBe("shadow clicked");
      });

      it("inlines frames of the same and of another origin, boxes in the top-level viewport", async () => {
        await open("/frames");
        const seen = await look();
        expect(seen.marks!.map(line)).toEqual([
          "button Before",
          "button Inner button",
          "textbox Inner field",
          "button Between",
          "button Inner button",
          "textbox Inner field",
          "button After",
        ]);
        const [before, inner, , between, foreign] = seen.marks!;
        expect(inner!.box.x).toBeCloseTo(8, 0);
        expect(inner!.box.y).toBeCloseTo(before!.box.y + before!.box.height + 8, 0);
        expect(foreign!.box.x).toBeCloseTo(8, 0);
        expect(foreign!.box.y).toBeCloseTo(between!.box.y + between!.box.height + 8, 0);
        for (const frame of [1, 4]) {
          await env!.act({ type: "click", at: { by: "mark", mark: frame } });
          expect((await look()).marks![frame]!.name).toBe("Pressed");
          await env!.act({ type: "type", text: "Hi", into: { by: "mark", mark: frame + 1 } });
          expect((await look()).marks![frame + 1]).toMatchObject({ value: "Hi", focused: true });
        }
        expect((await look()).focused).toBe('textbox "Inner field"');
      });

      it("keeps to 150 marks and drops static text first", async () => {
        await open("/many");
        const { marks } = await look();
        expect(marks).toHaveLength(150);
        expect(marks!.filter((mark) => mark.role === "button")).toHaveLength(100);
        expect(marks![149]!.name).toBe("b99");
      });
    });

    describe("screenshots", () => {
      it("are PNG images that carry their scale", async () => {
        await open("/");
        const { screenshot } = await look();
        const info = await sharp(screenshot!.bytes).metadata();
        expect(info).toMatchObject({ format: "png", width: 640, height: 480 });
        expect(screenshot).toMatchObject({ width: 640, height: 480, scale: 1, mediaType: "image/png" });
      });

      it("are right on a dense screen and with a width limit", async () => {
        await open("/covered", {}, { deviceScaleFactor: 2 });
        const dense = (await look()).screenshot!;
        expect(dense).toMatchObject({ width: 1280, height: 960, scale: 2 });
        await env!.close();
        await open("/covered", {}, { deviceScaleFactor: 2, maxScreenshotWidth: 320 });
        const small = (await look()).screenshot!;
        expect(small).toMatchObject({ width: 320, height: 240, scale: 0.5 });
        // The veil is 300 x 80 CSS pixels of #eeeeee.
        for (const shot of [dense, small]) {
          const { data, info } = await sharp(shot.bytes).raw().toBuffer({ resolveWithObject: true });
          const at = (x: number, y: number) =>
            data[(Math.round(y * shot.scale) * info.width + Math.round(x * shot.scale)) * info.channels]!;
          expect([at(290, 70), at(310, 70), at(290, 92)]).toEqual([0xee, 0xff, 0xff]);
        }
      });

      it("are left out, like marks, when not wanted", async () => {
        await open("/");
        const seen = await env!.observe({ screenshot: false, marks: false });
        expect(seen).not.toHaveProperty("screenshot");
        expect(seen).not.toHaveProperty("marks");
        expect(seen).toMatchObject({ title: "Home", url: `${site.origin}/` });
      });
    });

    it("prints the accessibility tree on request", async () => {
      await open("/names");
      const { axTree } = await env!.observe({ axTree: true, screenshot: false, marks: false });
      expect(axTree).toContain('heading "Section one" level=2');
      expect(axTree).toContain('textbox "Given name" value="Ada"');
      expect(axTree).toContain('checkbox "In stock" checked');
      expect(axTree).not.toContain("Not shown");
    });

    describe("pointer", () => {
      it("clicks points with any button and count", async () => {
        await open("/events");
        const at = { by: "point" as const, x: 50, y: 60 };
        expect(await env!.act({ type: "click", at })).toEqual({ ok: true });
        await env!.act({ type: "click", at, count: 2 });
        await env!.act({ type: "click", at, button: "right" });
        const { value } = await text();
        expect(value).toContain("mouseover@50,60 click@50,60 click@50,60 click@50,60 dblclick@50,60");
        expect(value).toContain("contextmenu@50,60");
      });

      it("hovers", async () => {
        await open("/events");
        await on("button Pad", (at) => ({ type: "hover", at }));
        expect((await text()).value.trim()).toBe("mouseover@100,50");
      });

      it("scrolls a mark into view before it clicks it", async () => {
        await open("/tall");
        await look();
        const seen = await look();
        expect(seen.scroll.above).toBe(0);
        expect(seen.scroll.below).toBeGreaterThan(1500);
        await env!.act({ type: "scroll", dy: 5000 });
        const bottom = find(await look(), "button Bottom");
        await env!.act({ type: "press", keys: "Home" });
        expect((await env!.observe({ marks: false })).scroll.above).toBe(0);
        expect(await env!.act({ type: "click", at: bottom })).toEqual({ ok: true });
        expect((await look()).focused).toBe('button "Bottom"');
      });

      it("drags natively and by hand", async () => {
        await open("/drag");
        const seen = await look();
        const dragged = await env!.act({
          type: "drag",
          from: find(seen, "button Card"),
          to: find(seen, "button Bin"),
        });
        expect(dragged).toEqual({ ok: true });
        expect((await text()).value).toContain("dropped card");
        const knob = find(await look(), "button Knob");
        await env!.act({ type: "drag", from: knob, to: { by: "point", x: 140, y: 120 } });
        expect((await text()).value).toContain("moved 100");
      });

      it("says why it cannot click", async () => {
        await open("/covering");
        expect(await env!.act({ type: "click", at: { by: "mark", mark: 0 } })).toMatchObject({
          ok: false,
          code: "mark_not_found",
          message: expect.stringContaining("look at it first"),
        });
        const seen = await look();
        expect(await env!.act({ type: "click", at: { by: "mark", mark: 99 } })).toMatchObject({
          code: "mark_not_found",
          message: "There is no mark 99; the latest observation has marks 0 to 2.",
        });
        expect(await env!.act({ type: "click", at: { by: "point", x: 641, y: 5 } })).toMatchObject({
          code: "out_of_view",
        });
        await env!.act({ type: "click", at: find(seen, "button Cover") });
        const covered = await env!.act({ type: "click", at: find(seen, "button Soon covered") });
        expect(covered).toMatchObject({ ok: false, code: "covered" });
        expect((covered as { message: string }).message).toContain('dialog "Offer"');
        expect((await look()).lastError).toBe((covered as { message: string }).message);
        await click("button Remove");
        expect((await env!.observe({ marks: false })).lastError).toBeUndefined();
        await env!.act({ type: "reload" });
        const fresh = await look();
        await env!.act({ type: "click", at: find(fresh, "button Remove") });
        expect(await env!.act({ type: "click", at: find(fresh, "button Soon covered") })).toEqual({
          ok: false,
          code: "mark_not_found",
          message: "Mark 0 is no longer on the page; look again to get fresh marks.",
        });
      });
    });

    describe("keyboard and forms", () => {
      it("types into a field, replacing or adding, with real key events", async () => {
        await open("/form");
        await on("textbox Query", (into) => ({ type: "type", text: "Ab ñ!", into, clear: true }));
        const page = (await text()).value;
        expect(page).toContain("input Ab ñ!");
        expect(page).toContain("A b   !");
        await on("textbox Query", (into) => ({ type: "type", text: "+", into }));
        expect((await text()).value).toContain("input Ab ñ!+");
        await on("textbox Query", (into) => ({ type: "type", text: "", into, clear: true }));
        expect((await look()).marks!.find((mark) => mark.name === "Query")!.value).toBe("");
        await on("textbox Rich", (into) => ({ type: "type", text: "new", into, clear: true }));
        await on("textbox Area", (into) => ({ type: "type", text: "two\nlines", into }));
        const marks = (await look()).marks!;
        expect(marks.find((mark) => mark.name === "Rich")!.value).toBe("new");
        expect(marks.find((mark) => mark.name === "Area")!.value).toBe("two\nlines");
        const long = "x".repeat(3000);
        await on("textbox Area", (into) => ({ type: "type", text: long, into, clear: true }));
        expect(
          await env!.probe({
            type: "evaluate",
            expression: "document.querySelector('textarea').value.length",
          }),
        ).toEqual({ ok: true, value: 3000 });
      });

      it("submits with Enter and waits for the next page", async () => {
        await open("/form");
        await on("textbox Query", (into) => ({
          type: "type",
          text: "tea & milk",
          into,
          clear: true,
          submit: true,
        }));
        expect(await look()).toMatchObject({ title: "Sent", url: `${site.origin}/sent?q=tea+%26+milk` });
      });

      it("sets date and range fields as a whole", async () => {
        await open("/form");
        expect(
          await on("textbox Day", (into) => ({ type: "type", text: "2026-02-03", into, clear: true })),
        ).toEqual({ ok: true });
        expect(await on("slider Volume", (into) => ({ type: "type", text: "7", into }))).toEqual({
          ok: true,
        });
        const marks = (await look()).marks!;
        expect(marks.find((mark) => mark.name === "Day")!.value).toBe("2026-02-03");
        expect(marks.find((mark) => mark.name === "Volume")!.value).toBe("7");
        expect(await on("textbox Day", (into) => ({ type: "type", text: "tomorrow", into }))).toMatchObject({
          ok: false,
          code: "invalid_action",
          message: expect.stringContaining("YYYY-MM-DD"),
        });
      });

      it("refuses what cannot be typed into", async () => {
        await open("/form");
        for (const wanted of ["textbox Fixed", "textbox Off", "button Press me"]) {
          expect(await on(wanted, (into) => ({ type: "type", text: "x", into }))).toMatchObject({
            code: "not_editable",
          });
        }
      });

      it("presses chords by W3C names and knows no others", async () => {
        await open("/form");
        await on("textbox Query", (at) => ({ type: "click", at }));
        expect(await env!.act({ type: "press", keys: "Control+a" })).toEqual({ ok: true });
        await env!.act({ type: "press", keys: "Shift+b" });
        await env!.act({ type: "press", keys: "ctrl+ArrowLeft" });
        await env!.act({ type: "type", text: "<" });
        expect((await text()).value).toContain("input <B");
        expect(await env!.act({ type: "press", keys: "Control+Hyper" })).toMatchObject({
          ok: false,
          code: "no_such_key",
          message: expect.stringContaining('"Hyper"'),
        });
      });

      it("selects by label and lists the labels it has", async () => {
        await open("/form");
        expect(await on("combobox Size", (at) => ({ type: "select", at, options: ["large"] }))).toEqual({
          ok: true,
        });
        expect((await text()).value).toContain("size l");
        await on("listbox Tags", (at) => ({ type: "select", at, options: ["one", "three"] }));
        expect((await look()).marks!.find((mark) => mark.name === "Tags")!.value).toBe("one, three");
        expect(await on("combobox Size", (at) => ({ type: "select", at, options: ["Tiny"] }))).toMatchObject({
          code: "option_not_found",
          message: expect.stringContaining('"Small", "Large"'),
        });
        expect(await on("button Press me", (at) => ({ type: "select", at, options: ["x"] }))).toMatchObject({
          code: "invalid_action",
        });
      });

      it("focuses a native select on a click, without a list that nobody can see", async () => {
        await open("/form");
        const clicked = await click("combobox Size");
        expect(clicked).toMatchObject({ ok: true, note: expect.stringContaining('"Small", "Large"') });
        await env!.act({ type: "press", keys: "ArrowDown" });
        expect((await look()).marks!.find((mark) => mark.name === "Size")).toMatchObject({
          value: "Large",
          focused: true,
        });
      });

      it("uploads to inputs and to buttons that open a chooser", async () => {
        const directory = await mkdtemp(join(tmpdir(), "upload-"));
        try {
          const file = join(directory, "cat.png");
          await writeFile(file, "meow");
          await open("/upload");
          expect(await on("button Photo", (at) => ({ type: "upload", at, files: [file] }))).toEqual({
            ok: true,
          });
          expect((await text()).value).toContain("cat.png");
          expect(await on("button Choose", (at) => ({ type: "upload", at, files: [file] }))).toEqual({
            ok: true,
          });
          expect((await text()).value).toContain("hidden cat.png");
          expect(await on("button Other", (at) => ({ type: "upload", at, files: [file] }))).toMatchObject({
            code: "invalid_action",
          });
          expect(
            await on("button Photo", (at) => ({ type: "upload", at, files: [`${file}x`] })),
          ).toMatchObject({ code: "file_not_found" });
        } finally {
          await rm(directory, { recursive: true });
        }
      });
    });

    describe("scrolling", () => {
      it("turns the wheel over the page or over a mark, and says when nothing moves", async () => {
        await open("/tall");
        expect(await env!.act({ type: "scroll", dy: 300 })).toEqual({ ok: true });
        expect((await look()).scroll.above).toBe(300);
        expect(await env!.act({ type: "scroll", dy: 100_000 })).toEqual({ ok: true });
        expect((await look()).scroll.below).toBe(0);
        expect(await env!.act({ type: "scroll", dy: 10 })).toMatchObject({
          ok: true,
          note: expect.any(String),
        });
        await env!.act({ type: "goto", url: `${site.origin}/scrollers` });
        await on("text Inner", (at) => ({ type: "scroll", at, dy: 2000 }));
        expect((await look()).marks!.map(line)).toContain("button Deep");
      });
    });

    describe("navigation and tabs", () => {
      it("follows links and goes back, forward and again", async () => {
        await open("/");
        expect(await env!.act({ type: "back" })).toMatchObject({ ok: false, code: "no_history" });
        await click("link Second page");
        expect((await look()).title).toBe("Second");
        expect(await env!.act({ type: "back" })).toEqual({ ok: true });
        expect((await look()).title).toBe("Home");
        expect(await env!.act({ type: "forward" })).toEqual({ ok: true });
        expect((await look()).title).toBe("Second");
        expect(await env!.act({ type: "forward" })).toMatchObject({ code: "no_history" });
        const before = site.log.filter((entry) => entry === "GET /second").length;
        expect(await env!.act({ type: "reload" })).toEqual({ ok: true });
        expect(site.log.filter((entry) => entry === "GET /second").length).toBe(before + 1);
        expect((await look()).title).toBe("Second");
      });

      it("reports addresses that do not open as data", async () => {
        await open("/");
        expect(await env!.act({ type: "goto", url: "http://127.0.0.1:1/" })).toMatchObject({
          ok: false,
          code: "navigation_failed",
          message: expect.stringContaining("ERR_"),
        });
        for (const url of [
          "file:///etc/passwd",
          "javascript:alert(1)",
          "chrome://version",
          "not an address",
        ]) {
          expect(await env!.act({ type: "goto", url })).toMatchObject({ ok: false, code: "invalid_action" });
        }
        expect(await env!.act({ type: "goto", url: `${site.origin.replace("http://", "")}/second` })).toEqual(
          { ok: true },
        );
        expect((await look()).title).toBe("Second");
        expect(await env!.act({ type: "goto", url: `${site.origin}/missing` })).toEqual({ ok: true });
        expect((await look()).title).toBe("Not found");
      });

      it("opens, switches and closes tabs", async () => {
        await open("/");
        expect(await env!.act({ type: "tab_close" })).toMatchObject({ code: "invalid_action" });
        expect(await env!.act({ type: "tab_new", url: `${site.origin}/second` })).toEqual({ ok: true });
        expect((await look()).tabs).toEqual([
          { index: 0, url: `${site.origin}/`, title: "Home", active: false },
          { index: 1, url: `${site.origin}/second`, title: "Second", active: true },
        ]);
        expect(await env!.act({ type: "tab_switch", index: 2 })).toMatchObject({ code: "no_such_tab" });
        expect(await env!.act({ type: "tab_switch", index: 0 })).toEqual({ ok: true });
        expect(await look()).toMatchObject({ title: "Home", url: `${site.origin}/` });
        expect(await env!.act({ type: "tab_close", index: 1 })).toEqual({ ok: true });
        expect((await look()).tabs).toHaveLength(1);
      });

      it("turns pop-ups into tabs in front", async () => {
        await open("/popups");
        await click("link New tab");
        let seen = await look();
        expect(seen).toMatchObject({ title: "Second", url: `${site.origin}/second` });
        expect(seen.tabs.map((tab) => tab.active)).toEqual([false, true]);
        await env!.act({ type: "tab_close" });
        expect((await look()).title).toBe("Popups");
        await click("button Window");
        expect((await look()).marks!.map(line)).toContain("button Inner button");
        await env!.act({ type: "tab_close" });
        await click("button Written");
        seen = await look();
        expect(seen.title).toBe("Written");
        await click("button Shut");
        expect(await look()).toMatchObject({ title: "Popups", tabs: [{ active: true }] });
      });

      it("saves downloads and lists them", async () => {
        await open("/downloads");
        await click("link Get report");
        expect((await look()).downloads).toEqual(["report.txt"]);
        await click("link Get attachment");
        const seen = await look();
        expect(seen.downloads).toEqual(["report.txt", "data.csv"]);
        expect(seen.title).toBe("Downloads");
      });
    });

    describe("dialogs", () => {
      it("stay open, are shown, block other actions, and are answered", async () => {
        await open("/dialogs");
        expect(await env!.act({ type: "dialog", accept: true })).toMatchObject({ code: "no_dialog" });
        await look();
        const buttons = await look();
        await click("button Alert");
        let seen = await look();
        expect(seen.dialog).toEqual({ kind: "alert", message: "Look out" });
        expect(seen.screenshot).toMatchObject({ width: 640 });
        expect(seen.marks).toEqual([]);
        expect(await env!.act({ type: "click", at: find(buttons, "button Confirm") })).toMatchObject({
          code: "dialog_open",
          message: expect.stringContaining("Look out"),
        });
        expect(await env!.act({ type: "dialog", accept: true })).toEqual({ ok: true });
        seen = await look();
        expect(seen).not.toHaveProperty("dialog");
        expect(seen.marks!.map(line)).toContain("text alert done");

        await click("button Confirm");
        expect((await look()).dialog).toEqual({ kind: "confirm", message: "Sure?" });
        await env!.act({ type: "dialog", accept: false });
        expect((await text()).value).toContain("confirm false");
        await click("button Prompt");
        await env!.act({ type: "dialog", accept: true, text: "Ada" });
        expect((await text()).value).toContain("prompt Ada");
        await click("button Two");
        await env!.act({ type: "dialog", accept: true });
        expect((await look()).dialog).toEqual({ kind: "alert", message: "two" });
        await env!.act({ type: "dialog", accept: true });
        expect((await text()).value).toContain("both");
      });

      it("may be open from the start", async () => {
        await open("/alert-on-load");
        const seen = await look();
        expect(seen.dialog).toEqual({ kind: "alert", message: "Cookies!" });
        expect(seen.screenshot).toMatchObject({ width: 640, height: 480 });
        await env!.act({ type: "dialog", accept: true });
        expect((await look()).marks!.map(line)).toEqual(["text Before", "text After"]);
      });

      it("ask before a page with changes is left", async () => {
        await open("/unload");
        await click("button Edit");
        await click("link Away");
        expect((await look()).dialog).toMatchObject({ kind: "beforeunload" });
        await env!.act({ type: "dialog", accept: false });
        expect((await look()).title).toBe("Unload");
        await env!.act({ type: "goto", url: `${site.origin}/second` });
        expect((await look()).dialog).toMatchObject({ kind: "beforeunload" });
        await env!.act({ type: "dialog", accept: true });
        expect((await look()).title).toBe("Second");
      });

      it("do not keep an episode from closing", async () => {
        await open("/dialogs");
        await click("button Confirm");
        await env!.close();
        await open("/unload");
        await click("button Edit");
      });
    });

    describe("settling", () => {
      it("waits for the request that a click starts, and for what it brings", async () => {
        await open("/fetch");
        await click("button Save");
        expect(site.log).toContain("POST /slow-post saved");
        const seen = await look();
        expect(seen.marks!.map(line)).toContain("text stored");
        expect(seen.settled.ok).toBe(true);
        expect(seen.settled.ms).toBeGreaterThanOrEqual(100);
      });

      it("waits through a form post and its redirect", async () => {
        await open("/post-and-leave");
        await click("button Go");
        expect(await look()).toMatchObject({ title: "Second", settled: { ok: true } });
      });

      it("gives up, and says so, on pages that never rest", async () => {
        await open("/restless");
        await click("button Still");
        expect((await look()).settled.ok).toBe(false);
        await env!.act({ type: "goto", url: `${site.origin}/hanging-request` });
        await click("button Hang");
        const { settled } = await look();
        expect(settled.ok).toBe(false);
        expect(settled.ms).toBeGreaterThan(2500);
      });
    });

    describe("determinism", () => {
      const pinned = { determinism: { seed: 7, clock: "2026-01-15T09:00:00.000Z" } };

      it("gives the same first screenshot byte for byte for the same seed, and another for another", async () => {
        const shots: Buffer[] = [];
        for (let round = 0; round < 4; round++) {
          await open("/random", pinned);
          shots.push(Buffer.from((await look()).screenshot!.bytes));
          // Leaves the pointer, the focus and the scroll somewhere else for whoever comes next.
          await env!.act({ type: "click", at: { by: "point", x: 100, y: 30 + round } });
          await env!.act({ type: "scroll", dy: 50 });
          await env!.close();
        }
        for (const shot of shots) expect(shot.equals(shots[0]!)).toBe(true);
        await open("/random", { determinism: { ...pinned.determinism, seed: 8 } });
        expect(Buffer.from((await look()).screenshot!.bytes).equals(shots[0]!)).toBe(false);
      });

      it("brings animations to rest, lets their events fire, and draws the same each time", async () => {
        const shots: Buffer[] = [];
        for (let round = 0; round < 3; round++) {
          await open("/motion", pinned);
          expect((await text()).value).toContain("shown grown");
          shots.push(Buffer.from((await look()).screenshot!.bytes));
          await click("button Slide");
          expect((await text()).value).toContain("slid");
          const seen = await look();
          expect(seen.settled.ok).toBe(true);
          shots.push(Buffer.from(seen.screenshot!.bytes));
          await env!.close();
        }
        for (const [at, shot] of shots.entries()) expect(shot.equals(shots[at % 2]!)).toBe(true);
        expect(shots[0]!.equals(shots[1]!)).toBe(false);
      });

      it("starts the clock where the spec says and lets it go on", async () => {
        await open("/random", { ...pinned, timeZone: "Asia/Tokyo", locale: "de-DE" });
        const ask = async (expression: string) => {
          const reply = await env!.probe({ type: "evaluate", expression });
          return reply.ok ? reply.value : reply.message;
        };
        expect(await ask("new Date().toISOString()")).toMatch(/^2026-01-15T09:00:00/);
        expect(await ask("new Date().getHours()")).toBe(18);
        expect(await ask("[navigator.language, (1.5).toLocaleString()]")).toEqual(["de-DE", "1,5"]);
        expect(await ask("new Date(0).toISOString() + (new Date() instanceof Date)")).toBe(
          "1970-01-01T00:00:00.000Ztrue",
        );
        expect(
          await ask("new Promise(r => { const t = Date.now(); setTimeout(() => r(Date.now() - t), 120) })"),
        ).toBeGreaterThanOrEqual(120);
        expect(
          await ask(
            "(() => { const t = performance.now(); while (performance.now() - t < 20); return 'ended' })()",
          ),
        ).toBe("ended");
        expect(await ask("matchMedia('(prefers-reduced-motion: reduce)').matches")).toBe(true);
      });

      it("is off unless asked for", async () => {
        await open("/random");
        const reply = (await env!.probe({ type: "evaluate", expression: "Date.now()" })) as { value: number };
        expect(Math.abs(reply.value - Date.now())).toBeLessThan(5000);
      });
    });

    it("accepts the actions that only speak, and waits as told", async () => {
      await open("/");
      expect(await env!.act({ type: "answer", text: "42" })).toEqual({ ok: true });
      expect(await env!.act({ type: "done" })).toEqual({ ok: true });
      expect(await env!.act({ type: "infeasible", reason: "no" })).toEqual({ ok: true });
      const start = Date.now();
      expect(await env!.act({ type: "wait", ms: 60 })).toEqual({ ok: true });
      expect(Date.now() - start).toBeGreaterThanOrEqual(59);
      expect(await env!.act({ type: "fly" } as unknown as ActionInput)).toMatchObject({
        ok: false,
        code: "invalid_action",
      });
    });

    it("answers probes of the page and has no site verdict of its own", async () => {
      await open("/");
      expect((await text()).value).toContain("Plain words");
      expect(await env!.probe({ type: "evaluate", expression: "1 + 1" })).toEqual({ ok: true, value: 2 });
      expect(await env!.probe({ type: "evaluate", expression: "nowhere" })).toMatchObject({ ok: false });
      expect(await env!.probe({ type: "site_verdict", answer: undefined })).toMatchObject({ ok: false });
    });

    it("throws when its renderer crashes, and when it is used after its end", async () => {
      await open("/");
      await killRenderers();
      await expect(env!.observe()).rejects.toMatchObject({ boundary: "environment", retryable: true });
      await env!.close();
      await expect(env!.observe()).rejects.toMatchObject({ code: "environment_closed" });
      await open("/");
      expect((await look()).title).toBe("Home");
    });

    it("refuses to start at an address that does not open", async () => {
      await expect(
        engine.open(browserSpec("http://127.0.0.1:1/"), "http://127.0.0.1:1/"),
      ).rejects.toMatchObject({
        boundary: "environment",
        code: "navigation_failed",
      });
    });
  });
}
