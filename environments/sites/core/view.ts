/** Path and query of a page in one form: empty parameters dropped, the rest sorted by name. */
export function viewOf(url: string): string {
  const { pathname, searchParams } = new URL(url, "http://site");
  return viewPath(pathname, Object.fromEntries(searchParams));
}

/** The form of `viewOf` for a path and parameters. */
export function viewPath(path: string, parameters: Record<string, string>): string {
  const kept = Object.entries(parameters).filter(([, value]) => value !== "");
  const query = new URLSearchParams(kept.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))).toString();
  return query === "" ? path : `${path}?${query}`;
}

/** A path that a form asks to be led back to; "/" where it is not one of this site. */
export function safePath(path: string): string {
  return /^\/(?!\/)[^\\]*$/.test(path) ? path : "/";
}
