import { taskPrompt } from "@openforgerl/contracts/harness";
import { anthropicMessages } from "@openforgerl/proxy/dialects/anthropic-messages";
import type { WireDialect } from "@openforgerl/proxy/dialects/dialect";
import { openaiChat } from "@openforgerl/proxy/dialects/openai-chat";
import type { CanonicalMessage, CanonicalRequest } from "@openforgerl/proxy/messages";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { actionOf, choicesOf, type PolicyAction } from "../../embedded/action.ts";
import type { EpisodeState } from "../../embedded/episode.ts";
import { EpisodeMemo } from "../../embedded/episode-memo.ts";
import {
  answerTable,
  legalMarks,
  legalOptions,
  legalSources,
  legalVerbs,
  spell,
  unspell,
} from "../../embedded/grammar.ts";
import { findSpan, readInstruction, spanText } from "../../embedded/instruction.ts";
import { readObservation } from "../../embedded/observation-text.ts";
import { SequenceReader } from "../../embedded/sequence.ts";
import { renderPrompt } from "../../embedded/template.ts";
import { DIRECTIONS, FOREIGN, KEYS, VERBS, X_BINS, Y_BINS } from "../../embedded/tokens.ts";
import { printAction } from "../../embedded/tool-calls.ts";
import { Draws } from "./support/random.ts";

const IMAGE = { width: 333, height: 217 };
const TOOLS = [
  "screenshot",
  "click",
  "click_at",
  "type_text",
  "select_option",
  "press_key",
  "scroll",
  "go_back",
  "answer_dialog",
  "hover",
];
const WORDS = [
  "red",
  "Wi-Fi",
  "the",
  "mug",
  "mug",
  "12:30",
  "a@b.org",
  "Ünïcode",
  "save",
  "$5.00",
  '"',
  "line\nbreak",
  "[3]",
  "value=",
  "From Ada Silva",
];

/** Text with repeated words, quotation marks and what else may confuse a reader. */
function words(draws: Draws, from: number, to: number): string {
  return Array.from({ length: draws.int(from, to) }, () => draws.pick(WORDS)).join(" ");
}

function instructionText(draws: Draws): string {
  const parts = Array.from({ length: draws.int(1, 4) }, () => {
    const plain = words(draws, 1, 3).replaceAll('"', "");
    return draws.float() < 0.5 ? `"${plain}"` : plain;
  });
  return `Do ${parts.join(", then ")}.`;
}

function observationText(draws: Draws): string {
  const lines = ["<observation>", "Did something.", `Page: ${JSON.stringify(words(draws, 1, 3))}`];
  lines.push(`URL: http://127.0.0.1:${draws.int(1000, 9999)}/`, "Scroll: 0 px above, 120 px below");
  if (draws.float() < 0.15) lines.push('Dialog: confirm "Leave?"');
  const count = draws.float() < 0.2 ? 0 : draws.int(1, 12);
  for (let i = 0; i < count; i++) {
    const role = draws.pick(["text", "button", "textbox", "combobox", "heading", "link", "checkbox"]);
    const options = Array.from({ length: draws.int(1, 4) }, () => JSON.stringify(words(draws, 1, 2)));
    const extra =
      role === "combobox"
        ? ` value=${options[0]} options=[${options.join(",")}]`
        : role === "textbox"
          ? ` value=${JSON.stringify(words(draws, 0, 2))}`
          : "";
    const state = draws.float() < 0.2 ? " disabled" : "";
    lines.push(
      `[${i}] ${role} ${JSON.stringify(words(draws, 0, 3))}${extra}${state} @${draws.int(0, 300)},${draws.int(0, 200)}`,
    );
  }
  lines.push("</observation>");
  return lines.join("\n");
}

