/** Warns about a command that can't be started on this machine, such as a program that is not on PATH. */
import type { ConfigProblem, Env } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import { inspectServer } from "../../offline/inspect-servers.ts";

/**
 * Returns no problem if a variable of the definition is not set, because the command is then not known yet. The message
 * has the command and the folder with unexpanded variables, because the caller may not read the environment of the host.
 */
export async function spawnProblems(server: ConfiguredServer, env: Env): Promise<ConfigProblem[]> {
  const { id, file, program, unsetVariables } = inspectServer(server, env, { expand: true });
  if (!program || unsetVariables.length > 0) return [];
  const { command, cwd, path } = program;
  const shown = inspectServer(server, env, { expand: false }).program!;
  const isShown = shown.command === command && shown.cwd === cwd && shown.path === path;
  const { findSpawnProblem } = await import("@plugboard/mcp/process");
  const variables = path === undefined ? {} : { PATH: path };
  const message = await findSpawnProblem({ command, cwd, env: variables, ...(!isShown && { shown }) });
  return message === undefined ? [] : [{ severity: "warning", file, server: id, message }];
}
