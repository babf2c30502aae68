import type { SiteState, SiteVerdict } from "../types.ts";

interface Difference {
  path: string;
  expected: unknown;
  found: unknown;
}

/** Differences shown in a verdict; the rest are counted. */
const SHOWN = 8;

/**
 * Demands that a state is exactly the state asked for: nothing missing, nothing extra, nothing else changed.
 * The page last viewed counts only where the expected state names one.
 */
export function judgeState(
  expected: SiteState,
  actual: SiteState,
  question: { expected: string | undefined; given: string | undefined },
): SiteVerdict {
  const differences: Difference[] = [];
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    if (key === "view" && expected.view === "") continue;
    compare(key, Reflect.get(expected, key), Reflect.get(actual, key), differences);
  }
  const answerRight = question.expected === undefined || sameAnswer(question.expected, question.given);
  const evidence: Record<string, unknown> = {
    differences: differences.slice(0, SHOWN),
    differenceCount: differences.length,
    ...(question.expected === undefined ? {} : { expectedAnswer: question.expected }),
    ...(question.given === undefined ? {} : { givenAnswer: question.given }),
  };
  const first = differences[0];
  if (first) {
    const more = differences.length > 1 ? `, and ${differences.length - 1} more` : "";
    const reason = `${first.path} should be ${show(first.expected)} but is ${show(first.found)}${more}.`;
    return { score: 0, reason, evidence };
  }
  if (!answerRight) {
    const given =
      question.given === undefined ? "no answer was given" : `the answer was ${show(question.given)}`;
    return { score: 0, reason: `The answer should be ${show(question.expected)}; ${given}.`, evidence };
  }
  const what = question.expected === undefined ? "The state is exactly as asked" : "The answer is right";
  return { score: 1, reason: `${what}.`, evidence };
}

/** Whether two answers say the same thing: white space, case, outer quotes, end stop and currency sign aside. */
export function sameAnswer(expected: string, given: string | undefined): boolean {
  return given !== undefined && fold(expected) === fold(given);
}

function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[$€£]/g, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^["'“”‘’]+|["'“”‘’.]+$/g, "")
    .trim();
}

function compare(path: string, expected: unknown, found: unknown, into: Difference[]): void {
  if (Object.is(expected, found)) return;
  if (Array.isArray(expected) && Array.isArray(found)) {
    for (let i = 0; i < Math.max(expected.length, found.length); i++) {
      compare(`${path}[${i}]`, expected[i], found[i], into);
    }
  } else if (isRecord(expected) && isRecord(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      compare(`${path}.${key}`, expected[key], found[key], into);
    }
  } else {
    into.push({ path, expected, found });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length > 90 ? `${text.slice(0, 87)}…` : text;
}