/** A random action among those that the grammar allows in this state. */
function randomAction(state: EpisodeState, draws: Draws): PolicyAction {
  const choose = (legal: ArrayLike<number>) =>
    draws.pick(Array.from(legal, (bit, i) => (bit ? i : -1)).filter((i) => i !== -1));
  const verb = VERBS[choose(legalVerbs(state))]!;
  const markOf = () => {
    const legal = legalMarks(state, verb);
    const index = choose(legal);
    return index === legal.length - 1 ? 160 : index;
  };
  switch (verb) {
    case "click":
      return { verb, mark: markOf() };
    case "click_at":
      return { verb, x: draws.int(0, X_BINS - 1), y: draws.int(0, Y_BINS - 1) };
    case "type_text": {
      const { spans } = state.instruction;
      const first = choose(spans.map((lasts) => lasts.length));
      return { verb, mark: markOf(), first, last: draws.pick(spans[first]!), submit: draws.float() < 0.5 };
    }
    case "select_option": {
      const mark = markOf();
      return { verb, mark, option: choose(legalOptions(state.observation!.marks[mark]!.options)) };
    }
    case "copy_text":
      return { verb, mark: markOf(), source: choose(legalSources(state)) };
    case "answer": {
      const mark = markOf();
      return {
        verb,
        mark,
        skip: choose(answerTable(state)[mark]!.map((text) => (text === undefined ? 0 : 1))),
      };
    }
    case "press_key":
      return { verb, key: draws.pick(KEYS) };
    case "scroll":
      return { verb, direction: draws.pick(DIRECTIONS) };
    case "answer_dialog":
      return { verb, accept: draws.float() < 0.5 };
    default:
      return { verb };
  }
}

/** What the wire and a harness do to a request on its way: printed, put into JSON, parsed again. */
function overTheWire(dialect: WireDialect, request: CanonicalRequest, toolImages: "inline" | "user") {
  return dialect.parseRequest(JSON.parse(JSON.stringify(dialect.printRequest(request, { toolImages }))));
}

describe("every prompt begins with the prompt and the completion before it", () => {
  const cases = [
    { dialect: anthropicMessages, toolImages: "inline" },
    { dialect: openaiChat, toolImages: "inline" },
    { dialect: openaiChat, toolImages: "user" },
  ] as const;
  test.each(cases)("$dialect.name, images $toolImages", async ({ dialect, toolImages }) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 30 }), async (seed) => {
        const draws = new Draws(seed);
        const prefix = draws.pick(["", "mcp__env__"]);
        const png = Buffer.from(`not decoded in this test ${seed}`).toString("base64");
        const picture = {
          type: "image",
          source: { kind: "base64", mediaType: "image/png", data: png },
        } as const;
        const request: CanonicalRequest = {
          model: "embedded",
          system: ["Reminders of the harness."],
          messages: [
            {
              role: "user",
              parts: [
                { type: "text", text: "<system-reminder>unstable</system-reminder>" },
                { type: "text", text: taskPrompt(instructionText(draws)) },
              ],
            },
          ],
          tools: TOOLS.map((name) => ({ name: prefix + name, inputSchema: { type: "object" } })),
          sampling: {},
          stream: false,
          capture: true,
        };
        const memo = new EpisodeMemo();
        let before: number[] = [];
        for (let step = 0; step < 5; step++) {
          const rendered = await renderPrompt(overTheWire(dialect, request, toolImages), {
            memo,
            imageSize: async () => IMAGE,
          });
          expect(rendered.tokens.slice(0, before.length)).toEqual(before);
          // Reading the tokens gives the very state that the template rendered from.
          const images = rendered.images.map((image) => image.sha256);
          const read = new SequenceReader(memo).read({ tokens: rendered.tokens, images });
          expect(read.open).toBe(true);
          expect(read.end).toBe(rendered.state);

          const action = randomAction(rendered.state, draws);
          const completion = spell(choicesOf(action));
          expect(actionOf(unspell(completion)!)).toEqual(action);
          before = [...rendered.tokens, ...completion];
          const call = printAction(action, rendered.state, rendered.tools, IMAGE);
          request.messages.push(...continuation(call, step, observationText(draws), picture));
        }
      }),
      { numRuns: 120 },
    );
  });
});

type Call = ReturnType<typeof printAction>;
type Picture = Extract<CanonicalMessage["parts"][number], { type: "image" }>;

function continuation(call: Call, step: number, text: string, picture: Picture): CanonicalMessage[] {
  if ("text" in call) {
    return [
      { role: "assistant", parts: [{ type: "text", text: call.text }] },
      { role: "user", parts: [{ type: "text", text: `Go on.\n${text}` }, picture] },
    ];
  }
  const id = `call-${step}`;
  return [
    { role: "assistant", parts: [{ type: "tool_use", id, name: call.tool, input: call.input }] },
    {
      role: "user",
      parts: [
        { type: "tool_result", toolUseId: id, content: [{ type: "text", text }, picture], isError: false },
        { type: "text", text: "<system-reminder>[Image: source unknown]</system-reminder>" },
      ],
    },
  ];
}

const LOOK = (lines: string) => `<observation>\n${lines}\n</observation>`;

