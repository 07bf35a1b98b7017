/** Reads and merges all config layers of a workspace. Never writes a file. */
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConfigLayer, ConfigProblem, Env } from "@plugboard/contracts";
import { realPathOrSelf } from "../../store/real-path.ts";
import { findProject } from "../files/find-project.ts";
import type { ProjectFiles } from "../files/find-project.ts";
import { mergeLayers } from "./merge-layers.ts";
import type { MergedConfig, IsTrusted } from "./merge-layers.ts";
import { isProjectSource } from "../definition/project-limits.ts";
import { ProjectLayerCache } from "./project-layer-cache.ts";
import { readConfigFile } from "../files/read-config-file.ts";
import { readForeignFile } from "./read-foreign-file.ts";
import { readLayerFromText, readLayerFromInvocation } from "./read-layer.ts";
import type { InvocationSpec, Layer, LayerOrigin } from "./read-layer.ts";
import type { IsForeignUser } from "../files/file-owner.ts";
import { defaultManagedConfigPath, userConfigPath } from "../files/config-paths.ts";

export interface Config extends MergedConfig {
  /** Every path that was read or searched, for watching. */
  readonly files: readonly string[];
  /** The errors of invalid project files. `problems` says for each whether its last valid version applies. */
  readonly readErrors: readonly HostError[];
}

export interface ReadConfigOptions {
  /** The layers to read besides the invocation; all by default. Restrictions of the managed layer always apply. */
  readonly layers?: readonly ConfigLayer[] | undefined;
  /** Returns whether the user trusts a server that a project's file defines or enables. Trusts none by default. */
  readonly isTrusted?: IsTrusted | Promise<IsTrusted>;
  /** Set only by the embedding program, never by the environment. */
  readonly managedConfigPath?: string;
  readonly home?: string;
  /** The last valid versions of project files. Empty by default. */
  readonly projectLayerCache?: ProjectLayerCache;
  /**
   * Returns whether to ignore a user's files above the folder. By default true for all but the current user and
   * root.
   */
  readonly isForeignUser?: IsForeignUser;
}

const ALL_LAYERS: readonly ConfigLayer[] = ["managed", "user", "project", "local"];

interface LayerFile {
  readonly file: string;
  readonly origin: LayerOrigin;
  readonly mustExist: boolean;
}

export async function readConfig(spec: InvocationSpec, env: Env, options: ReadConfigOptions = {}): Promise<Config> {
  const {
    layers = ALL_LAYERS,
    isTrusted = () => false,
    managedConfigPath = defaultManagedConfigPath(),
    home = homedir(),
  } = options;
  const projectLayerCache = options.projectLayerCache ?? new ProjectLayerCache();
  const user = userConfigPath(env, home);
  const includesProject = layers.some(isProjectSource);
  const projectFiles = includesProject ? await findProject(spec.cwd, home, options.isForeignUser) : NO_PROJECT;
  const realUserPath = join(await realPathOrSelf(dirname(user.path)), basename(user.path));
  const invocationOrigin = { source: "invocation", folder: resolve(spec.cwd) } as const;
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
    ...(spec.configFiles ?? []).map((name) => {
      return { file: resolve(spec.cwd, name), origin: invocationOrigin, mustExist: true };
    }),
  ];
  projectLayerCache.retainOnly(layerFiles.map(({ file }) => file));
  // An invalid file of the user or the administrator throws. Otherwise its `deny` rules would have no effect.
  const readOne = (layerFile: LayerFile) =>
    isProjectSource(layerFile.origin.source)
      ? projectLayerCache.read(layerFile.file, layerFile.origin, () => readLayerFile(layerFile))
      : readLayerFile(layerFile);
  const allLayers = await Promise.all([...layerFiles.map(readOne), readLayerFromInvocation(spec, invocationOrigin)]);
  const restrictManaged = (layer: Layer) =>
    layer.source === "managed" && !layers.includes("managed") ? managedRestrictions(layer) : layer;
  const activeLayers = allLayers.filter((layer) => layer !== undefined).map(restrictManaged);
  const merged = mergeLayers(activeLayers, await isTrusted);
  return {
    ...merged,
    problems: [...merged.problems, ...projectFiles.foreignFiles.map(foreignFileProblem)],
    readErrors: activeLayers.flatMap(({ readError }) => readError ?? []),
    files: [...new Set([...layerFiles.map(({ file }) => file), ...projectFiles.searchedPaths])],
  };
}

const NO_PROJECT: ProjectFiles = { project: [], local: undefined, searchedPaths: [], foreignFiles: [] };

function foreignFileProblem({ file, uid }: ProjectFiles["foreignFiles"][number]): ConfigProblem {
  const message = `it is ignored, because it is above the current folder and belongs to another user (uid ${uid}); to use it, work in its folder or take ownership`;
  return { severity: "warning", file, message };
}

function optionalFile({ file, folder }: { file: string; folder: string }, source: "project" | "local"): LayerFile {
  return { file, origin: { source, folder }, mustExist: false };
}

async function readLayerFile({ file, origin, mustExist }: LayerFile): Promise<Layer | undefined> {
  const text = await readConfigFile(file);
  if (text !== undefined) {
    const foreign = origin.source === "invocation" ? await readForeignFile(file, text, origin) : undefined;
    return foreign ?? readLayerFromText(file, text, origin);
  }
  if (mustExist) {
    const reason = `the file does not exist${origin.source === "user" ? "; PLUGBOARD_CONFIG_PATH names it" : ""}`;
    throw new HostError("CONFIG_INVALID", { file, reason, missing: true });
  }
  return undefined;
}

/**
 * Returns the part of the managed layer that applies to every program: `deny` and `ask` rules, and disabled servers.
 * The rest applies only to programs that name the managed layer.
 */
function managedRestrictions(layer: Layer): Layer {
  const disabledServers = layer.servers.flatMap(({ id, definition }) =>
    "invalid" in definition || definition.enabled ? [] : [{ id, enabled: false }],
  );
  return {
    ...layer,
    servers: [],
    switches: [...disabledServers, ...layer.switches.filter(({ enabled }) => !enabled)],
    rules: layer.rules.filter(({ effect }) => effect !== "allow"),
    naming: undefined,
    profiles: new Map(),
  };
}
