/**
 * Reads every config file of a folder on its own, without merging the layers. Reports an invalid file instead of
 * throwing, so that commands can show and change the other files.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem, ConfigSource, Env } from "@plugboard/contracts";
import { defaultManagedConfigPath } from "../files/config-paths.ts";
import { findScopeFiles } from "../files/find-scope-files.ts";
import { readConfigFile } from "../files/read-config-file.ts";
import { configErrorToProblems } from "../read/config-error-to-problems.ts";
import { readFileLayer } from "../read/read-file-layer.ts";
import type { LayerOrigin } from "../read/find-layer-files.ts";
import type { Layer } from "../read/read-layer.ts";

export interface InspectedFile extends LayerOrigin {
  readonly file: string;
  /** Undefined if the file does not exist or is invalid. */
  readonly layer?: Layer;
  /** The text that the layer was read from, without a byte-order mark. */
  readonly text?: string;
  /** CONFIG_INVALID if the file exists and can't be used. */
  readonly error?: HostError<"CONFIG_INVALID">;
}

interface InspectOptions {
  readonly cwd: string;
  readonly env: Env;
  /** Additional files, as given with `--config`. */
  readonly configFiles?: readonly string[];
  readonly home?: string;
}

/** Returns the files from lowest to highest priority, including files that do not exist. */
export async function inspectConfig(options: InspectOptions): Promise<InspectedFile[]> {
  const { cwd, env, configFiles = [], home = homedir() } = options;
  const scopes = (["user", "project", "local"] as const).map((scope) => findScopeFiles(scope, cwd, env, home));
  const scopeFiles = (await Promise.all(scopes)).flatMap((found) =>
    (found?.files ?? []).map((file) => ({ file, source: found!.scope, folder: found!.folder })),
  );
  const files: (LayerOrigin & { readonly file: string })[] = [
    { file: defaultManagedConfigPath(), source: "managed", folder: home },
    ...scopeFiles,
    ...configFiles.map((name) => ({ file: resolve(cwd, name), source: "invocation" as const, folder: resolve(cwd) })),
  ];
  return Promise.all(files.map(({ file, source, folder }) => inspectFile(file, { source, folder })));
}

export async function inspectFile(file: string, { source, folder }: LayerOrigin): Promise<InspectedFile> {
  const inspected = { file, source, folder };
  try {
    const text = await readConfigFile(file);
    if (text === undefined) return inspected;
    return { ...inspected, text, layer: await readFileLayer(file, text, inspected) };
  } catch (thrown) {
    if (thrown instanceof HostError && thrown.code === "CONFIG_INVALID")
      return { ...inspected, error: thrown as HostError<"CONFIG_INVALID"> };
    throw thrown;
  }
}

export function exists({ layer, error }: InspectedFile): boolean {
  return layer !== undefined || error !== undefined;
}

/** Returns all problems of the file. */
export function problemsOf({ layer, error }: InspectedFile): readonly ConfigProblem[] {
  return error ? configErrorToProblems(error) : (layer?.problems ?? []);
}

/** Returns the files with an entry for the server, of one layer or of all, from highest to lowest priority. */
export function filesWithEntry(files: readonly InspectedFile[], id: string, source?: ConfigSource): InspectedFile[] {
  return files
    .filter(({ layer }) => layer && [...layer.servers, ...layer.switches].some((entry) => entry.id === id))
    .filter((file) => source === undefined || file.source === source)
    .toReversed();
}