async function render(messages: CanonicalMessage[], tools = TOOLS) {
  const request: CanonicalRequest = {
    model: "embedded",
    system: [],
    messages,
    tools: tools.map((name) => ({ name, inputSchema: {} })),
    sampling: {},
    stream: false,
    capture: false,
  };
  return renderPrompt(request, { memo: new EpisodeMemo(), imageSize: async () => IMAGE });
}

const say = (role: "user" | "assistant", text: string): CanonicalMessage => ({
  role,
  parts: [{ type: "text", text }],
});

describe("what is rendered", () => {
  test("what differs between runs of one task leaves no trace in the tokens", async () => {
    const page = (port: number) =>
      LOOK(`Page: "A"\nURL: http://127.0.0.1:${port}/x\nTabs: 0* "A" | 1 "B"\n[0] button "Go" @1,2`);
    const one = await render([say("user", `Hello\n<task>Press Go.</task> ${page(1)}`)]);
    const two = await render([
      say("user", "Hi, it is Tuesday."),
      say("user", `<task>Press Go.</task>${page(2)}`),
    ]);
    expect(two.tokens).toEqual(one.tokens);
  });

  test("only a look is legal before the first observation, and only its answer while a dialog is open", async () => {
    const verbs = (state: EpisodeState) => VERBS.filter((_, v) => legalVerbs(state)[v] === 1);
    const task = say("user", "<task>Press Go.</task>");
    expect(verbs((await render([task])).state)).toEqual(["screenshot"]);
    const open = LOOK('Page: "A"\nDialog: confirm "Sure?"\n[0] button "Go" @1,2');
    expect(verbs((await render([task, say("user", open)])).state)).toEqual(["answer_dialog"]);
    const few = await render([task, say("user", LOOK('Page: "A"\n[0] button "Go" @1,2'))], ["click", "wait"]);
    expect(verbs(few.state)).toEqual(["click", "done"]);
  });

  test("a turn that is not the policy's is marked as foreign", async () => {
    const { tokens } = await render([
      say("user", "<task>Press Go.</task>"),
      say("assistant", "Let me think about it."),
      say("user", LOOK('Page: "A"')),
    ]);
    expect(tokens).toContain(FOREIGN);
  });

  test("a request without a task, without words, or with an image by address is refused with the mend", async () => {
    await expect(render([say("user", "hello")])).rejects.toMatchObject({ boundary: "input" });
    await expect(render([say("user", "<task>?!</task>")])).rejects.toMatchObject({ boundary: "input" });
    const image = { type: "image", source: { kind: "url", url: "http://x/y.png" } } as const;
    const parts = [{ type: "text", text: `<task>Go</task>${LOOK('Page: "A"')}` } as const, image];
    await expect(render([{ role: "user", parts }])).rejects.toMatchObject({
      advice: "Send images inside the request, as base64.",
    });
  });
});

describe("reading", () => {
  test("a mark's line gives its parts, in the order of the format", () => {
    const { marks, error, title, below } = readObservation(
      [
        'Error (covered): "x" is covered',
        'Page: "A \\"b\\""',
        "Scroll: 0 px above, 320 px below",
        '[0] combobox "Colour" value="Red" options=["Red","Gr\\"een, x"] disabled focused @200,90',
        '[1] text "$12.00 @3,4" @-2,7',
        "[2] nonsense",
      ].join("\n"),
    );
    expect({ error, title, below }).toEqual({ error: "covered", title: 'A "b"', below: 320 });
    expect(marks).toEqual([
      {
        id: 0,
        role: "combobox",
        name: "Colour",
        value: "Red",
        options: ["Red", 'Gr"een, x'],
        states: ["disabled", "focused"],
        x: 200,
        y: 90,
      },
      { id: 1, role: "text", name: "$12.00 @3,4", options: [], states: [], x: -2, y: 7 },
    ]);
  });

  test("quotations are copied whole, and every text has one spelling", () => {
    const instruction = readInstruction('Type "Hello, world!" into Hello and "mug" by mug.');
    expect(instruction.quotes.map((quote) => quote.text)).toEqual(["Hello, world!", "mug"]);
    const span = findSpan(instruction, "Hello, world!");
    expect(span).toEqual({ first: 1, last: 2 });
    const texts = instruction.spans.flatMap((lasts, first) =>
      lasts.map((last) => spanText(instruction, first, last)),
    );
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts).toContain("mug");
    for (const text of texts) {
      const found = findSpan(instruction, text)!;
      expect(spanText(instruction, found.first, found.last)).toBe(text);
    }
  });
});
