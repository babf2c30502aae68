import type { Sha256 } from "@openforgerl/contracts/content";
import type { CallLine, JournalLine } from "./journal-format.ts";
import { type Entry, scanArray, scanObject } from "./json-scan.ts";
import { type Blob, cutPart, type Part, partAddress, sha256, TEXT_BLOB_BYTES } from "./parts.ts";

/** A request body with the places of its top-level entries and its messages. */
export interface ScannedBody {
  bytes: Buffer;
  entries: Entry[];
  /** Index of the closing brace. */
  close: number;
  messages: Buffer[];
  /** The entry the messages stand in; undefined where there is none. */
  messagesEntry: Entry | undefined;
}

/**
 * Finds the structure of a request body.
 * @throws SyntaxError where it is no JSON object.
 */
export function scanBody(bytes: Buffer, messagesField: string): ScannedBody {
  const { entries, close } = scanObject(bytes);
  const entry = entries.findLast(({ key }) => key === messagesField);
  const isArray = entry !== undefined && bytes[entry.start] === 0x5b;
  const messages = isArray ? scanArray(bytes, entry.start) : [];
  return {
    bytes,
    entries,
    close,
    messages: messages.map(({ start, end }) => bytes.subarray(start, end)),
    messagesEntry: isArray ? entry : undefined,
  };
}

/** What one call adds to the journal for its request. */
export interface EncodedRequest {
  lines: JournalLine[];
  blobs: Blob[];
  address: Sha256;
  place: CallLine["q"];
  /** Base64 images of the request, in order. */
  images: Part["images"];
}

interface KnownMessage {
  raw: Buffer;
  node: number;
  nodeAddress: Sha256;
  images: Part["images"];
  cacheMarks: Part["cacheMarks"];
}
interface KnownBody {
  messages: KnownMessage[];
  rest: { key: string; raw: Buffer | undefined }[];
  restNumber: number;
  restAddress: Sha256;
}

/** Bodies remembered for comparison: a main chain, and a few sub-agents beside it. */
const REMEMBERED = 4;
/** Top-level values shorter than this stand in the line of the top level itself. */
const INLINE_VALUE_BYTES = 96;

/**
 * Turns the requests of one session into journal lines, each distinct message once. Requests are hash
 * chains, node = (parent, message), so that a request that continues an earlier one adds only its new
 * messages; those that are byte for byte the same as in an earlier body are neither parsed nor hashed again.
 */
export class RequestEncoder {
  #recent: KnownBody[] = [];
  readonly #parts = new Map<Sha256, number>();
  readonly #nodes = new Map<Sha256, number>();
  readonly #rests = new Map<Sha256, number>();

  /** @throws SyntaxError where a message or value that was not seen before is no JSON. */
  encode(body: ScannedBody): EncodedRequest {
    const maps = [this.#parts, this.#nodes, this.#rests];
    const sizes = maps.map((map) => map.size);
    try {
      return this.#encode(body);
    } catch (error) {
      // The lines of a refused body are not written, so the numbers it took are free again.
      for (const [i, map] of maps.entries())
        for (const key of [...map.keys()].slice(sizes[i])) map.delete(key);
      throw error;
    }
  }

  #encode(body: ScannedBody): EncodedRequest {
    const lines: JournalLine[] = [];
    const blobs: Blob[] = [];
    const recent = this.#nearest(body.messages);
    const messages: KnownMessage[] = [];
    let extended = true;
    for (const [index, raw] of body.messages.entries()) {
      const known = recent?.messages[index];
      extended &&= known?.raw.equals(raw) ?? false;
      if (extended && known !== undefined) messages.push(known);
      else messages.push(this.#message(raw, messages.at(-1), lines, blobs));
    }
    const rest = this.#rest(body, recent, lines, blobs);
    this.#remember({ messages, ...rest }, recent);
    const marks = messages.flatMap(({ cacheMarks }, index): [number, Part["cacheMarks"]][] =>
      cacheMarks.length === 0 ? [] : [[index, cacheMarks]],
    );
    const last = messages.at(-1);
    return {
      lines,
      blobs,
      address: requestAddress(last?.nodeAddress ?? "", rest.restAddress, marks),
      place: { n: last?.node ?? -1, r: rest.restNumber, ...(marks.length === 0 ? {} : { c: marks }) },
      images: messages.flatMap(({ images }) => images),
    };
  }

  /** The remembered body that shares the most leading messages. */
  #nearest(messages: Buffer[]): KnownBody | undefined {
    let best: KnownBody | undefined;
    let most = -1;
    for (const body of this.#recent) {
      let same = 0;
      while (same < messages.length && body.messages[same]?.raw.equals(messages[same]!)) same++;
      if (same > most) [best, most] = [body, same];
    }
    return best;
  }

