import { z } from "zod";

/**
 * The one place a failure belongs to (STYLE.md 5). Retry policy and reports are decided by boundary and
 * code, never by message text.
 */
export const Boundary = z.enum([
  "input",
  "model",
  "harness",
  "environment",
  "proxy",
  "runtime",
  "judge",
  "trainer",
]);
export type Boundary = z.infer<typeof Boundary>;

/** A fault as it is written to disk or to a wire. */
export const Fault = z.object({
  boundary: Boundary,
  /** Stable, lower_snake_case. */
  code: z.string().regex(/^[a-z][a-z0-9_]*$/),
  message: z.string(),
  /** What the reader should do next, one sentence. */
  advice: z.string(),
  retryable: z.boolean(),
  /** Messages of the cause chain, nearest first. */
  causes: z.array(z.string()).default([]),
});
export type Fault = z.infer<typeof Fault>;

export interface ForgeErrorOptions {
  boundary: Boundary;
  code: string;
  message: string;
  advice: string;
  retryable?: boolean;
  cause?: unknown;
}

/** The only error class that crosses a package border. Check by `boundary` and `code`. */
export class ForgeError extends Error {
  readonly boundary: Boundary;
  readonly code: string;
  readonly advice: string;
  readonly retryable: boolean;

  constructor(options: ForgeErrorOptions) {
    super(options.message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = "ForgeError";
    this.boundary = options.boundary;
    this.code = options.code;
    this.advice = options.advice;
    this.retryable = options.retryable ?? false;
  }

  /** The serialisable form of this error. */
  toFault(): Fault {
    return {
      boundary: this.boundary,
      code: this.code,
      message: this.message,
      advice: this.advice,
      retryable: this.retryable,
      causes: causeMessages(this.cause),
    };
  }
}

/** Bad input from a person: a file, flag, row or request. Names the field, the value and the mend. */
export function inputError(where: string, value: unknown, advice: string, cause?: unknown): ForgeError {
  const shown = value === undefined ? "" : ` (got ${shorten(JSON.stringify(value) ?? String(value))})`;
  return new ForgeError({
    boundary: "input",
    code: "bad_input",
    message: `${where}${shown}`,
    advice,
    cause,
  });
}

/** Turns anything thrown into a ForgeError; a ForgeError is returned as it is. */
export function asForgeError(
  thrown: unknown,
  fallback: Omit<ForgeErrorOptions, "message" | "cause">,
): ForgeError {
  if (thrown instanceof ForgeError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ForgeError({ ...fallback, message, cause: thrown });
}

/**
 * Parses data from outside with a schema.
 * @param where the file (and line) or wire field the data came from; it opens the error's sentence.
 * @throws ForgeError `input/bad_input` naming every failing field, its value and what was expected.
 */
export function parseInput<S extends z.ZodType>(schema: S, data: unknown, where: string): z.output<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const path = issue.path.map(String).join(".") || "(top level)";
    const value = issue.path.reduce<unknown>(
      (node, key) => (node === null || typeof node !== "object" ? undefined : Reflect.get(node, key)),
      data,
    );
    return `${path}: ${issue.message}, got ${shorten(JSON.stringify(value) ?? "nothing")}`;
  });
  throw new ForgeError({
    boundary: "input",
    code: "bad_input",
    message: `${where}: ${problems.join("; ")}`,
    advice: "Correct the named fields and try again.",
    cause: parsed.error,
  });
}

/** A path as it can be pasted into a shell command: quoted where it has to be. */
export function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}…` : text;
}

function causeMessages(cause: unknown): string[] {
  const messages: string[] = [];
  for (let at = cause; at instanceof Error && messages.length < 8; at = at.cause) messages.push(at.message);
  return messages;
}
