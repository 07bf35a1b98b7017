/** Loads large modules on first use, so that importing the library is fast. */
import type * as CreateHost from "./create-host.ts";
import type * as EditConfig from "./config/edit/edit-config.ts";
import type * as ReferencedEnv from "./config/resolve/referenced-env.ts";
import type { HostOptions } from "./host-options.ts";
import type { Host } from "./host.ts";

/** Returns after the config is read. The servers start in the background; `ready` waits for them. */
export const createHost: typeof CreateHost.createHost = async (options) => {
  const loaded = await import("./create-host.ts");
  return loaded.createHost(options);
};

/** Creates a host without a workspace. */
export const createBareHost = async (options?: HostOptions): Promise<Host> => {
  const loaded = await import("./host.ts");
  return new loaded.Host(options);
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