  #message(raw: Buffer, parent: KnownMessage | undefined, lines: JournalLine[], blobs: Blob[]): KnownMessage {
    JSON.parse(raw.toString("utf8"));
    const part = cutPart(raw, (blob) => blobs.push(blob));
    const address = partAddress(part);
    const nodeAddress = chainAddress(parent?.nodeAddress ?? "", address);
    let node = this.#nodes.get(nodeAddress);
    if (node === undefined) {
      const number = this.#part(part, address, lines, blobs);
      node = this.#nodes.size;
      this.#nodes.set(nodeAddress, node);
      lines.push({ t: "n", p: parent?.node ?? -1, m: number });
    }
    // A copy: a slice would keep the whole body of this call in memory.
    return {
      raw: Buffer.from(raw),
      node,
      nodeAddress,
      images: part.images,
      cacheMarks: part.cacheMarks,
    };
  }

  #part(part: Part, address: Sha256, lines: JournalLine[], blobs: Blob[]): number {
    const known = this.#parts.get(address);
    if (known !== undefined) return known;
    const number = this.#parts.size;
    this.#parts.set(address, number);
    const holes = part.holes.length === 0 ? {} : { h: part.holes };
    if (Buffer.byteLength(part.skeleton) < TEXT_BLOB_BYTES) {
      lines.push({ t: "p", s: part.skeleton, ...holes });
      return number;
    }
    const bytes = Buffer.from(part.skeleton);
    const blob = { sha256: sha256(bytes), bytes };
    blobs.push(blob);
    lines.push({ t: "p", b: blob.sha256, ...holes });
    return number;
  }

  #rest(
    body: ScannedBody,
    recent: KnownBody | undefined,
    lines: JournalLine[],
    blobs: Blob[],
  ): Omit<KnownBody, "messages"> {
    const rest = body.entries.map((entry) => ({
      key: entry.key,
      raw: entry === body.messagesEntry ? undefined : body.bytes.subarray(entry.start, entry.end),
    }));
    if (recent !== undefined && sameRest(recent.rest, rest)) {
      return { rest: recent.rest, restNumber: recent.restNumber, restAddress: recent.restAddress };
    }
    const kept = rest.map(({ key, raw }) => ({ key, raw: raw === undefined ? undefined : Buffer.from(raw) }));
    const addressed: [string, string | null][] = [];
    const fields: [string, string | number | null][] = [];
    for (const { key, raw } of rest) {
      if (raw === undefined) {
        addressed.push([key, null]);
        fields.push([key, null]);
        continue;
      }
      const text = raw.toString("utf8");
      JSON.parse(text);
      if (raw.length < INLINE_VALUE_BYTES) {
        addressed.push([key, text]);
        fields.push([key, text]);
        continue;
      }
      // Cache breakpoints outside the messages do not move: they stay in the text.
      const part = keepMarks(cutPart(raw, (blob) => blobs.push(blob)));
      const address = partAddress(part);
      addressed.push([key, address]);
      fields.push([key, this.#part(part, address, lines, blobs)]);
    }
    const restAddress = sha256(JSON.stringify(addressed));
    let restNumber = this.#rests.get(restAddress);
    if (restNumber === undefined) {
      restNumber = this.#rests.size;
      this.#rests.set(restAddress, restNumber);
      lines.push({ t: "r", f: fields });
    }
    return { rest: kept, restNumber, restAddress };
  }

  /** The body this one continues is not needed beside it. */
  #remember(body: KnownBody, continued: KnownBody | undefined): void {
    const first = continued?.messages[0];
    const replaces = first !== undefined && first === body.messages[0];
    const others = this.#recent.filter((known) => !(replaces && known === continued));
    this.#recent = [body, ...others].slice(0, REMEMBERED);
  }
}

/** Address of a message in its place: its own and that of everything before it. */
export function chainAddress(parent: Sha256 | "", part: Sha256): Sha256 {
  return sha256(`${parent}\n${part}`);
}

/** Address of a request: head of its message chain, top level, cache marks. */
export function requestAddress(
  head: Sha256 | "",
  rest: Sha256,
  marks: [number, Part["cacheMarks"]][],
): Sha256 {
  return sha256(JSON.stringify([head, rest, marks]));
}

function keepMarks(part: Part): Part {
  if (part.cacheMarks.length === 0) return part;
  let skeleton = part.skeleton;
  let holes = part.holes;
  for (const [offset, text] of part.cacheMarks.toReversed()) {
    skeleton = skeleton.slice(0, offset) + text + skeleton.slice(offset);
    holes = holes.map(([at, address, form]) => [at > offset ? at + text.length : at, address, form]);
  }
  return { ...part, skeleton, holes, cacheMarks: [] };
}

function sameRest(before: KnownBody["rest"], after: KnownBody["rest"]): boolean {
  return (
    before.length === after.length &&
    before.every(({ key, raw }, index) => {
      const other = after[index]!;
      return key === other.key && (raw === undefined ? other.raw === undefined : !!other.raw?.equals(raw));
    })
  );
}
