import { readFile } from "node:fs/promises";
import type { CallRecord, CallTokens } from "@openforgerl/contracts/call";
import type { Sha256 } from "@openforgerl/contracts/content";
import { ForgeError } from "@openforgerl/contracts/errors";
import type { ChainCall } from "../chaining.ts";
import {
  type CallLine,
  JournalLine,
  type NodeLine,
  type SealLine,
  type SessionLine,
} from "./journal-format.ts";
import { joinPart, type Part, partAddress, sha256 } from "./parts.ts";
import { chainAddress, requestAddress } from "./request-encoder.ts";
import { decodeResponse } from "./response-encoding.ts";
import { journalPath } from "./session-writer.ts";
import { TokenDecoder } from "./token-encoding.ts";

type ReadBlob = (address: Sha256) => Promise<Uint8Array>;
type StoredPart = Pick<Part, "skeleton" | "holes">;

/** A session's journal as it stands on disk, its lines by kind. */
export class SessionReader {
  header: SessionLine | undefined;
  seal: SealLine | undefined;
  /** Whole lines read. */
  lines = 0;
  /** Why reading stopped before the end of the file: a line torn by a crash, or damage. */
  damage: { line: number; torn: boolean; message: string } | undefined;
  readonly calls: CallLine[] = [];
  readonly #readBlob: ReadBlob;
  readonly #parts: (() => Promise<StoredPart>)[] = [];
  readonly #nodes: NodeLine[] = [];
  readonly #rests: [string, string | number | null][][] = [];
  #tokens: Map<string, CallTokens> | undefined;

  constructor(readBlob: ReadBlob) {
    this.#readBlob = readBlob;
  }

  /** @throws ForgeError `input/bad_input` where there is no such session. */
  static async open(recordsDir: string, id: string, readBlob: ReadBlob): Promise<SessionReader> {
    const path = journalPath(recordsDir, id);
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      throw new ForgeError({
        boundary: "input",
        code: "no_such_session",
        message: `There is no session ${JSON.stringify(id)} in ${recordsDir}.`,
        advice: "List the sessions and give one of their ids.",
        cause: error,
      });
    }
    const reader = new SessionReader(readBlob);
    reader.#read(text);
    return reader;
  }

  /** Records in order of arrival. */
  records(): CallRecord[] {
    return this.calls.map(({ rec }) => rec).sort((a, b) => a.index - b.index);
  }

  /** The JSON value of a call's request, as the harness sent it. */
  async request(call: CallLine): Promise<unknown> {
    const marks = new Map(call.q.c);
    const messages: string[] = [];
    for (const [index, node] of this.#chain(call.q.n).entries()) {
      const part = await this.#part(node.m);
      messages.push(await joinPart({ ...part, cacheMarks: marks.get(index) ?? [] }, this.#readBlob));
    }
    const members: string[] = [];
    for (const [key, value] of this.#rest(call.q.r)) {
      let text = value;
      if (text === null) text = `[${messages.join(",")}]`;
      else if (typeof text === "number") {
        text = await joinPart({ ...(await this.#part(text)), cacheMarks: [] }, this.#readBlob);
      }
      members.push(`${JSON.stringify(key)}:${text}`);
    }
    return JSON.parse(`{${members.join(",")}}`);
  }

  /** The exact bytes of a call's response; null where none arrived. */
  async response(call: CallLine): Promise<Buffer | null> {
    return call.a === null
      ? null
      : decodeResponse(call.a, this.tokens(call.rec.id)?.prompt ?? [], this.#readBlob);
  }

  /** Tokens of a complete call; null for others. */
  tokens(callId: string): CallTokens | null {
    if (this.#tokens === undefined) {
      this.#tokens = new Map();
      const decoder = new TokenDecoder();
      for (const { rec, k } of this.calls) if (k !== null) this.#tokens.set(rec.id, decoder.decode(k));
    }
    return this.#tokens.get(callId) ?? null;
  }

  /** The complete calls in the order in which they ended. */
  chainCalls(): ChainCall[] {
    return this.calls.flatMap(({ rec }) => {
      const tokens = this.tokens(rec.id);
      return tokens === null
        ? []
        : [{ id: rec.id, role: rec.role, policyVersion: rec.policyVersion?.first ?? null, tokens }];
    });
  }

  /** Address of a call's request, worked out from what is stored. */
  async requestAddress(call: CallLine): Promise<Sha256> {
    let head: Sha256 | "" = "";
    for (const node of this.#chain(call.q.n))
      head = chainAddress(head, partAddress(await this.#part(node.m)));
    const fields: [string, string | null][] = [];
    for (const [key, value] of this.#rest(call.q.r)) {
      fields.push([key, typeof value === "number" ? partAddress(await this.#part(value)) : value]);
    }
    return requestAddress(head, sha256(JSON.stringify(fields)), call.q.c ?? []);
  }

  /** Nodes from the first message to this one. */
  #chain(last: number): NodeLine[] {
    const chain: NodeLine[] = [];
    for (let at = last; at !== -1; ) {
      const node = this.#nodes[at];
      if (node === undefined) throw damaged(`message node ${at} is missing`);
      chain.push(node);
      at = node.p;
    }
    return chain.reverse();
  }

  #rest(number: number): [string, string | number | null][] {
    const rest = this.#rests[number];
    if (rest === undefined) throw damaged(`top level ${number} is missing`);
    return rest;
  }

  async #part(number: number): Promise<StoredPart> {
    const part = this.#parts[number];
    if (part === undefined) throw damaged(`part ${number} is missing`);
    return await part();
  }

  #read(text: string): void {
    let from = 0;
    while (from < text.length) {
      const end = text.indexOf("\n", from);
      if (end === -1) {
        this.damage = { line: this.lines + 1, torn: true, message: "the last line was cut short" };
        return;
      }
      try {
        this.#line(JournalLine.parse(JSON.parse(text.slice(from, end))));
      } catch (error) {
        this.damage = { line: this.lines + 1, torn: end === text.length - 1, message: String(error) };
        return;
      }
      this.lines++;
      from = end + 1;
    }
  }

  #line(line: JournalLine): void {
    if (this.seal !== undefined) throw damaged("a line follows the seal");
    if (line.t === "s") this.header = line;
    else if (line.t === "n") this.#nodes.push(line);
    else if (line.t === "r") this.#rests.push(line.f);
    else if (line.t === "c") this.calls.push(line);
    else if (line.t === "end") {
      if (line.lines !== this.lines || line.calls !== this.calls.length) {
        throw damaged(`the seal counts ${line.lines} lines and ${line.calls} calls`);
      }
      this.seal = line;
    } else {
      const holes = line.h ?? [];
      const { b, s } = line;
      this.#parts.push(async () => ({
        skeleton: b === undefined ? (s ?? "") : Buffer.from(await this.#readBlob(b)).toString("utf8"),
        holes,
      }));
    }
  }
}

function damaged(message: string): ForgeError {
  return new ForgeError({
    boundary: "proxy",
    code: "journal_damaged",
    message: `Session journal: ${message}.`,
    advice: "Leave this session out and run its rollout again.",
  });
}
