import type { ImageRef } from "@openforgerl/contracts/content";
import type { LeaseBackend } from "@openforgerl/contracts/lease";
import type { Screenshot } from "@openforgerl/contracts/observation";
import { openBrowserPool } from "@openforgerl/environments/browser/pool";
import { RenderCache } from "@openforgerl/environments/browser/render-cache";
import { startToolServer, type ToolServer } from "@openforgerl/environments/mcp/server";
import { createEnvironmentProvider, type EnvironmentProvider } from "@openforgerl/environments/provider";
import { startSiteServer } from "@openforgerl/environments/sites/server";
import { type Proxy as RecordingProxy, startProxy, type UpstreamConfig } from "@openforgerl/proxy/server";
import { BlobWriter } from "@openforgerl/proxy/store/blobs";
import { sha256 } from "@openforgerl/proxy/store/parts";
import { createLocalBackend } from "./local-backend.ts";
import type { RunFolder } from "./run-folder.ts";

/** Everything that the rollouts of a run share, started once and closed together. */
export interface RolloutServices {
  run: RunFolder;
  backend: LeaseBackend;
  environments: EnvironmentProvider;
  tools: ToolServer;
  proxy: RecordingProxy;
  browserVersion: string;
  /** Puts a screenshot into the run's content store and returns its address. */
  keepScreenshot(screenshot: Screenshot): Promise<ImageRef>;
  close(): Promise<void>;
}

export interface ServicesOptions {
  run: RunFolder;
  upstreams: UpstreamConfig[];
  concurrency: number;
}

/**
 * Starts browser pool, site server, tool server and proxy, in that order, and closes what had started when
 * a later one fails.
 */
export async function startServices({
  run,
  upstreams,
  concurrency,
}: ServicesOptions): Promise<RolloutServices> {
  const closers: Array<() => Promise<void>> = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer().catch(() => {});
  };
  try {
    const pool = await openBrowserPool({ size: concurrency, renderCache: new RenderCache() });
    closers.push(() => pool.close());
    const sites = await startSiteServer();
    closers.push(() => sites.close());
    const environments = createEnvironmentProvider({ pool, sites });
    const tools = await startToolServer();
    closers.push(() => tools.close());
    const proxy = await startProxy({ recordsDir: run.dir, upstreams });
    closers.push(() => proxy.close());
    const blobs = new BlobWriter(run.dir);
    const backend = createLocalBackend(concurrency);
    closers.push(() => backend.close());
    return {
      run,
      backend,
      environments,
      tools,
      proxy,
      browserVersion: pool.browserVersion,
      async keepScreenshot({ bytes, mediaType, width, height, scale }) {
        const address = sha256(bytes);
        await blobs.put({ sha256: address, bytes });
        return { sha256: address, size: bytes.length, mediaType, width, height, scale };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
