/**
 * Starts the processes of servers while the code of the host is still loading, because both take about
 * as long. Starts no server that is invalid, disabled or not trusted, because the host would not start
 * it. Starts no server that needs a secret.
 */
import type { WorkspaceSpec } from "@plugboard/contracts";
import type { ConfiguredServer, ServerDefinition } from "@plugboard/config";
import { resolveWithoutSecrets } from "@plugboard/config";
import type { HostBase } from "./host-base.ts";
import type { ToolKey } from "../names/name-table.ts";
import { Policy } from "../policy/policy.ts";

/** Starts the server of a call that is about to be made. Starts no server if a rule denies the call. */
export async function startServerAhead(base: HostBase, spec: WorkspaceSpec, call: ToolKey): Promise<void> {
  const { servers, rules } = await base.readAhead(spec);
  const server = servers.get(call.server);
  if (server && !new Policy(rules).isAlwaysDenied(call)) startProcess(base, spec, server);
}

/** Starts the eager servers: those with `"start": "eager"`. */
export async function startEagerServersAhead(base: HostBase, spec: WorkspaceSpec): Promise<void> {
  const { servers } = await base.readAhead(spec);
  for (const server of servers.values()) {
    if (isValid(server) && server.definition.start === "eager") startProcess(base, spec, server);
  }
}

function startProcess(base: HostBase, spec: WorkspaceSpec, server: ConfiguredServer): void {
  if (!isValid(server) || !server.definition.enabled || server.definition.transport !== "stdio") return;
  const target = findTarget(server, spec.env ?? base.env, base);
  if (target?.transport !== "stdio") return;
  const { command, args, cwd, env, sandbox } = target;
  base.processes.startAhead({ server: server.id, command, args, cwd, env, sandbox });
}

function findTarget(server: ConfiguredServer, env: HostBase["env"], { sandboxPlaces }: HostBase) {
  try {
    return resolveWithoutSecrets(server, env, { sandboxPlaces })?.target;
  } catch {
    // The host reports the error when it connects the server.
    return undefined;
  }
}

function isValid(server: ConfiguredServer): server is ConfiguredServer & { readonly definition: ServerDefinition } {
  return !("invalid" in server.definition);
}
