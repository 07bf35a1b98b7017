/** Finds the config files that belong to a scope, whether they exist or not. */
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { realPathOrSelf } from "@plugboard/store";
import { userConfigPath } from "./config-paths.ts";
import { findProject, LOCAL_FILE, PROJECT_FILES } from "./find-project.ts";

/** A layer whose files a user edits. */
export type ConfigScope = "user" | "project" | "local";

export interface ScopeFiles {
  readonly scope: ConfigScope;
  /** The files from lowest to highest priority. A new entry is written to the last file. */
  readonly files: readonly [string, ...string[]];
  /** The base of relative paths in these files. */
  readonly folder: string;
}

/** Returns undefined for the project of the home folder, because the project files there are never read. */
export async function findScopeFiles(
  scope: ConfigScope,
  cwd: string,
  env: Env,
  home = homedir(),
): Promise<ScopeFiles | undefined> {
  const { path: userFile } = userConfigPath(env, home);
  if (scope === "user") return { scope, files: [userFile], folder: home };
  const { project, local } = await findProject(cwd, home);
  const start = await realPathOrSelf(cwd);
  // The files of a project are in one folder. Without such files, the current folder becomes the project.
  const projectFolder = project[0]?.folder ?? start;
  if (scope === "local") {
    const folder = local?.folder ?? projectFolder;
    return (await isHome(folder, home)) ? undefined : { scope, files: [join(folder, LOCAL_FILE)], folder };
  }
  if (await isHome(projectFolder, home)) return undefined;
  // If `PLUGBOARD_CONFIG_PATH` names a project file, that file counts as the user file. The other project file stays.
  const realUserFile = join(await realPathOrSelf(dirname(userFile)), basename(userFile));
  const projectFiles = PROJECT_FILES.map((name) => join(projectFolder, name));
  const [first, ...others] = projectFiles.filter((file) => file !== realUserFile);
  return { scope, files: [first!, ...others], folder: projectFolder };
}

async function isHome(folder: string, home: string): Promise<boolean> {
  return folder === (await realPathOrSelf(home));
}

/** Throws USAGE for the project of the home folder. */
export async function requireScopeFiles(scope: ConfigScope, cwd: string, env: Env, home?: string): Promise<ScopeFiles> {
  const found = await findScopeFiles(scope, cwd, env, home);
  if (found) return found;
  const message = "Your home folder can't be a project. Change to another folder, or use --scope user";
  throw new HostError("USAGE", { message, omitHelp: true });
}
