/** Loads large modules on first use, so that importing the library is fast. */
import type * as ClientConnect from "./clients/connect/index.ts";
import type * as ClientTransfer from "./clients/transfer/index.ts";
import type * as ReadServerLog from "./activity/read-server-log.ts";
import type * as EditConfig from "./config/edit/edit-config.ts";
import type * as ListServers from "./offline/list-servers.ts";
import type * as ReferencedEnv from "./config/resolve/referenced-env.ts";
import type { WorkspaceSpec } from "@plugboard/contracts";
import type { CreateHostOptions } from "./library/create-host-options.ts";
import type { EmbeddedHost } from "./library/embedded-host.ts";
import type * as Registry from "./registry/index.ts";
import type { HostOptions } from "./host/host-options.ts";
import type { Host } from "./host/host.ts";
import type { ToolKey } from "./names/name-table.ts";

/** Returns after the config is read. The servers start in the background; `ready` waits for them. */
export const createHost = async (options: CreateHostOptions = {}): Promise<EmbeddedHost> => {
  const { beginHost } = await import("./library/begin-host.ts");
  const ahead = await beginHost(options);
  // Loaded while the servers start.
  const loaded = await import("./library/create-host.ts");
  return loaded.createHost(options, ahead);
};

/** Creates a host without a workspace. */
export const createBareHost = async (options: HostOptions = {}): Promise<Host> => {
  const loaded = await import("./host/host.ts");
  return new loaded.Host(options);
};

/** Creates a host for one call. The server starts while the host loads. The workspace is not open yet. */
export const createHostForCall = async (options: HostOptions, spec: WorkspaceSpec, call: ToolKey): Promise<Host> => {
  const [{ HostBase }, { startServerAhead }] = await Promise.all([
    import("./host/host-base.ts"),
    import("./host/start-ahead.ts"),
  ]);
  const base = new HostBase(options);
  await startServerAhead(base, spec, call);
  const loaded = await import("./host/host.ts");
  return new loaded.Host(options, base);
};

/** Lists the configured servers. Creates no host and starts nothing. */
export const listServers: typeof ListServers.listServers = async (...args) => {
  const loaded = await import("./offline/list-servers.ts");
  return loaded.listServers(...args);
};

/** Changes a config file. Comments, order and unrelated entries stay as they are. */
export const editConfig: typeof EditConfig.editConfig = async (...args) => {
  const loaded = await import("./config/edit/edit-config.ts");
  return loaded.editConfig(...args);
};

/** Returns the environment variables that the config of a workspace refers to. */
export const referencedEnv: typeof ReferencedEnv.referencedEnv = async (...args) => {
  const loaded = await import("./config/resolve/referenced-env.ts");
  return loaded.referencedEnv(...args);
};

/** Loads the functions that import servers from other clients and export servers to them. */
export const loadClientTransfer = async (): Promise<typeof ClientTransfer> => import("./clients/transfer/index.ts");

/** Loads the functions that connect other clients to Plugboard. */
export const loadClientConnect = async (): Promise<typeof ClientConnect> => import("./clients/connect/index.ts");

/** Loads the client of MCP registries. */
export const loadRegistry = (): Promise<typeof Registry> => import("./registry/index.ts");

/** Loads the functions that read the logs of servers. */
export const loadServerLog = async (): Promise<typeof ReadServerLog> => import("./activity/read-server-log.ts");
