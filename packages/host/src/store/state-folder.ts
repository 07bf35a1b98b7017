/** Where Plugboard keeps its state: `$XDG_STATE_HOME/plugboard`, or what the platform has for that. For its owner alone. */
import { mkdir } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { join } from "node:path";

type Env = { readonly [name: string]: string | undefined };

function stateFolder(env: Env): string {
  if (env["XDG_STATE_HOME"]) return join(env["XDG_STATE_HOME"], "plugboard");
  if (process.platform === "win32") return join(env["LOCALAPPDATA"] ?? homedir(), "plugboard", "state");
  if (process.platform === "darwin") return join(homedir(), "Library", "Application Support", "plugboard", "state");
  return join(homedir(), ".local", "state", "plugboard");
}

export async function ensureStateFolder(env: Env): Promise<string> {
  const folder = stateFolder(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The address of the running host. Windows has no sockets in the file system, but pipes by name. */
export function socketPath(env: Env): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\plugboard-${userInfo().username}`;
  return join(stateFolder(env), "host.sock");
}
