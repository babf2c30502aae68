import { Split } from "@openforgerl/contracts/task";
import { InvalidArgumentError } from "commander";

/**
 * Parsers of option values, for commander. Each throws commander's own error, which is shown with the
 * option's name and the value given.
 */

/** A parser of whole numbers from `least` to `most`, where a run beyond that would want for memory or time. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number, ${range}.`);
    }
    return value;
  };
}

/** A whole number, 1 or more. */
export const positiveInt = wholeNumber(1);

/** A whole number, 0 or more. */
export const nonNegativeInt = wholeNumber(0);

/** A number, 0 or more. */
export function nonNegativeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError("It must be a number, 0 or more.");
  }
  return value;
}

/** A TCP port; 0 stands for a free one. */
export function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError("It must be a port, 0 to 65535.");
  return value;
}

/** Names separated by commas, and by repeating the option. */
export function list(text: string, before: readonly string[] = []): string[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0) throw new InvalidArgumentError("It must be one name or more, separated by commas.");
  return [...before, ...names];
}

/** A split of the tasks. */
export function split(text: string): Split {
  const found = Split.safeParse(text);
  if (!found.success) throw new InvalidArgumentError(`It must be one of ${Split.options.join(", ")}.`);
  return found.data;
}
