/**
 * Runs a command with the operations: those of the running host if there is one, otherwise in the process of the
 * command. Most operations only read and change files. So a host of another version is not used, and no host is created
 * before an operation needs one.
 */
import { randomUUID } from "node:crypto";
import { HostError, systemClock } from "@plugboard/contracts";
import type { Env, Operations, WorkspaceSpec } from "@plugboard/contracts";
import { placeVariables } from "@plugboard/config";
import { createBareHost } from "@plugboard/host/core";
import type { Host } from "@plugboard/host/core";
import { LocalOperations } from "@plugboard/host/operations";
import { parseServerFlags } from "../arguments/parse-server-flag.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { commandPath } from "./command-path.ts";
import { connectToRunningHost } from "./open-host.ts";

export interface OperationsOptions {
  /** The files of `--config`. */
  readonly config?: readonly string[];
  /** The values of `--mcp-server`. */
  readonly mcpServer?: readonly string[];
  /** Uses no running host. */
  readonly private?: boolean;
  /** True if no config file of a project matters, so that the command also works in a deleted folder. */
  readonly anywhere?: boolean;
}

export async function withOperations<Result>(
  cli: Pick<CliContext, "cwd" | "env">,
  run: (operations: Operations) => Promise<Result>,
  options: OperationsOptions = {},
): Promise<Result> {
  const { config: configFiles = [], mcpServer = [], private: usePrivate = false, anywhere = false } = options;
  const { env } = cli;
  const cwd = anywhere ? "/" : cli.cwd;
  const place = { cwd, configFiles, ...(mcpServer.length > 0 && { servers: parseServerFlags(mcpServer) }) };
  const running = usePrivate ? undefined : await connectForOperations(env, place);
  if (running) {
    try {
      return await run(running.operations);
    } finally {
      await running.close();
    }
  }
  let host: Promise<Host> | undefined;
  const openHost = () => (host ??= createBareHost({ env }));
  const operations = new LocalOperations({ openHost, clock: systemClock, newId: randomUUID, script: commandPath() });
  try {
    return await run(operations.for(cli, { ...place, env, mayReadSecrets: true }));
  } finally {
    await (await host)?.close();
  }
}

/** Returns undefined if no host of this version runs. */
async function connectForOperations(env: Env, place: WorkspaceSpec) {
  const spec = { ...place, env: placeVariables(env) };
  try {
    return await connectToRunningHost(env, { operationsIn: spec });
  } catch (error) {
    if (error instanceof HostError && error.code === "VERSION_SKEW") return undefined;
    throw error;
  }
}
