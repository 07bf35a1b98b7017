/** Loads the operations of the host on first use, because most hosts never need them. */
import { placeVariables } from "@plugboard/config";
import { HostError } from "@plugboard/contracts";
import type { Env, Operations, WorkspaceSpec } from "@plugboard/contracts";
import type { LocalOperations, LocalOperationsOptions } from "@plugboard/host/operations";

/** Returns the operations of a caller in a workspace. Without a workspace, in the served one. */
export type OperationsOf = (owner: object, spec: WorkspaceSpec | undefined) => Promise<Operations>;

/** A variable that names a place counts only if the client has it, too. */
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
  return async (owner, spec = served()) => {
    if (!spec) throw new HostError("NOT_FOUND", { subject: "served workspace" });
    loaded ??= import("@plugboard/host/operations").then(({ LocalOperations: Loaded }) => new Loaded(options));
    const { cwd, configFiles = [], servers } = spec;
    const ownEnv = spec.env ? { ...withoutPlaces(env), ...spec.env } : env;
    return (await loaded).for(owner, { cwd, configFiles, env: ownEnv, ...(servers && { servers }) });
  };
}
