import { type Request, type RequestHandler, type Response, Router } from "express";
import type { SiteInfo, SiteState } from "../types.ts";

/** A site with the request handler that serves its worlds. */
export interface Site extends SiteInfo {
  readonly handler: RequestHandler;
}

/** Gives a response its world's state; set by the server before the site's handler runs. */
const STATE = Symbol("site state");

/** Lends a world's state to the site's handler for one request. */
export function lendState(res: Response, state: SiteState): void {
  Reflect.set(res.locals, STATE, state);
}

/**
 * Defines a site. `routes` registers handlers on a router; each asks `state(res)` for its world.
 * The server hands a site only worlds of that site's own families, which is what makes S true.
 */
export function defineSite<S extends SiteState>(
  info: SiteInfo,
  routes: (router: Router, state: (res: Response) => S) => void,
): Site {
  const router = Router();
  routes(router, (res) => Reflect.get(res.locals, STATE) as S);
  return { ...info, handler: router };
}

/** A text field of a form post: line ends folded to \n, outer white space dropped, "" where absent. */
export function formText(req: Request, name: string): string {
  return text((req.body as Record<string, unknown> | undefined)?.[name]);
}

/** A query parameter; "" where absent. */
export function queryText(req: Request, name: string): string {
  return text(req.query[name]);
}

/** All values of a repeated form field, such as a group of checkboxes. */
export function formList(req: Request, name: string): string[] {
  const value = (req.body as Record<string, unknown> | undefined)?.[name];
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(text);
}

function text(value: unknown): string {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" ? one.replaceAll("\r\n", "\n").trim() : "";
}
