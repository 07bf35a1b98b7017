/** Finds the config files of a workspace. Reads none of them. */
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { ConfigLayer, ConfigSource, Env, WorkspaceSpec } from "@plugboard/contracts";
import { realPathOrSelf } from "@plugboard/store";
import { isProjectSource } from "../definition/project-limits.ts";
import { defaultManagedConfigPath, userConfigPath } from "../files/config-paths.ts";
import type { IsForeignUser } from "../files/file-owner.ts";
import { findProject } from "../files/find-project.ts";
import type { ProjectFiles } from "../files/find-project.ts";

export interface LayerFile {
  readonly file: string;
  readonly origin: LayerOrigin;
  readonly mustExist: boolean;
}

export interface LayerOrigin {
  readonly source: ConfigSource;
  /** The base of relative paths, and the default working folder. */
  readonly folder: string;
}

export interface FindLayerFilesOptions {
  /** The layers to read besides the invocation; all by default. Restrictions of the managed layer always apply. */
  readonly layers?: readonly ConfigLayer[] | undefined;
  /** Set only by the embedding program, never by the environment. */
  readonly managedConfigPath?: string;
  readonly home?: string;
  /**
   * Returns whether to ignore the project files of a user in the folders above the workspace. By default true for all
   * users but the current one and root.
   */
  readonly isForeignUser?: IsForeignUser;
}

export const ALL_LAYERS: readonly ConfigLayer[] = ["managed", "user", "project", "local"];

export async function findLayerFiles(
  { cwd, configFiles = [] }: Pick<WorkspaceSpec, "cwd" | "configFiles">,
  env: Env,
  options: FindLayerFilesOptions,
): Promise<{ readonly layerFiles: readonly LayerFile[]; readonly projectFiles: ProjectFiles }> {
  const { layers = ALL_LAYERS, managedConfigPath = defaultManagedConfigPath(), home = homedir() } = options;
  const user = userConfigPath(env, home);
  const includesProject = layers.some(isProjectSource);
  const [projectFiles, realUserFolder] = await Promise.all([
    includesProject ? findProject(cwd, home, options.isForeignUser) : NO_PROJECT,
    realPathOrSelf(dirname(user.path)),
  ]);
  const realUserPath = join(realUserFolder, basename(user.path));
  const optionalLayerFiles: LayerFile[] = [
    { file: user.path, origin: { source: "user", folder: home }, mustExist: user.named },
    // A project file that `PLUGBOARD_CONFIG_PATH` names belongs only to the user layer.
    ...projectFiles.project
      .filter(({ file }) => file !== realUserPath)
      .map((projectFile) => optionalFile(projectFile, "project")),
    ...(projectFiles.local ? [optionalFile(projectFiles.local, "local")] : []),
  ];
  const layerFiles: LayerFile[] = [
    // Always read, because its restrictions apply even if the program does not name the managed layer.
    { file: managedConfigPath, origin: { source: "managed", folder: home }, mustExist: false },
    ...optionalLayerFiles.filter(({ origin }) => layers.some((layer) => layer === origin.source)),
    ...configFiles.map((name) => ({ file: resolve(cwd, name), origin: invocationOrigin(cwd), mustExist: true })),
  ];
  return { layerFiles, projectFiles };
}

export function invocationOrigin(cwd: string): LayerOrigin {
  return { source: "invocation", folder: resolve(cwd) };
}

const NO_PROJECT: ProjectFiles = { project: [], local: undefined, searchedPaths: [], foreignFiles: [] };

function optionalFile({ file, folder }: { file: string; folder: string }, source: "project" | "local"): LayerFile {
  return { file, origin: { source, folder }, mustExist: false };
}
