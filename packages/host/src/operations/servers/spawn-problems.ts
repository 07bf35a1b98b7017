/** Warns about a command that can't be started on this machine, such as a program that is not on PATH. */
import type { ConfigProblem, Env } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import { inspectServer } from "../../offline/inspect-servers.ts";

/** Returns no problem if a variable of the definition is not set, because the command is then not known yet. */
export async function spawnProblems(server: ConfiguredServer, env: Env): Promise<ConfigProblem[]> {
  const { id, file, program, unsetVariables } = inspectServer(server, env);
  if (!program || unsetVariables.length > 0) return [];
  const { command, cwd, path } = program;
  const { findSpawnProblem } = await import("@plugboard/mcp/process");
  const message = await findSpawnProblem({ command, cwd, env: path === undefined ? {} : { PATH: path } });
  return message === undefined ? [] : [{ severity: "warning", file, server: id, message }];
}
