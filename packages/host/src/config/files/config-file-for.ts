/** Decides which file a change of a layer is written to. */
import { homedir } from "node:os";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConfigLayer, Env } from "@plugboard/contracts";
import { realPathOrSelf } from "../../store/real-path.ts";
import { userConfigPath } from "./config-paths.ts";
import { findProject } from "./find-project.ts";

const PROJECT_FILES = {
  project: join(".plugboard", "config.json"),
  local: join(".plugboard", "config.local.json"),
};

/**
 * Returns the path of the file, which may not exist yet. The files of a project are in the folder of the project that
 * contains `cwd`, or in `cwd` itself. Throws USAGE for a project in the home folder, whose files are not read.
 */
export async function configFileFor(
  layer: Exclude<ConfigLayer, "managed">,
  cwd: string,
  env: Env,
  home = homedir(),
): Promise<string> {
  if (layer === "user") return userConfigPath(env, home).path;
  const { project, local } = await findProject(cwd, home);
  const folder = project[0]?.folder ?? local?.folder ?? (await realPathOrSelf(cwd));
  if (folder === (await realPathOrSelf(home))) {
    const message = "Your home folder can't be a project. Change to another folder, or use --scope user";
    throw new HostError("USAGE", { message });
  }
  return join(folder, PROJECT_FILES[layer]);
}
