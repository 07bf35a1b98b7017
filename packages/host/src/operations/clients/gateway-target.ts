/** Chooses how a client reaches this host: with a command that it starts, or with the URL of the port and a token. */
import { stat } from "node:fs/promises";
import { HostError, NEEDS_PERMISSION_NOTE } from "@plugboard/contracts";
import type { ClientName, ConnectClientOptions } from "@plugboard/contracts";
import { DEFAULT_PORT } from "@plugboard/config";
import type { GatewayTarget } from "@plugboard/config/clients";
import { clientPlaces } from "./client-places.ts";
import type { OperationsPlace } from "../operations-context.ts";

interface ChosenTarget {
  readonly target: GatewayTarget;
  readonly notes: readonly string[];
}

interface TargetContext {
  readonly script: string;
  /** The open port of the running host. */
  readonly port: number | undefined;
  readonly place: OperationsPlace;
}

/** Throws USAGE for options that don't fit together. */
export async function chooseTarget(
  client: ClientName,
  options: ConnectClientOptions,
  token: string,
  { script, port: runningPort, place }: TargetContext,
): Promise<ChosenTarget> {
  const { http, port, scope, profile } = options;
  if (!http) {
    if (port !== undefined) throw new HostError("USAGE", { message: "--port is only for --http", command: "connect" });
    return commandTarget(client, options, script, place);
  }
  if (scope === "project") {
    const message = "--http writes a token, which must not be in a project's file";
    throw new HostError("USAGE", { message, command: "connect" });
  }
  const origin = `http://127.0.0.1:${port ?? runningPort ?? DEFAULT_PORT}`;
  const notes = ["The client can use this URL only while `plugboard serve` runs.", NEEDS_PERMISSION_NOTE];
  return { target: httpTarget(origin, profile, token), notes };
}

/** Returns the command by which the client starts `plugboard`. */
export async function commandTarget(
  client: ClientName,
  { scope = "user", profile }: Pick<ConnectClientOptions, "scope" | "profile">,
  script: string,
  place: OperationsPlace,
): Promise<ChosenTarget> {
  const { chooseCommand } = await import("@plugboard/config/clients");
  return chooseCommand(client, scope, profile, { node: process.execPath, script }, clientPlaces(place));
}

export function httpTarget(origin: string, profile: string | undefined, token: string): GatewayTarget {
  const url = profile === undefined ? `${origin}/mcp` : `${origin}/mcp/p/${profile}`;
  return { kind: "http", url, headers: { Authorization: `Bearer ${token}` } };
}

/** Warns before a token is written to a file that other users can read. The mode of the file is the user's choice. */
export async function readableByOthersNotes(file: string): Promise<string[]> {
  if (process.platform === "win32") return [];
  const stats = await stat(file).catch(() => undefined);
  if (!stats || (stats.mode & 0o077) === 0) return [];
  return [`Other users of this machine may read the token in this file. Run \`chmod 600 '${file}'\` to prevent it.`];
}
