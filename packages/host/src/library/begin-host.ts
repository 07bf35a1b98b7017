/**
 * The first half of `createHost`: checks the options, reads the config and starts the eager servers. Imports little
 * code, so that the servers start while the rest of the host is loaded (`create-host.ts`).
 */
import type { WorkspaceSpec } from "@plugboard/contracts";
import { checkHostOptions } from "./check-host-options.ts";
import type { CreateHostOptions } from "./create-host-options.ts";
import { HostBase } from "../core/host-base.ts";
import type { HostOptions } from "../core/host-options.ts";
import { startEagerServersAhead } from "../core/start-ahead.ts";

/** The parts of a host that is not complete yet, and the workspace that it will open. */
export interface HostAhead {
  readonly options: HostOptions;
  readonly base: HostBase;
  readonly spec: WorkspaceSpec;
}

export async function beginHost(given: CreateHostOptions): Promise<HostAhead> {
  checkHostOptions(given);
  const {
    config = [],
    ports = {},
    cwd = process.cwd(),
    servers = {},
    configFiles,
    permissions,
    exclude,
    naming,
    nativeTools,
    resourceTools: _,
    ...hostOptions
  } = given;
  const { model, roots, openUrl } = ports;
  const portOptions = { ...(model && { model }), ...(roots && { roots }), ...(openUrl && { openUrl }) };
  const options = { ...hostOptions, ...portOptions, config };
  const base = new HostBase(options);
  const spec = {
    cwd,
    servers: base.serverObjects.toEntries(servers),
    ...(configFiles !== undefined && { configFiles }),
    ...(permissions !== undefined && { permissions }),
    ...(exclude !== undefined && { exclude }),
    ...(naming !== undefined && { naming }),
    ...(nativeTools !== undefined && { nativeTools }),
  };
  await startEagerServersAhead(base, spec);
  return { options, base, spec };
}
