import { SLOTS } from "./grammar.ts";
import { DIRECTIONS, END, KEYS, SLOT_BASE, type SlotKind, tokenVerb } from "./tokens.ts";

/**
 * What the tokens of a completion say, for people: `click`, `mark 3`, `end`. A token that the grammar does not
 * allow in its place is given as its number. Pure.
 */
export function describeTokens(completion: readonly number[]): string[] {
  const verb = tokenVerb(completion[0] ?? -1);
  const slots = verb ? SLOTS[verb] : [];
  return completion.map((token, i) => {
    if (token === END) return "end";
    if (i === 0) return verb ?? String(token);
    const slot = slots[i - 1];
    return slot === undefined ? String(token) : choiceName(slot, token - SLOT_BASE[slot]);
  });
}

function choiceName(slot: SlotKind, choice: number): string {
  switch (slot) {
    case "key":
      return KEYS[choice] ?? `key ${choice}`;
    case "direction":
      return DIRECTIONS[choice] ?? `direction ${choice}`;
    case "submit":
      return choice === 1 ? "and Enter" : "no Enter";
    case "accept":
      return choice === 1 ? "accept" : "dismiss";
    case "start":
      return `from word ${choice}`;
    case "end":
      return `to word ${choice}`;
    case "skip":
      return `without ${choice} words`;
    default:
      return `${slot} ${choice}`;
  }
}
