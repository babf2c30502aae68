import { CallRecord, PromptImage } from "@openforgerl/contracts/call";
import { Sha256 } from "@openforgerl/contracts/content";
import { SessionReport } from "@openforgerl/contracts/session";
import { z } from "zod";

/**
 * One session's journal: JSON lines, append-only. Lines of one kind are numbered from 0 in the order in
 * which they stand, and refer to each other by number.
 */
const Hole = z.tuple([z.int(), Sha256, z.enum(["base64", "text"])]);
const CacheMark = z.tuple([z.int(), z.string()]);

/** `s`: opens the journal. */
export const SessionLine = z.object({
  t: z.literal("s"),
  schemaVersion: z.literal(1),
  id: z.string(),
  createdAt: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** `p`: a stretch of JSON text, in the line (`s`) or, where it is long, in the content store (`b`). */
export const PartLine = z.object({
  t: z.literal("p"),
  s: z.string().optional(),
  b: Sha256.optional(),
  h: z.array(Hole).optional(),
});

/** `n`: a message (part `m`) behind the messages of node `p`; the first has `p` -1. */
export const NodeLine = z.object({ t: z.literal("n"), p: z.int(), m: z.int() });

/** `r`: the top level of a request: keys with their text, a part's number, or null for the messages. */
export const RestLine = z.object({
  t: z.literal("r"),
  f: z.array(z.tuple([z.string(), z.union([z.string(), z.int(), z.null()])])),
});

/** Where a response's bytes are: as text, zstd in base64, or zstd in the content store. */
export const ResponseBody = z.object({
  u: z.string().optional(),
  z: z.string().optional(),
  b: Sha256.optional(),
  /** The prompt's token ids were cut out at this byte, written with this separator. */
  ids: z.tuple([z.int(), z.string()]).optional(),
});

/** Tokens of a complete call, relative to an earlier one. */
export const TokenBlock = z.object({
  /** Number of that earlier call among those with tokens; -1: none. */
  n: z.int(),
  /** Leading prompt tokens that are that call's prompt and completion. */
  k: z.int(),
  /** The rest of the prompt, the sampled ids, the log-probabilities (see numbers.ts). */
  p: z.string(),
  c: z.string(),
  l: z.string(),
  /** Images behind `k`; or `a`, all of them, where the inherited ones differ. */
  i: z.array(PromptImage).optional(),
  a: z.array(PromptImage).optional(),
});

/** `c`: one call. */
export const CallLine = z.object({
  t: z.literal("c"),
  rec: CallRecord,
  /** Node of the last message (-1: none), top level, cache marks by message. */
  q: z.object({ n: z.int(), r: z.int(), c: z.array(z.tuple([z.int(), z.array(CacheMark)])).optional() }),
  a: ResponseBody.nullable(),
  k: TokenBlock.nullable(),
});

/** `end`: the seal. Nothing may follow it. */
export const SealLine = z.object({
  t: z.literal("end"),
  sealedAt: z.string(),
  /** Lines before this one. */
  lines: z.int(),
  calls: z.int(),
  report: SessionReport,
});

export const JournalLine = z.discriminatedUnion("t", [
  SessionLine,
  PartLine,
  NodeLine,
  RestLine,
  CallLine,
  SealLine,
]);
export type JournalLine = z.infer<typeof JournalLine>;
export type SessionLine = z.infer<typeof SessionLine>;
export type PartLine = z.infer<typeof PartLine>;
export type NodeLine = z.infer<typeof NodeLine>;
export type RestLine = z.infer<typeof RestLine>;
export type CallLine = z.infer<typeof CallLine>;
export type SealLine = z.infer<typeof SealLine>;
export type ResponseBody = z.infer<typeof ResponseBody>;
export type TokenBlock = z.infer<typeof TokenBlock>;
