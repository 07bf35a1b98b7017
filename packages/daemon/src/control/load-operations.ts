/** Loads the operations of the host on first use, because most hosts never need them. */
import { placeVariables } from "@plugboard/config";
import { hasRight, holderOf, HostError } from "@plugboard/contracts";
import type { Env, HostApi, Operations, WorkspaceSpec } from "@plugboard/contracts";
import type { LocalOperations, LocalOperationsOptions } from "@plugboard/host/operations";

/** The client that calls operations. It owns the plans that it makes. */
interface OperationsClient {
  readonly api: Pick<HostApi, "caller">;
}

/** Returns the operations of a client in a workspace. Without a workspace, in the served one. */
export type OperationsOf = (client: OperationsClient, spec: WorkspaceSpec | undefined) => Promise<Operations>;

/** Removes the variables that say where files are, such as HOME. For these, only the client's environment counts. */
function withoutPlaces(env: Env): Env {
  const places = placeVariables(env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !Object.hasOwn(places, name)));
}

export function operationsLoader(
  options: LocalOperationsOptions,
  env: Env,
  served: () => WorkspaceSpec | undefined,
): OperationsOf {
  let loaded: Promise<LocalOperations> | undefined;
  return async (client, spec = served()) => {
    if (!spec) throw new HostError("NOT_FOUND", { subject: "served workspace" });
    loaded ??= import("@plugboard/host/operations").then(({ LocalOperations: Loaded }) => new Loaded(options));
    const { cwd, configFiles = [], servers } = spec;
    const ownEnv = spec.env ? { ...withoutPlaces(env), ...spec.env } : env;
    // A client that can't choose the environment can't make the host send requests to a private network.
    const holder = holderOf(client.api.caller);
    const publicRegistriesOnly = !hasRight(holder, "add_servers");
    const rights = { publicRegistriesOnly, mayReadSecrets: hasRight(holder, "read_secrets") };
    const place = { cwd, configFiles, env: ownEnv, ...rights, ...(servers && { servers }) };
    return (await loaded).for(client, place);
  };
}
