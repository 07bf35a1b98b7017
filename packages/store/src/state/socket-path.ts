/** Locates the socket of the running host, and checks that no other user controls it. */
import type { Stats } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { checkOwner, hasStateFolder, stateFolder, statsOf } from "./state-path.ts";

/** The system truncates a longer path, which then names another file. */
const MAX_PATH_BYTES = process.platform === "darwin" ? 103 : 107;

/** Returns a named pipe on Windows, which has no Unix sockets. */
export function socketPath(env: Env): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\plugboard-${userInfo().username}`;
  return join(stateFolder(env), "host.sock");
}

/** Throws SOCKET_UNUSABLE for a path that is too long. */
export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (process.platform === "win32" || bytes <= MAX_PATH_BYTES) return;
  throw new HostError("SOCKET_UNUSABLE", {
    path,
    reason: `its path has ${bytes} bytes, and the system allows ${MAX_PATH_BYTES}`,
  });
}

/** Throws SOCKET_UNUSABLE for a symbolic link, which could lead to a socket of another user. */
export function checkSocketFile(path: string, stats: Stats | undefined): void {
  if (!stats?.isSymbolicLink()) return;
  throw new HostError("SOCKET_UNUSABLE", { path, reason: "a symbolic link is in its place" });
}

/**
 * Returns the path of the socket, or undefined if no host can be running. Throws STATE_UNSAFE if the state folder or
 * the socket belongs to another user, who would receive all data sent to it.
 */
export function findSocket(env: Env): string | undefined {
  const path = socketPath(env);
  if (process.platform === "win32") return path;
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || !hasStateFolder(env)) return undefined;
  const stats = statsOf(path);
  checkSocketFile(path, stats);
  if (!stats?.isSocket()) return undefined;
  checkOwner(path, stats);
  return path;
}
