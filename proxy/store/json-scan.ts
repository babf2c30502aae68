/** A value of a JSON text: bytes [start, end). */
export interface Span {
  start: number;
  end: number;
}
export interface Entry extends Span {
  key: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Finds the entries of the JSON object at `start` without parsing their values: long strings are jumped
 * over natively, which makes this some ten times cheaper than `JSON.parse` on a body full of screenshots.
 * @throws SyntaxError where the outer structure is no JSON object. Values are not validated.
 */
export function scanObject(text: Buffer, start = 0): { entries: Entry[]; close: number } {
  let at = expect(text, skipSpace(text, start), OPEN_BRACE);
  const entries: Entry[] = [];
  at = skipSpace(text, at);
  if (text[at] === CLOSE_BRACE) return { entries, close: at };
  for (;;) {
    const keyStart = skipSpace(text, at);
    if (text[keyStart] !== QUOTE) throw unexpected(text, keyStart);
    const keyEnd = skipString(text, keyStart);
    const valueStart = skipSpace(text, expect(text, skipSpace(text, keyEnd), COLON));
    const valueEnd = skipValue(text, valueStart);
    const key = JSON.parse(text.toString("utf8", keyStart, keyEnd)) as string;
    entries.push({ key, start: valueStart, end: valueEnd });
    at = skipSpace(text, valueEnd);
    if (text[at] === CLOSE_BRACE) return { entries, close: at };
    at = expect(text, at, COMMA);
  }
}

/** Finds the elements of the JSON array at `start`. */
export function scanArray(text: Buffer, start: number): Span[] {
  let at = skipSpace(text, expect(text, start, OPEN_BRACKET));
  const elements: Span[] = [];
  if (text[at] === CLOSE_BRACKET) return elements;
  for (;;) {
    const valueStart = skipSpace(text, at);
    const end = skipValue(text, valueStart);
    elements.push({ start: valueStart, end });
    at = skipSpace(text, end);
    if (text[at] === CLOSE_BRACKET) return elements;
    at = expect(text, at, COMMA);
  }
}

/** Spans of the strings (quotes included) of at least `minLength` bytes in a valid JSON text, keys included. */
export function longStrings(text: Buffer, minLength: number): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf(QUOTE); at !== -1; at = text.indexOf(QUOTE, at)) {
    const end = skipString(text, at);
    if (end - at >= minLength) found.push({ start: at, end });
    at = end;
  }
  return found;
}

function skipValue(text: Buffer, start: number): number {
  const first = text[start];
  if (first === QUOTE) return skipString(text, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(text, start);
  let at = start;
  while (at < text.length && isScalarByte(text[at]!)) at++;
  if (at === start) throw unexpected(text, start);
  return at;
}

function skipContainer(text: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; ) {
    const byte = text[at]!;
    if (byte === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    at++;
    if (depth === 0) return at;
  }
  throw unexpected(text, text.length);
}

function skipString(text: Buffer, start: number): number {
  for (let at = text.indexOf(QUOTE, start + 1); at !== -1; at = text.indexOf(QUOTE, at + 1)) {
    let before = at - 1;
    while (text[before] === BACKSLASH) before--;
    // An even number of backslashes in front: the quote is no escaped one.
    if ((at - before) % 2 === 1) return at + 1;
  }
  throw unexpected(text, text.length);
}

function skipSpace(text: Buffer, start: number): number {
  let at = start;
  while (text[at] === 0x20 || text[at] === 0x0a || text[at] === 0x0d || text[at] === 0x09) at++;
  return at;
}

function isScalarByte(byte: number): boolean {
  return byte > 0x20 && byte !== COMMA && byte !== CLOSE_BRACE && byte !== CLOSE_BRACKET && byte !== COLON;
}

function expect(text: Buffer, at: number, byte: number): number {
  if (text[at] !== byte) throw unexpected(text, at);
  return at + 1;
}

function unexpected(text: Buffer, at: number): SyntaxError {
  const shown = at >= text.length ? "the end" : JSON.stringify(text.toString("utf8", at, at + 12));
  return new SyntaxError(`malformed JSON at byte ${at}: ${shown}`);
}
