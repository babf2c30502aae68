import type { ScannedBody } from "./store/request-encoder.ts";

/**
 * Sets top-level fields of a JSON body and leaves every other byte as it is. A field that is there (even
 * twice) is replaced in place; the others are added at the end.
 */
export function setFields(body: ScannedBody, fields: Record<string, unknown>): Buffer {
  const missing = new Map(Object.entries(fields));
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { key, start, end } of body.entries) {
    if (!Object.hasOwn(fields, key)) continue;
    missing.delete(key);
    pieces.push(body.bytes.subarray(from, start), Buffer.from(JSON.stringify(fields[key])));
    from = end;
  }
  if (missing.size > 0) {
    const added = [...missing].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    const comma = body.entries.length === 0 ? "" : ",";
    pieces.push(body.bytes.subarray(from, body.close), Buffer.from(comma + added.join(",")));
    from = body.close;
  }
  pieces.push(body.bytes.subarray(from));
  return Buffer.concat(pieces);
}

/** Reads a short top-level value (the last where there are several); undefined where absent or no JSON. */
export function readField(body: ScannedBody, key: string): unknown {
  const entry = body.entries.findLast((candidate) => candidate.key === key);
  if (entry === undefined) return undefined;
  try {
    return JSON.parse(body.bytes.toString("utf8", entry.start, entry.end));
  } catch {
    return undefined;
  }
}
