/** One key as DevTools wants it described. */
export interface Key {
  key: string;
  code: string;
  keyCode: number;
  /** The text it types, if any. */
  text?: string;
  /** Whether a US keyboard needs Shift for it. */
  shift?: boolean;
}

/** Modifier bits of `Input.dispatchKeyEvent`. */
export const MODIFIERS: Record<string, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

const NAMED: Record<string, [code: string, keyCode: number, text?: string]> = {
  Enter: ["Enter", 13, "\r"],
  Tab: ["Tab", 9],
  Escape: ["Escape", 27],
  Backspace: ["Backspace", 8],
  Delete: ["Delete", 46],
  Insert: ["Insert", 45],
  Home: ["Home", 36],
  End: ["End", 35],
  PageUp: ["PageUp", 33],
  PageDown: ["PageDown", 34],
  ArrowLeft: ["ArrowLeft", 37],
  ArrowUp: ["ArrowUp", 38],
  ArrowRight: ["ArrowRight", 39],
  ArrowDown: ["ArrowDown", 40],
  Shift: ["ShiftLeft", 16],
  Control: ["ControlLeft", 17],
  Alt: ["AltLeft", 18],
  Meta: ["MetaLeft", 91],
  CapsLock: ["CapsLock", 20],
  ContextMenu: ["ContextMenu", 93],
};
for (let n = 1; n <= 12; n++) NAMED[`F${n}`] = [`F${n}`, 111 + n];

/** Everyday names that people and models use instead of the W3C ones, in lower case. */
const ALIASES: Record<string, string> = {
  ctrl: "Control",
  cmd: "Meta",
  command: "Meta",
  super: "Meta",
  win: "Meta",
  option: "Alt",
  esc: "Escape",
  return: "Enter",
  del: "Delete",
  ins: "Insert",
  space: " ",
  spacebar: " ",
  up: "ArrowUp",
  down: "ArrowDown",
  left: "ArrowLeft",
  right: "ArrowRight",
  page_up: "PageUp",
  page_down: "PageDown",
  pgup: "PageUp",
  pgdn: "PageDown",
  plus: "+",
};

/** [code, keyCode, plain, shifted] of the US layout's punctuation. */
const PUNCTUATION: [string, number, string, string][] = [
  ["Backquote", 192, "`", "~"],
  ["Minus", 189, "-", "_"],
  ["Equal", 187, "=", "+"],
  ["BracketLeft", 219, "[", "{"],
  ["BracketRight", 221, "]", "}"],
  ["Backslash", 220, "\\", "|"],
  ["Semicolon", 186, ";", ":"],
  ["Quote", 222, "'", '"'],
  ["Comma", 188, ",", "<"],
  ["Period", 190, ".", ">"],
  ["Slash", 191, "/", "?"],
  ["Space", 32, " ", " "],
  ...[..."0123456789"].map((digit, at): [string, number, string, string] => [
    `Digit${digit}`,
    48 + at,
    digit,
    ")!@#$%^&*("[at]!,
  ]),
];

const CHARACTERS = new Map<string, Key>();
for (const [code, keyCode, plain, shifted] of PUNCTUATION) {
  CHARACTERS.set(shifted, { key: shifted, code, keyCode, text: shifted, shift: true });
  CHARACTERS.set(plain, { key: plain, code, keyCode, text: plain });
}
for (const letter of "abcdefghijklmnopqrstuvwxyz") {
  const upper = letter.toUpperCase();
  const at = { code: `Key${upper}`, keyCode: upper.charCodeAt(0) };
  CHARACTERS.set(letter, { key: letter, ...at, text: letter });
  CHARACTERS.set(upper, { key: upper, ...at, text: upper, shift: true });
}

const NAMED_LOWER = new Map(Object.keys(NAMED).map((name) => [name.toLowerCase(), name]));

/** The key of a character on a US keyboard, if it has one. A line feed is Enter, a tab is Tab. */
export function keyOfCharacter(character: string): Key | undefined {
  if (character === "\n" || character === "\r") return namedKey("Enter");
  if (character === "\t") return namedKey("Tab");
  return CHARACTERS.get(character);
}

/**
 * Reads a chord such as `Control+a`, `Shift+Tab` or `+`. W3C `KeyboardEvent.key` names; letter case of
 * names and common short forms (`ctrl`, `esc`, `return`) are forgiven.
 * @returns the keys in order, modifiers first as written, or the part that names no key.
 */
export function parseChord(keys: string): { keys: Key[] } | { unknown: string } {
  const parts = keys === "+" ? ["+"] : keys.replace(/\+\+$/, "+plus").split("+");
  const found: Key[] = [];
  for (const part of parts) {
    const key = keyOfName(part === " " ? part : part.trim());
    if (key === undefined) return { unknown: part };
    found.push(key);
  }
  return { keys: found };
}

function keyOfName(name: string): Key | undefined {
  const character = CHARACTERS.get(name);
  if (character) return character;
  const lower = name.toLowerCase();
  const known = NAMED_LOWER.get(lower);
  if (known) return namedKey(known);
  const alias = ALIASES[lower];
  if (alias === undefined) return undefined;
  return CHARACTERS.get(alias) ?? namedKey(alias);
}

function namedKey(name: string): Key {
  const [code, keyCode, text] = NAMED[name]!;
  return { key: name, code, keyCode, ...(text === undefined ? {} : { text }) };
}
