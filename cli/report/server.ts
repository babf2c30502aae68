import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Sha256 } from "@openforgerl/contracts/content";
import { asForgeError, ForgeError } from "@openforgerl/contracts/errors";
import { openStore } from "@openforgerl/proxy/store";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import { readEpisode } from "./episode.ts";
import { reportPage } from "./page.ts";
import { rolloutRow } from "./rows.ts";
import { readRun } from "./run-data.ts";

/** A run's report, served. */
export interface ReportServer {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves the report of a run, with every rollout in it, on 127.0.0.1. The run may be growing: each load of the
 * page reads it anew.
 * @param port 0 for a free one.
 * @throws ForgeError input/no_run; input/port_taken.
 */
export async function serveReport(runDir: string, port: number): Promise<ReportServer> {
  await readRun(runDir);
  const server = createServer(reportApp(runDir));
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new ForgeError({
      boundary: "input",
      code: "port_taken",
      message: `Can't listen on 127.0.0.1:${port}.`,
      advice: "Choose another --port, or leave it out for a free one.",
      cause,
    });
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'";
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp"]);

function reportApp(runDir: string): Express {
  const store = openStore(runDir);
  const app = express();
  app.disable("x-powered-by");
  app.set("query parser", "simple");

  app.use((req, res, next) => {
    // A page of another origin may point its own name at this address.
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(req.headers.host ?? "")) {
      res.status(403).json({ error: "Open it as 127.0.0.1." });
      return;
    }
    res.setHeader("content-security-policy", POLICY);
    res.setHeader("x-content-type-options", "nosniff");
    next();
  });
  app.get("/", async (_req, res) => {
    const run = await readRun(runDir);
    // The newest first: that is what one looks for.
    const rollouts = run.rollouts.map(rolloutRow).reverse();
    res.setHeader("cache-control", "no-store");
    res.type("html").send(reportPage(run, { mode: "served", rollouts, episodes: {}, images: {} }));
  });
  app.get("/api/rollouts", async (_req, res) => {
    res.json((await readRun(runDir)).rollouts.map(rolloutRow));
  });
  app.get("/api/rollouts/:id", async (req, res) => {
    const { rollouts } = await readRun(runDir);
    const known = rollouts.find(({ rolloutId }) => rolloutId === req.params.id);
    const episode = known && (await readEpisode(runDir, known.rolloutId));
    if (episode) res.json(episode);
    else
      res
        .status(404)
        .json({ error: known ? "its trajectory is not in the run's folder" : "there is no such rollout" });
  });
  app.get("/blobs/:sha256", async (req, res) => {
    const address = Sha256.safeParse(req.params.sha256);
    const type = String(req.query.type ?? "image/png");
    if (!address.success || !IMAGE_TYPES.has(type)) {
      res.status(400).json({ error: "not the address of an image" });
      return;
    }
    const bytes = await store.readBlob(address.data).catch(() => undefined);
    if (bytes === undefined) {
      res.status(404).json({ error: "there is no such image" });
      return;
    }
    res.setHeader("cache-control", "max-age=31536000, immutable");
    res.type(type).send(Buffer.from(bytes));
  });
  app.use((_req: Request, res: Response) => void res.status(404).json({ error: "there is nothing here" }));
  app.use((thrown: unknown, _req: Request, res: Response, _next: NextFunction) => {
    const advice = "Look at the run's folder.";
    const error = asForgeError(thrown, { boundary: "runtime", code: "report_failed", advice });
    res.status(500).json({ error: error.message, advice: error.advice });
  });
  return app;
}
