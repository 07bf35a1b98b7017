/** Loads large modules on first use, so that importing the library is fast. */
import type * as ReadServerLog from "./activity/read-server-log.ts";
import type * as EditConfig from "@plugboard/config/edit";
import type * as ListServers from "./offline/list-servers.ts";
import type * as ListStoredTools from "./offline/list-stored-tools.ts";
import type { WorkspaceSpec } from "@plugboard/contracts";
import type { CreateHostOptions } from "./library/create-host-options.ts";
import type { EmbeddedHost } from "./library/embedded-host.ts";
import type { HostOptions } from "./core/host-options.ts";
import type { Host } from "./core/host.ts";
import type { ToolKey } from "./names/name-table.ts";

/**
 * Creates a host for a program. Resolves when the config is read. The servers start meanwhile; `ready` waits for them.
 */
export const createHost = async (options: CreateHostOptions = {}): Promise<EmbeddedHost> => {
  const { beginHost } = await import("./library/begin-host.ts");
  const ahead = await beginHost(options);
  // Loaded while the servers start.
  const loaded = await import("./library/create-host.ts");
  return loaded.createHost(options, ahead);
};

/** Creates a host without a workspace. */
export const createBareHost = async (options: HostOptions = {}): Promise<Host> => {
  const loaded = await import("./core/host.ts");
  return new loaded.Host(options);
};

/** Creates a host for one call. The server starts while the code of the host loads. The workspace is not open yet. */
export const createHostForCall = async (options: HostOptions, spec: WorkspaceSpec, call: ToolKey): Promise<Host> => {
  const [{ HostBase }, { startServerAhead }] = await Promise.all([
    import("./core/host-base.ts"),
    import("./core/start-ahead.ts"),
  ]);
  const base = new HostBase(options);
  await startServerAhead(base, spec, call);
  const loaded = await import("./core/host.ts");
  return new loaded.Host(options, base);
};

/** Lists the configured servers. Creates no host and starts nothing. */
export const listServers: typeof ListServers.listServers = async (...args) => {
  const loaded = await import("./offline/list-servers.ts");
  return loaded.listServers(...args);
};

/** Lists the tools as earlier runs have stored them. Creates no host and starts nothing. */
export const listStoredTools: typeof ListStoredTools.listStoredTools = async (...args) => {
  const loaded = await import("./offline/list-stored-tools.ts");
  return loaded.listStoredTools(...args);
};

/** Changes a config file. Comments, order and unrelated entries stay as they are. */
export const editConfig: typeof EditConfig.editConfig = async (...args) => {
  const loaded = await import("@plugboard/config/edit");
  return loaded.editConfig(...args);
};

/** Loads the functions that read the logs of servers. */
export const loadServerLog = async (): Promise<typeof ReadServerLog> => import("./activity/read-server-log.ts");
