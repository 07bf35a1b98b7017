/** Says what is wrong with a server that could not be connected, and what to do. */
import { commandMessage, ERROR_TABLE } from "@plugboard/contracts";
import type { Env, ErrorDetails, HostErrorJson } from "@plugboard/contracts";
import { findLauncher } from "../events/find-launcher.ts";
import type { Advice } from "../render/servers/render-check.ts";
import { nearestCommand } from "./nearest-command.ts";

export interface FailedServer {
  readonly id: string;
  /** The command or URL, with possible secrets masked. */
  readonly target: string;
  readonly error: HostErrorJson;
}

export async function advise(server: FailedServer, env: Env): Promise<Advice> {
  // The output of the server is shown below the message, not inside it.
  const { stderr, ...details } = server.error.details;
  const text = await explain({ ...server, error: { ...server.error, details } }, env);
  return { text, ...(typeof stderr === "string" && { stderr }) };
}

async function explain({ id, target, error }: FailedServer, env: Env): Promise<string> {
  switch (error.code) {
    case "SERVER_SPAWN_FAILED": {
      const { command } = error.details as ErrorDetails["SERVER_SPAWN_FAILED"];
      const similar = await nearestCommand(command, env);
      return similar === undefined ? commandMessage(error) : `${commandMessage(error)} Did you mean "${similar}"?`;
    }
    case "SERVER_CRASHED": {
      // The remedy in the error table is about calls that were running. A test has no such calls.
      const message = ERROR_TABLE.SERVER_CRASHED.say(error.details as ErrorDetails["SERVER_CRASHED"]);
      return `${message} Run its command in a terminal to see why: ${target}`;
    }
    case "SERVER_NOT_RESPONDING": {
      const launcher = findLauncher(target);
      const download = launcher && ` If ${launcher} was downloading it, run \`plugboard test ${id}\` again.`;
      return `${commandMessage(error)}${download ?? ""}`;
    }
    default:
      return commandMessage(error);
  }
}
