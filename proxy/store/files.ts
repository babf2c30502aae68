import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ForgeError } from "@openforgerl/contracts/errors";

/** The few things the store asks of a file system; tests put a full disk in its place. */
export interface StoreFiles {
  /** Creates the directory and its parents. */
  mkdir(path: string): Promise<void>;
  /** Size in bytes, or undefined where there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** Writes a file in one step: a reader sees all of it or nothing. */
  writeAtomic(path: string, bytes: Uint8Array): Promise<void>;
  openAppend(path: string): Promise<AppendFile>;
  /** Makes a file's or directory's bytes durable. */
  sync(path: string): Promise<void>;
}

export interface AppendFile {
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

let temporary = 0;

/** The real file system. */
export const nodeFiles: StoreFiles = {
  mkdir: async (path) => {
    await mkdir(path, { recursive: true });
  },
  size: async (path) => {
    try {
      return (await stat(path)).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  },
  writeAtomic: async (path, bytes) => {
    const draft = `${path}.${process.pid}-${temporary++}.tmp`;
    const file = await open(draft, "wx");
    try {
      await file.writeFile(bytes);
      await file.close();
      await rename(draft, path);
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
      throw error;
    }
  },
  openAppend: async (path) => {
    const file = await open(path, "ax");
    return {
      append: (bytes) => writeAll(file, bytes),
      sync: () => file.datasync(),
      close: () => file.close(),
    };
  },
  sync: async (path) => {
    const file = await open(path, "r");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  },
};

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

/** What a failed write means to a person. @param bytes how many were to be written. */
export function storeError(error: unknown, path: string, bytes: number): ForgeError {
  if (error instanceof ForgeError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new ForgeError({
      boundary: "proxy",
      code: "disk_full",
      message: `No space left for ${path}: ${bytes} bytes needed.`,
      advice: `Free at least ${bytes} bytes on the disk of ${dirname(path)} and resume the run.`,
      cause: error,
    });
  }
  return new ForgeError({
    boundary: "proxy",
    code: "record_failed",
    message: `Can't write ${path}: ${message}`,
    advice: `Check that ${dirname(path)} exists and may be written to.`,
    cause: error,
  });
}
