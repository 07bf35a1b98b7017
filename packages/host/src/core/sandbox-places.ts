/** The paths that a host adds to the sandbox of a server: what it hides, and where downloaded packages are kept. */
import { join } from "node:path";
import type { Env, SandboxPolicy } from "@plugboard/contracts";
import { definitionHash, userConfigPath } from "@plugboard/config";
import type { ConfiguredServer } from "@plugboard/config";
import { stateFolder } from "@plugboard/store";
import { cacheFolder } from "../lib/cache-folder.ts";

/** A program that may write the home folder must not read logins, or change the config that confines it. */
export function hiddenPaths(env: Env): readonly string[] {
  return [stateFolder(env), userConfigPath(env).path];
}

/** `persist` is false for a host that writes no files of its own. */
export function sandboxPlaces(
  server: ConfiguredServer,
  env: Env,
  persist: boolean,
): Pick<SandboxPolicy, "hide" | "cache"> {
  return {
    hide: hiddenPaths(env),
    // A changed definition gets a new folder, because the packages in the old one were written by another program.
    ...(persist && { cache: join(cacheFolder(env), "sandbox", definitionHash(server)) }),
  };
}
