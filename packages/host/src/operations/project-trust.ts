/** Approves the definitions of a project's files, and withdraws approvals. Changes only the stored approvals. */
import { HostError, nearest } from "@plugboard/contracts";
import type { PendingServer, TrustState, WithdrawnTrust } from "@plugboard/contracts";
import { definitionHash, isProjectSource } from "@plugboard/config";
import type { Config, ConfiguredServer } from "@plugboard/config";
import { openSharedState } from "../offline/stored-trust.ts";
import { pendingServer } from "../trust/pending-server.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import { effectiveConfig } from "./config/effective-config.ts";
import type { OperationsPlace } from "./operations-context.ts";

export async function listPending(place: OperationsPlace): Promise<PendingServer[]> {
  const { config, trust } = await openTrust(place);
  return config.pending.flatMap((server) => describe(server, config, trust) ?? []);
}

export async function trustStates(ids: readonly string[], place: OperationsPlace): Promise<TrustState[]> {
  const { config, trust } = await openTrust(place);
  return ids.map((id) => {
    const waiting = findPending(id, config);
    const pending = waiting && describe(waiting, config, trust);
    if (pending) return { server: id, source: pending.source, state: "pending", pending };
    const { source, definition } = findServer(id, config);
    if ("invalid" in definition) throw new HostError("SERVER_INVALID", { server: id, reason: definition.invalid });
    return { server: id, source, state: isProjectSource(source) ? "approved" : "not_needed" };
  });
}

/** Throws if the approval can't be stored. */
export async function trustServer(id: string, hash: string, place: OperationsPlace): Promise<void> {
  const { config, trust } = await openTrust(place);
  const server = findPending(id, config);
  const pending = server && describe(server, config, trust);
  if (!pending) throw new HostError("NOT_FOUND", { subject: `definition of "${id}" that waits for approval` });
  if (definitionHash(server) !== hash) throw new HostError("DEFINITION_CHANGED", { server: id });
  await trust.grant(pending, pending.definition);
}

/** Includes servers that wait for approval, because an earlier version of their definition may be approved. */
export async function distrustServers(
  ids: readonly string[] | undefined,
  place: OperationsPlace,
): Promise<WithdrawnTrust[]> {
  const { config, trust } = await openTrust(place);
  const ofProject = [...config.servers.values(), ...config.pending].filter(({ source }) => isProjectSource(source));
  const chosen = new Set(ids ?? ofProject.map(({ id }) => id));
  const servers = [...chosen].map((id) => config.servers.get(id) ?? findPending(id, config) ?? findServer(id, config));
  const withdrawn: WithdrawnTrust[] = [];
  for (const { id: server, folder, source } of servers)
    withdrawn.push({ server, source, withdrawn: await trust.revoke({ folder, id: server }) });
  return withdrawn;
}

async function openTrust(place: OperationsPlace): Promise<{ readonly config: Config; readonly trust: TrustStore }> {
  const [config, { trust }] = await Promise.all([effectiveConfig(place), openSharedState(place.env)]);
  return { config, trust };
}

/** Returns the definition with the highest priority, because that one would run. */
function findPending(id: string, { pending }: Config): ConfiguredServer | undefined {
  return pending.findLast((server) => server.id === id);
}

/** Throws SERVER_UNKNOWN. */
function findServer(id: string, { servers }: Config): ConfiguredServer {
  const server = servers.get(id);
  if (server) return server;
  const known = [...servers.keys()];
  const suggestion = nearest(id, known);
  throw new HostError("SERVER_UNKNOWN", { server: id, known, ...(suggestion !== undefined && { suggestion }) });
}

function describe(server: ConfiguredServer, { servers }: Config, trust: TrustStore): PendingServer | undefined {
  const lastTrusted = trust.lastTrustedDefinition(server);
  return pendingServer(server, { lastTrusted, replaces: servers.get(server.id)?.source });
}
