/** Chooses the command by which a client starts `plugboard stdio`. */
import type { ClientName, ClientScope, Env } from "@plugboard/contracts";
import { realPathOrSelf } from "@plugboard/store";
import type { ClientPlaces } from "../clients/formats/client.ts";
import { CLIENT_TRAITS } from "./client-traits.ts";
import { findProgram } from "./find-program.ts";
import type { GatewayTarget } from "./gateway-entry.ts";

export interface RunningCommand {
  /** The path of Node. */
  readonly node: string;
  /** The path of the script that is running. */
  readonly script: string;
}

export interface ChosenCommand {
  readonly target: Extract<GatewayTarget, { kind: "stdio" }>;
  /** Messages about a command that works only now or only here. */
  readonly notes: readonly string[];
}

/** Variables that decide which config and which host `plugboard` uses. Many clients don't pass them on. */
const VARIABLES = ["PLUGBOARD_CONFIG_PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/**
 * Uses the name `plugboard` if the client finds this program by it. Otherwise uses absolute paths, also of Node,
 * because a client with a window does not have the PATH of the user's shell. The file of a project always gets the
 * name, because other machines use the file, too.
 */
export async function chooseCommand(
  client: ClientName,
  scope: ClientScope,
  profile: string | undefined,
  running: RunningCommand,
  places: ClientPlaces,
): Promise<ChosenCommand> {
  const args = ["stdio", ...(profile === undefined ? [] : ["--profile", profile])];
  const onPath = await findProgram(["plugboard"], places);
  if (scope === "project") {
    const notes = ["Everybody who uses this file needs the command `plugboard`: npm install --global plugboard"];
    return { target: { kind: "stdio", command: "plugboard", args, env: {} }, notes };
  }
  const env = pathVariables(places.env);
  // A launcher of Windows is a script, which not every client can start.
  const isFound = onPath !== undefined && places.platform !== "win32" && CLIENT_TRAITS[client].inTerminal;
  if (isFound && (await realPathOrSelf(onPath)) === (await realPathOrSelf(running.script)))
    return { target: { kind: "stdio", command: "plugboard", args, env }, notes: [] };
  const notes = /[\\/]_npx[\\/]/.test(running.script)
    ? ["This Plugboard is in the cache of npx, which may be emptied. Install it: npm install --global plugboard"]
    : [];
  return { target: { kind: "stdio", command: running.node, args: [running.script, ...args], env }, notes };
}

function pathVariables(env: Env): { [name: string]: string } {
  return Object.fromEntries(VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}
