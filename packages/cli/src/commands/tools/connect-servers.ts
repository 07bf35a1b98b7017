/** Connects the servers whose tools a command shows, and reports those that failed. */
import { commandMessage, ERROR_TABLE, isUntrusted, sanitizeLine, toHostError } from "@plugboard/contracts";
import type { HostErrorJson, ServerStatus, StartReport } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";

/** Connects the named server, or all. Throws if the named server can't be connected. */
export async function connectServers(
  server: string | undefined,
  { workspace, interrupted }: CommandContext,
): Promise<StartReport> {
  if (server === undefined) return rejectOnInterrupt(workspace.start({ signal: interrupted }), interrupted);
  await rejectOnInterrupt(workspace.servers.connect(server, { signal: interrupted }), interrupted);
  return { ready: [server], errors: {} };
}

/** Like `connectServers`, but connects only servers whose tools are not known from an earlier run. */
export async function connectUnlisted(server: string | undefined, context: CommandContext): Promise<StartReport> {
  const { workspace, interrupted: signal } = context;
  if (server === undefined) return rejectOnInterrupt(workspace.start({ signal, connects: "unlisted" }), signal);
  const known = workspace.start({ signal, connects: "none", servers: [server] });
  const report = await rejectOnInterrupt(known, signal);
  return report.stored ? report : connectServers(server, context);
}

/**
 * Asks the named server, or all enabled servers, for their tools, even if these are known. Throws if the named server
 * can't be connected.
 */
export async function refreshServers(server: string | undefined, context: CommandContext): Promise<StartReport> {
  const { workspace, interrupted: signal } = context;
  const { ready, errors } = await connectServers(server, context);
  const all = server === undefined ? await rejectOnInterrupt(workspace.status(), signal) : [];
  // The start has not connected lazy servers whose tools are known.
  const idle = all.filter(({ id, enabled, state }) => enabled && state === "idle" && !ready.includes(id));
  const listing = [...ready, ...idle.map(({ id }) => id)].map(async (id) => {
    try {
      await workspace.servers.refresh(id, { signal });
      return { id };
    } catch (thrown) {
      return { id, error: toHostError(thrown).toJSON() };
    }
  });
  const listed = await rejectOnInterrupt(Promise.all(listing), signal);
  const failed = listed.flatMap(({ id, error }) => (error ? [[id, error] as const] : []));
  return {
    ready: listed.flatMap(({ id, error }) => (error ? [] : id)),
    errors: { ...errors, ...Object.fromEntries(failed) },
  };
}

/** Returns the errors of untrusted servers, which were not connected. */
export function untrustedErrors(servers: readonly ServerStatus[]): StartReport["errors"] {
  const waiting = servers.filter(isUntrusted);
  return Object.fromEntries(waiting.map(({ id, lastError }) => [id, lastError!]));
}

export function reportErrors(
  errors: StartReport["errors"],
  { json }: Pick<CommandOptions, "json">,
  { stderr }: Pick<CliContext, "stderr">,
): void {
  for (const [server, error] of Object.entries(errors)) {
    if (json) stderr.jsonLine({ server, error });
    else stderr.write(`${server}: ${error.code}: ${sanitizeLine(commandMessage(error))}\n`);
  }
}

/** Returns the exit status for errors: that of the first one, or 0 if there is none. */
export function exitStatusOf(errors: { readonly [server: string]: HostErrorJson }): number {
  const [first] = Object.values(errors);
  return first ? ERROR_TABLE[first.code].exit : 0;
}
