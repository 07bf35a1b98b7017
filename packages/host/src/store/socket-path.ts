/** The socket of the running host: its address, and whether it is safe to connect to. */
import { lstat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import { checkOwner, hasStateFolder, stateFolder } from "./state-folder.ts";

type Env = { readonly [name: string]: string | undefined };

/** A longer path is cut short by the system, and names another file then. */
const MAX_BYTES = process.platform === "darwin" ? 103 : 107;

/** Windows has no sockets in the file system, but pipes by name. */
export function socketPath(env: Env): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\plugboard-${userInfo().username}`;
  return join(stateFolder(env), "host.sock");
}

/** Throws SOCKET_UNUSABLE for a path that no host can listen on. */
export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (process.platform === "win32" || bytes <= MAX_BYTES) return;
  throw new HostError("SOCKET_UNUSABLE", {
    path,
    what: `its path has ${bytes} bytes, and the system allows ${MAX_BYTES}`,
  });
}

/**
 * The path of the socket, or undefined where no host can be running. Throws STATE_UNSAFE if the state folder or the
 * socket is another user's: that user would get everything that is sent there.
 */
export async function findSocket(env: Env): Promise<string | undefined> {
  const path = socketPath(env);
  if (process.platform === "win32") return path;
  if (Buffer.byteLength(path) > MAX_BYTES || !(await hasStateFolder(env))) return undefined;
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isSocket()) return undefined;
  checkOwner(path, found);
  return path;
}
