import type { Environment, EnvironmentSpec, ProbeQuery } from "@openforgerl/contracts/environment";
import { asForgeError, ForgeError } from "@openforgerl/contracts/errors";
import type { BrowserPool, EpisodeExtras } from "./browser/pool.ts";

/** Where and how a site world scores; the structural part of the site server that this file needs. */
export interface SiteWorldLike {
  enterUrl: string;
  verdict(answer: string | undefined): { score: number; reason: string; evidence: Record<string, unknown> };
  close(): void | Promise<void>;
}
export interface SiteServerLike {
  openWorld(where: {
    site: string;
    family: string;
    seed: number;
    split: "train" | "dev" | "test";
  }): Promise<SiteWorldLike>;
}

/** Opens the environment that a task's spec describes. */
export interface EnvironmentProvider {
  /**
   * @throws ForgeError: boundary `environment` from the browser, `input` where the spec names a site or
   *   family that does not exist, `environment/no_sites` where it needs sites and none are served.
   */
  open(spec: EnvironmentSpec, extras?: EpisodeExtras): Promise<Environment>;
  /** Closes the environments still open. The pool and the site server stay their owner's. */
  close(): Promise<void>;
}

/** Joins a browser pool and a site server into one way to open environments. */
export function createEnvironmentProvider(parts: {
  pool: BrowserPool;
  sites?: SiteServerLike;
}): EnvironmentProvider {
  const open = new Set<Environment>();

  /** Adds an environment to those that `close` ends. */
  function tracked(env: Environment): Environment {
    open.add(env);
    const close = env.close.bind(env);
    env.close = async () => {
      open.delete(env);
      await close();
    };
    return env;
  }

  async function openSite(
    spec: EnvironmentSpec & { start: { at: "site" } },
    extras: EpisodeExtras,
  ): Promise<Environment> {
    if (parts.sites === undefined) {
      throw new ForgeError({
        boundary: "environment",
        code: "no_sites",
        message: `The task starts at the site ${spec.start.site}, but no site server is running.`,
        advice: "Give the environment provider a site server.",
      });
    }
    const { at: _, ...where } = spec.start;
    const world = await parts.sites.openWorld(where);
    try {
      return inWorld(await parts.pool.open(spec, world.enterUrl, extras), world);
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  return {
    async open(spec, extras = {}) {
      const { start } = spec;
      if (start.at === "url") return tracked(await parts.pool.open(spec, start.url, extras));
      return tracked(await openSite({ ...spec, start }, extras));
    },
    async close() {
      await Promise.all([...open].map((env) => env.close().catch(() => {})));
    },
  };
}

/** An environment whose verdict comes from the site world behind its page. */
function inWorld(env: Environment, world: SiteWorldLike): Environment {
  return {
    capabilities: env.capabilities,
    observe: (want) => env.observe(want),
    act: (action) => env.act(action),
    cdpUrl: () => env.cdpUrl(),
    async probe(query: ProbeQuery) {
      if (query.type !== "site_verdict") return await env.probe(query);
      try {
        return { ok: true, value: world.verdict(query.answer) };
      } catch (error) {
        const fault = asForgeError(error, {
          boundary: "environment",
          code: "verdict_failed",
          advice: "The site's judge is at fault; see the cause.",
        });
        return { ok: false, message: fault.message };
      }
    },
    async close() {
      try {
        await env.close();
      } finally {
        await world.close();
      }
    },
  };
}
