const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text as HTML, fit for element content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A value as JSON that can stand inside a script element. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(/</g, "\\u003c")
    .replace(/\u2028/g, "\\u2028")
    .replace(/\u2029/g, "\\u2029");
}

/** 0.914 -> `91%`; nothing to say -> `–`. */
export function percent(share: number | null | undefined): string {
  return share === null || share === undefined || Number.isNaN(share) ? "–" : `${Math.round(share * 100)}%`;
}

/** Bounds of a share: `86–94%`. */
export function percentRange([low, high]: readonly [number, number]): string {
  return `${Math.round(low * 100)}–${Math.round(high * 100)}%`;
}

/** 12345 -> `12 345`. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Seconds as a person says them: `42 s`, `7 min`, `1 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
