/** Reads and merges all config layers of a workspace. Never writes a file. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem, Env } from "@plugboard/contracts";
import type { ConfiguredSandbox, ConfiguredServer } from "../definition/definition.ts";
import { isProjectSource } from "../definition/project-limits.ts";
import type { ProjectFiles } from "../files/find-project.ts";
import { readConfigFile } from "../files/read-config-file.ts";
import { configureSandbox, configureTerminal } from "../sandbox/configure-sandbox.ts";
import type { SandboxContext } from "../sandbox/configure-sandbox.ts";
import { ALL_LAYERS, findLayerFiles, invocationOrigin } from "./find-layer-files.ts";
import type { FindLayerFilesOptions, LayerFile } from "./find-layer-files.ts";
import { mergeLayers } from "./merge-layers.ts";
import type { MergedConfig, IsTrusted } from "./merge-layers.ts";
import { ProjectLayerCache } from "./project-layer-cache.ts";
import { readFileLayer } from "./read-file-layer.ts";
import { readLayerFromInvocation } from "./read-layer.ts";
import type { InvocationSpec, Layer } from "./read-layer.ts";

export interface Config extends MergedConfig {
  /** The sandbox of the commands that a model runs. Absent without one. */
  readonly terminalSandbox?: ConfiguredSandbox;
  /** Every path that was read or searched, for watching. */
  readonly files: readonly string[];
  /** The errors of invalid project files. `problems` says for each whether its last valid version applies. */
  readonly readErrors: readonly HostError[];
}

export interface ReadConfigOptions extends FindLayerFilesOptions {
  /**
   * Loads the function that returns whether the user trusts a server. Called only if a project's file defines, enables
   * or disables servers. Without it, no server of a project is trusted.
   */
  readonly loadTrust?: () => Promise<IsTrusted>;
  /** The last valid versions of project files. Empty by default. */
  readonly projectLayerCache?: ProjectLayerCache;
}

export async function readConfig(spec: InvocationSpec, env: Env, options: ReadConfigOptions = {}): Promise<Config> {
  const { layers = ALL_LAYERS } = options;
  const projectLayerCache = options.projectLayerCache ?? new ProjectLayerCache();
  const { layerFiles, projectFiles } = await findLayerFiles(spec, env, options);
  projectLayerCache.retainOnly(layerFiles.map(({ file }) => file));
  // An invalid file of the user or the administrator throws. Otherwise its `deny` rules would have no effect.
  const readOne = (layerFile: LayerFile) =>
    isProjectSource(layerFile.origin.source)
      ? projectLayerCache.read(layerFile.file, layerFile.origin, () => readLayerFile(layerFile))
      : readLayerFile(layerFile);
  const allLayers = await Promise.all([
    ...layerFiles.map(readOne),
    readLayerFromInvocation(spec, invocationOrigin(spec.cwd)),
  ]);
  const restrictManaged = (layer: Layer) =>
    layer.source === "managed" && !layers.includes("managed") ? managedRestrictions(layer) : layer;
  const activeLayers = allLayers.filter((layer) => layer !== undefined).map(restrictManaged);
  const merged = mergeLayers(activeLayers, await findTrust(activeLayers, options));
  const { home = homedir() } = options;
  const defaults = activeLayers.flatMap(({ sandboxDefault }) => sandboxDefault ?? []);
  const sandboxContext = { defaults, env, home, cwd: resolve(spec.cwd) };
  const sandboxed = configureSandboxes(merged, sandboxContext);
  const terminals = activeLayers.flatMap((layer) => layer.terminalSandbox ?? []);
  const terminalSandbox = terminals.length > 0 && configureTerminal(terminals, sandboxContext);
  return {
    ...sandboxed,
    ...(terminalSandbox && { terminalSandbox }),
    problems: [...sandboxed.problems, ...projectFiles.foreignFiles.map(foreignFileProblem)],
    readErrors: activeLayers.flatMap(({ readError }) => readError ?? []),
    files: [...new Set([...layerFiles.map(({ file }) => file), ...projectFiles.searchedPaths])],
  };
}

/** Returns the same config if no server has a sandbox, which is the usual case. */
function configureSandboxes(merged: MergedConfig, context: SandboxContext): MergedConfig {
  const hasSandbox = ({ definition }: ConfiguredServer) => "sandbox" in definition;
  const isNeeded = context.defaults.length > 0 || [...merged.servers.values(), ...merged.pending].some(hasSandbox);
  if (!isNeeded) return merged;
  const problems: ConfigProblem[] = [];
  const configure = (server: ConfiguredServer) => {
    const configured = configureSandbox(server, context);
    if (configured.problem) problems.push(configured.problem);
    return configured.server;
  };
  const servers = new Map([...merged.servers].map(([id, server]) => [id, configure(server)]));
  const pending = merged.pending.map(configure);
  return { ...merged, servers, pending, problems: [...merged.problems, ...problems] };
}

async function findTrust(layers: readonly Layer[], { loadTrust }: ReadConfigOptions): Promise<IsTrusted> {
  const needsTrust = layers.some(
    ({ source, servers, switches }) => isProjectSource(source) && servers.length + switches.length > 0,
  );
  return needsTrust && loadTrust ? loadTrust() : () => false;
}

function foreignFileProblem({ file, uid }: ProjectFiles["foreignFiles"][number]): ConfigProblem {
  const message = `ignored: it is above the current folder and belongs to another user (uid ${uid}). To use it, run in its folder or take ownership`;
  return { severity: "warning", file, message };
}

async function readLayerFile({ file, origin, mustExist }: LayerFile): Promise<Layer | undefined> {
  const text = await readConfigFile(file);
  if (text !== undefined) return readFileLayer(file, text, origin);
  if (mustExist) {
    const reason = `the file does not exist${origin.source === "user" ? "; PLUGBOARD_CONFIG_PATH names it" : ""}`;
    throw new HostError("CONFIG_INVALID", { file, reason, missing: true });
  }
  return undefined;
}

/**
 * Returns the part of the managed layer that applies to every program: `deny` and `ask` rules, disabled servers, and
 * sandboxes.
 * The rest applies only to programs whose options include the managed layer.
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
    gateway: undefined,
    model: undefined,
  };
}
