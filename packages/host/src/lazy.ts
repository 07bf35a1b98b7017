/** What is large, loaded when it is first used: whoever imports the library pays for what they do with it, and no sooner. */
import type * as Create from "./create-host.ts";
import type * as Edit from "./config/edit/edit-config.ts";
import type * as Mentioned from "./config/resolve/referenced-env.ts";

/** Returns once the config is read; the servers start meanwhile. */
export const createHost: typeof Create.createHost = async (options) => {
  const loaded = await import("./create-host.ts");
  return loaded.createHost(options);
};

/** Changes a config file, and leaves alone what it does not change. */
export const editConfig: typeof Edit.editConfig = async (...given) => {
  const loaded = await import("./config/edit/edit-config.ts");
  return loaded.editConfig(...given);
};

/** Of an environment, only what a workspace's config needs. */
export const referencedEnv: typeof Mentioned.referencedEnv = async (...given) => {
  const loaded = await import("./config/resolve/referenced-env.ts");
  return loaded.referencedEnv(...given);
};
