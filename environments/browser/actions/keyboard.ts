import type { ActResult } from "@openforgerl/contracts/environment";
import type { CdpSession } from "../engine.ts";
import { type Key, keyOfCharacter, MODIFIERS, parseChord } from "../keys.ts";
import type { BrowserPage } from "../page.ts";

/** Longer texts are pasted in one piece, but for their last character. */
const TYPED_LENGTH = 200;

function down(session: CdpSession, key: Key, modifiers: number): Promise<unknown> {
  const typesText = key.text !== undefined && (modifiers & ~MODIFIERS.Shift!) === 0;
  return session.send("Input.dispatchKeyEvent", {
    type: typesText ? "keyDown" : "rawKeyDown",
    key: key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
    modifiers,
    ...(typesText ? { text: key.text!, unmodifiedText: key.text! } : {}),
  });
}

function up(session: CdpSession, key: Key, modifiers: number): Promise<unknown> {
  return session.send("Input.dispatchKeyEvent", {
    type: "keyUp",
    key: key.key,
    code: key.code,
    windowsVirtualKeyCode: key.keyCode,
    modifiers,
  });
}

/** Presses a chord: keys go down in order and up in reverse. */
export async function press(page: BrowserPage, keys: string): Promise<ActResult> {
  const chord = parseChord(keys);
  if ("unknown" in chord) {
    return {
      ok: false,
      code: "no_such_key",
      message: `There is no key ${JSON.stringify(chord.unknown)} (in ${JSON.stringify(keys)}); use names such as Enter, Tab, Escape, ArrowDown, Control+a.`,
    };
  }
  const sent: Promise<unknown>[] = [];
  let modifiers = 0;
  for (const key of chord.keys) {
    modifiers |= MODIFIERS[key.key] ?? 0;
    sent.push(down(page.session, withShift(key, modifiers), modifiers | (key.shift ? MODIFIERS.Shift! : 0)));
  }
  for (const key of [...chord.keys].reverse()) {
    modifiers &= ~(MODIFIERS[key.key] ?? 0);
    sent.push(up(page.session, key, modifiers));
  }
  await page.ask(Promise.all(sent));
  return { ok: true };
}

/** Shift+a types an A. */
function withShift(key: Key, modifiers: number): Key {
  if ((modifiers & MODIFIERS.Shift!) === 0 || !/^[a-z]$/.test(key.key)) return key;
  return keyOfCharacter(key.key.toUpperCase()) ?? key;
}

/** Types text into whatever has the focus, key by key where the text is short. */
export async function typeText(page: BrowserPage, text: string): Promise<void> {
  const { session } = page;
  const characters = [...text];
  const pasted = characters.length > TYPED_LENGTH ? characters.length - 1 : 0;
  // Sent without waiting for each: DevTools keeps their order.
  const sent: Promise<unknown>[] = [];
  if (pasted > 0) sent.push(session.send("Input.insertText", { text: characters.slice(0, pasted).join("") }));
  for (const character of characters.slice(pasted)) {
    const key = keyOfCharacter(character);
    if (key === undefined) sent.push(session.send("Input.insertText", { text: character }));
    else {
      const modifiers = key.shift ? MODIFIERS.Shift! : 0;
      sent.push(down(session, key, modifiers), up(session, key, modifiers));
    }
  }
  await page.ask(Promise.all(sent), 15_000 + characters.length * 20);
}
