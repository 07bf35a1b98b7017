/**
 * An open folder. Names are looked up in the folder that was opened, even if its path leads elsewhere by now. So a
 * symbolic link that appears during a call can't redirect the call. On Linux, this works through /proc. On other
 * systems the path is used, and each part of it is opened without following links.
 */
import { constants, mkdir, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ioErrorCode } from "@plugboard/store";

const OPEN_FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

export class FolderHandle {
  readonly #handle: FileHandle | undefined;
  readonly #path: string;

  private constructor(handle: FileHandle | undefined, path: string) {
    this.#handle = handle;
    this.#path = path;
  }

  /** Opens a folder by its real path. */
  static async open(path: string): Promise<FolderHandle> {
    // Windows can't open folders.
    if (process.platform === "win32") return new FolderHandle(undefined, path);
    const handle = await open(path, OPEN_FOLDER);
    const byDescriptor = descriptorPath(handle.fd);
    return new FolderHandle(handle, byDescriptor ?? path);
  }

  /**
   * Opens the folder that the names lead to, one folder after another. With `create`, makes missing folders. Fails if
   * one of the names is a symbolic link.
   */
  static async walk(root: string, names: readonly string[], { create = false } = {}): Promise<FolderHandle> {
    let folder = await FolderHandle.open(root);
    for (const name of names) {
      const parent = folder;
      try {
        folder = await parent.#openChild(name, create);
      } finally {
        await parent.close();
      }
    }
    return folder;
  }

  /** Returns a path for the functions of `node:fs`. It is valid until the folder is closed. */
  pathOf(name: string): string {
    return join(this.#path, name);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }

  async #openChild(name: string, create: boolean): Promise<FolderHandle> {
    const path = this.pathOf(name);
    try {
      return await FolderHandle.open(path);
    } catch (error) {
      if (!create || ioErrorCode(error) !== "ENOENT") throw error;
    }
    await mkdir(path).catch((error: unknown) => {
      // Another call may have made the folder meanwhile.
      if (ioErrorCode(error) !== "EEXIST") throw error;
    });
    return FolderHandle.open(path);
  }
}

/** Returns a path to an open folder that stays valid if the folder is renamed. Returns undefined if there is none. */
export function descriptorPath(descriptor: number): string | undefined {
  const path = `/proc/self/fd/${descriptor}`;
  return process.platform === "linux" && existsSync(path) ? path : undefined;
}
