/** All layers of a workspace, read and laid over each other. Reads only: no file is ever written here. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import { findProject } from "./find-project.ts";
import { managedConfigPath } from "./managed-config-path.ts";
import { mergeLayers } from "./merge-layers.ts";
import type { Merged, Trusts } from "./merge-layers.ts";
import { readConfigFile } from "./read-config-file.ts";
import { readConfigText, readInvocation } from "./read-layer.ts";
import type { Invocation, Layer, LayerOrigin } from "./read-layer.ts";
import { userConfigPath } from "./user-config-path.ts";

export interface Config extends Merged {
  /** Every path that was read or looked for, so that a change of any can be noticed. */
  readonly files: readonly string[];
}

export interface ReadConfigOptions {
  /** Whether the user has consented to what a project's file defines or switches on; unless given, to nothing. */
  readonly trusts?: Trusts;
  /** By the program that composes the host alone, never by the environment. */
  readonly managedPath?: string;
  readonly home?: string;
}

type Env = { readonly [name: string]: string | undefined };

interface WantedFile {
  readonly file: string;
  readonly origin: LayerOrigin;
  readonly mustExist: boolean;
}

export async function readConfig(spec: Invocation, env: Env, options: ReadConfigOptions = {}): Promise<Config> {
  const { trusts = () => false, managedPath = managedConfigPath(), home = homedir() } = options;
  const user = userConfigPath(env, spec.cwd);
  const found = await findProject(spec.cwd, home);
  const invocation = { source: "invocation", folder: resolve(spec.cwd) } as const;
  const wanted: WantedFile[] = [
    { file: managedPath, origin: { source: "managed", folder: home }, mustExist: false },
    { file: user.path, origin: { source: "user", folder: home }, mustExist: user.named },
    // A file that the user names as their own is theirs, wherever it lies.
    ...found.project.filter(({ file }) => file !== user.path).map((one) => optional(one, "project")),
    ...(found.local ? [optional(found.local, "local")] : []),
    ...(spec.configFiles ?? []).map((name) => {
      return { file: resolve(spec.cwd, name), origin: invocation, mustExist: true };
    }),
  ];
  const layers = await Promise.all([...wanted.map(readWanted), readInvocation(spec, invocation)]);
  return {
    ...mergeLayers(
      layers.filter((layer) => layer !== undefined),
      trusts,
    ),
    files: [...new Set([...wanted.map(({ file }) => file), ...found.lookedFor])],
  };
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
