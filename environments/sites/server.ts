import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { asForgeError, inputError } from "@openforgerl/contracts/errors";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { document, html } from "./core/html.ts";
import { lendState, type Site } from "./core/site.ts";
import { viewOf } from "./core/view.ts";
import { findSite, getFamily } from "./families.ts";
import type { GeneratedTask, SiteVerdict, TaskInstance, TaskRequest } from "./types.ts";

/** One seeded world, served to whoever enters by its URL. */
export interface SiteWorld {
  /** Opening it sets the world's cookie and leads to the task's first page. */
  readonly enterUrl: string;
  readonly task: GeneratedTask;
  /** Judges the world as it is now, with the agent's answer where the task asks a question. */
  verdict(answer: string | undefined): SiteVerdict;
  /** A copy of the state, for a person or a test to look at. */
  state(): unknown;
  /** Forgets the world; its pages then answer 410. */
  close(): void;
}

export interface SiteServer {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  /**
   * Makes a world from its seed. Each call makes a new one: worlds are never shared.
   * @throws ForgeError input/bad_input for an unknown family, or a family of another site.
   */
  openWorld(request: TaskRequest & { site: string }): Promise<SiteWorld>;
  close(): Promise<void>;
}

const COOKIE = "world";

interface OpenWorld {
  site: Site;
  instance: TaskInstance;
}

/**
 * Serves the sites from memory on a free port of the loopback interface.
 * @throws ForgeError environment/site_server_failed where no port can be had.
 */
export async function startSiteServer(): Promise<SiteServer> {
  const worlds = new Map<string, OpenWorld>();
  const server = createServer(siteApp(worlds));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  }).catch((error: unknown) => {
    throw asForgeError(error, {
      boundary: "environment",
      code: "site_server_failed",
      advice: "Free a port of the loopback interface and try again.",
    });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    async openWorld({ site: name, family, seed, split }) {
      const chosen = getFamily(family);
      const site = findSite(name);
      if (!site || chosen.site !== name) {
        throw inputError(`site of family ${family}`, name, `Set it to "${chosen.site}".`);
      }
      const instance = chosen.instantiate(seed, split);
      const token = randomBytes(16).toString("hex");
      worlds.set(token, { site, instance });
      return {
        enterUrl: `${url}/enter/${token}`,
        task: instance.task,
        verdict: (answer) => instance.verdict(answer),
        state: () => structuredClone(instance.state),
        close: () => void worlds.delete(token),
      };
    },
    async close() {
      worlds.clear();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function siteApp(worlds: ReadonlyMap<string, OpenWorld>): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", "simple");

  app.get("/enter/:token", (req, res) => {
    const world = worlds.get(req.params.token);
    if (!world) return gone(res);
    res.cookie(COOKIE, req.params.token, { httpOnly: true, sameSite: "lax" });
    res.redirect(world.instance.task.startPath);
  });

  app.use(express.urlencoded({ extended: false, limit: "64kb" }), express.json({ limit: "64kb" }));

  app.use((req: Request, res: Response, next: NextFunction) => {
    const world = worlds.get(cookieOf(req));
    if (!world) return gone(res);
    // Pages are never cached: going back shows the state as it is.
    res.setHeader("cache-control", "no-store");
    lendState(res, world.instance.state);
    if (req.method === "GET") world.instance.state.view = viewOf(req.originalUrl);
    world.site.handler(req, res, next);
  });

  app.use((_req: Request, res: Response) => {
    res.status(404).send(notice("Page not found", "There is nothing at this address."));
  });
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    const status = clientStatus(error) ?? 500;
    const what = status === 500 ? "The site failed" : "The site could not read that request";
    res.status(status).send(notice(what, "Go back and try again."));
  });
  return app;
}

function cookieOf(req: Request): string {
  const pairs = (req.headers.cookie ?? "").split(/;\s*/);
  const pair = pairs.find((candidate) => candidate.startsWith(`${COOKIE}=`));
  return pair?.slice(COOKIE.length + 1) ?? "";
}

function clientStatus(error: unknown): number | undefined {
  const status: unknown = error instanceof Error ? Reflect.get(error, "status") : undefined;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}

function gone(res: Response): void {
  const text =
    "This world has been closed, or was never opened. Open a new one and enter it by its own address.";
  res.status(410).send(notice("This world is gone", text));
}

function notice(title: string, text: string): string {
  const css = "body{font:15px/1.5 sans-serif;margin:48px;color:#222}h1{font-size:20px}";
  return document({ title, css, body: html`<h1>${title}</h1><p>${text}</p>` });
}
