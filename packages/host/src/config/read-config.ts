/** All layers of a workspace, read and laid over each other. Reads only: no file is ever written here. */
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConfigLayer, ConfigProblem } from "@plugboard/contracts";
import { findProject, real } from "./find-project.ts";
import type { ProjectFiles } from "./find-project.ts";
import { managedConfigPath } from "./managed-config-path.ts";
import { restrictionsOf } from "./restrictions-of.ts";
import { mergeLayers } from "./merge-layers.ts";
import type { Merged, Trusts } from "./merge-layers.ts";
import { isProjects } from "./project-limits.ts";
import { ProjectLayers } from "./project-layers.ts";
import { readConfigFile } from "./read-config-file.ts";
import { readConfigText, readInvocation } from "./read-layer.ts";
import type { Invocation, Layer, LayerOrigin } from "./read-layer.ts";
import type { IsStranger } from "./stranger.ts";
import { userConfigPath } from "./user-config-path.ts";

export interface Config extends Merged {
  /** Every path that was read or looked for, so that a change of any can be noticed. */
  readonly files: readonly string[];
  /** Of a project's files that could not be read; what counts instead is told by the problems. */
  readonly refusals: readonly HostError[];
}

export interface ReadConfigOptions {
  /** The layers to read besides the invocation; all by default. Restrictions of the managed layer always apply. */
  readonly layers?: readonly ConfigLayer[] | undefined;
  /** Whether the user has consented to what a project's file defines or switches on; unless given, to nothing. */
  readonly trusts?: Trusts;
  /** By the program that composes the host alone, never by the environment. */
  readonly managedPath?: string;
  readonly home?: string;
  /** What a project's file said that can't be read any more; unless given, nothing. */
  readonly projectLayers?: ProjectLayers;
  /** Whether a user's files above the folder are not to count; unless given, all others' but the administrator's. */
  readonly isStranger?: IsStranger;
}

const ALL_LAYERS: readonly ConfigLayer[] = ["managed", "user", "project", "local"];

type Env = { readonly [name: string]: string | undefined };

interface WantedFile {
  readonly file: string;
  readonly origin: LayerOrigin;
  readonly mustExist: boolean;
}

export async function readConfig(spec: Invocation, env: Env, options: ReadConfigOptions = {}): Promise<Config> {
  const { layers = ALL_LAYERS, trusts = () => false, managedPath = managedConfigPath(), home = homedir() } = options;
  const projectLayers = options.projectLayers ?? new ProjectLayers();
  const user = userConfigPath(env, home);
  const inProject = layers.some(isProjects);
  const found = inProject ? await findProject(spec.cwd, home, options.isStranger) : NO_PROJECT;
  const own = join(await real(dirname(user.path)), basename(user.path));
  const invocation = { source: "invocation", folder: resolve(spec.cwd) } as const;
  const files: WantedFile[] = [
    { file: user.path, origin: { source: "user", folder: home }, mustExist: user.named },
    // A file that the user names as their own is theirs, wherever it lies.
    ...found.project.filter(({ file }) => file !== own).map((one) => optional(one, "project")),
    ...(found.local ? [optional(found.local, "local")] : []),
  ];
  const wanted: WantedFile[] = [
    { file: managedPath, origin: { source: "managed", folder: home }, mustExist: false },
    ...files.filter(({ origin }) => layers.some((layer) => layer === origin.source)),
    ...(spec.configFiles ?? []).map((name) => {
      return { file: resolve(spec.cwd, name), origin: invocation, mustExist: true };
    }),
  ];
  projectLayers.forgetAllBut(wanted.map(({ file }) => file));
  // Where a denial of the user's or the administrator's may be lost, nothing at all is read.
  const readOne = (one: WantedFile) =>
    isProjects(one.origin.source) ? projectLayers.read(one.file, one.origin, () => readWanted(one)) : readWanted(one);
  const read = await Promise.all([...wanted.map(readOne), readInvocation(spec, invocation)]);
  const restricted = (layer: Layer) =>
    layer.source === "managed" && !layers.includes("managed") ? restrictionsOf(layer) : layer;
  const counting = read.filter((layer) => layer !== undefined).map(restricted);
  const merged = mergeLayers(counting, trusts);
  return {
    ...merged,
    problems: [...merged.problems, ...found.strangers.map(passedOver)],
    refusals: counting.flatMap(({ refusal }) => refusal ?? []),
    files: [...new Set([...wanted.map(({ file }) => file), ...found.lookedFor])],
  };
}

const NO_PROJECT: ProjectFiles = { project: [], local: undefined, lookedFor: [], strangers: [] };

function passedOver({ file, uid }: ProjectFiles["strangers"][number]): ConfigProblem {
  const message = `it is not read: it lies above the current folder and belongs to another user (uid ${uid}); if you want it, work in its folder or make it yours`;
  return { severity: "warning", file, message };
}

function optional({ file, folder }: { file: string; folder: string }, source: "project" | "local"): WantedFile {
  return { file, origin: { source, folder }, mustExist: false };
}

async function readWanted({ file, origin, mustExist }: WantedFile): Promise<Layer | undefined> {
  const text = await readConfigFile(file);
  if (text !== undefined) return readConfigText(file, text, origin);
  if (mustExist) throw new HostError("CONFIG_INVALID", { file, what: "there is no such file" });
  return undefined;
}
