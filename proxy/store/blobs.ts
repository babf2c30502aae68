import { join } from "node:path";
import type { Sha256 } from "@openforgerl/contracts/content";
import { nodeFiles, type StoreFiles, storeError } from "./files.ts";
import type { Blob } from "./parts.ts";

/** Files synced at the same time; more only queue up in Node's thread pool. */
const SYNC_WIDTH = 8;

/** Path of a blob under the records directory. */
export function blobPath(recordsDir: string, address: Sha256): string {
  return join(recordsDir, "blobs", address.slice(0, 2), address.slice(2));
}

/** Writes the content store: each distinct blob once for the whole run, atomically. */
export class BlobWriter {
  readonly #dir: string;
  readonly #files: StoreFiles;
  /** Blobs on disk or on their way there. */
  readonly #known = new Map<Sha256, Promise<void>>();
  readonly #folders = new Map<string, Promise<void>>();
  /** Paths written since the last sync. */
  #unsynced = new Set<string>();
  #syncing: Promise<void> = Promise.resolve();
  #nextSync: Promise<void> | undefined;

  constructor(recordsDir: string, files: StoreFiles = nodeFiles) {
    this.#dir = recordsDir;
    this.#files = files;
  }

  /**
   * Resolves when the blob can be read back.
   * @throws ForgeError `proxy/disk_full` or `proxy/record_failed`.
   */
  put(blob: Blob): Promise<void> {
    let written = this.#known.get(blob.sha256);
    if (written === undefined) {
      written = this.#write(blob);
      this.#known.set(blob.sha256, written);
      // A blob that could not be written is tried again when it comes up next.
      written.catch(() => this.#known.delete(blob.sha256));
    }
    return written;
  }

  /** Makes every blob put so far durable. Calls that come while one runs share the next one. */
  sync(): Promise<void> {
    this.#nextSync ??= this.#syncing.then(() => {
      this.#nextSync = undefined;
      const run = this.#syncNow();
      this.#syncing = run.catch(() => undefined);
      return run;
    });
    return this.#nextSync;
  }

  async #write({ sha256, bytes }: Blob): Promise<void> {
    const path = blobPath(this.#dir, sha256);
    try {
      // A file cut short by a power loss is written anew.
      if ((await this.#files.size(path)) !== bytes.length) {
        await this.#folder(join(path, ".."));
        await this.#files.writeAtomic(path, bytes);
      }
      // One that another writer put there may not be durable yet, so it is synced with ours.
      this.#unsynced.add(path);
    } catch (error) {
      throw storeError(error, path, bytes.length);
    }
  }

  #folder(path: string): Promise<void> {
    let made = this.#folders.get(path);
    if (made === undefined) {
      made = this.#files.mkdir(path);
      this.#folders.set(path, made);
      made.catch(() => this.#folders.delete(path));
    }
    return made;
  }

  async #syncNow(): Promise<void> {
    const paths = this.#unsynced;
    this.#unsynced = new Set();
    const folders = new Set([...paths].map((path) => join(path, "..")));
    try {
      await this.#syncAll([...paths]);
      await this.#syncAll([...folders]);
    } catch (error) {
      for (const path of paths) this.#unsynced.add(path);
      throw storeError(error, this.#dir, 0);
    }
  }

  async #syncAll(paths: string[]): Promise<void> {
    const queue = paths[Symbol.iterator]();
    const worker = async (): Promise<void> => {
      for (const path of queue) await this.#files.sync(path);
    };
    await Promise.all(Array.from({ length: SYNC_WIDTH }, worker));
  }
}
