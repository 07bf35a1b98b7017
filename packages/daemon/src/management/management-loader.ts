/** Loads the management of the host on first use, because most hosts never need it. */
import { HostError } from "@plugboard/contracts";
import type { Management, WorkspaceSpec } from "@plugboard/contracts";
import type { HostManagement, HostManagementOptions } from "./host-management.ts";

/** `defaultSpec` is the workspace for a client that is bound to none. */
export function managementLoader(
  options: HostManagementOptions,
  defaultSpec: () => WorkspaceSpec | undefined,
): (owner: object, spec: WorkspaceSpec | undefined) => Promise<Management> {
  let loaded: Promise<HostManagement> | undefined;
  return async (owner, spec = defaultSpec()) => {
    if (!spec) throw new HostError("NOT_FOUND", { subject: "served workspace" });
    loaded ??= import("./host-management.ts").then(({ HostManagement: Loaded }) => new Loaded(options));
    return (await loaded).for(owner, spec);
  };
}
