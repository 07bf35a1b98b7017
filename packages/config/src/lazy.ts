/** Loads large modules on first use, so that commands that need little of the config start fast. */
import type * as ReferencedEnv from "./resolve/referenced-env.ts";

/** Returns the environment variables that the config of a workspace refers to. */
export const referencedEnv: typeof ReferencedEnv.referencedEnv = async (...args) => {
  const loaded = await import("./resolve/referenced-env.ts");
  return loaded.referencedEnv(...args);
};
