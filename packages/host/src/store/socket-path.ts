/** Locates the socket of the running host and checks that it is safe to connect to. */
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { checkOwner, hasStateFolder, stateFolder } from "./state-folder.ts";

/** The system truncates a longer path, which then names another file. */
const MAX_BYTES = process.platform === "darwin" ? 103 : 107;

/** Returns a named pipe on Windows, which has no Unix sockets. */
export function socketPath(env: Env): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\plugboard-${userInfo().username}`;
  return join(stateFolder(env), "host.sock");
}

/** Throws SOCKET_UNUSABLE for a path that is too long. */
export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (process.platform === "win32" || bytes <= MAX_BYTES) return;
  throw new HostError("SOCKET_UNUSABLE", {
    path,
    reason: `its path has ${bytes} bytes, and the system allows ${MAX_BYTES}`,
  });
}

/** Throws SOCKET_UNUSABLE for a symbolic link, which could lead to a socket of another user. */
export function checkSocketFile(path: string, found: Stats | undefined): void {
  if (!found?.isSymbolicLink()) return;
  throw new HostError("SOCKET_UNUSABLE", { path, reason: "a symbolic link is in its place" });
}

/**
 * Returns the path of the socket, or undefined if no host can be running. Throws STATE_UNSAFE if the state folder or
 * the socket belongs to another user, who would receive all data sent to it.
 */
export async function findSocket(env: Env): Promise<string | undefined> {
  const path = socketPath(env);
  if (process.platform === "win32") return path;
  if (Buffer.byteLength(path) > MAX_BYTES || !(await hasStateFolder(env))) return undefined;
  const found = await lstat(path).catch(() => undefined);
  checkSocketFile(path, found);
  if (!found?.isSocket()) return undefined;
  checkOwner(path, found);
  return path;
}
