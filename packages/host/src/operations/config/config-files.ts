/** Shows, checks and creates config files. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type {
  ConfigCheck,
  ConfigFileInfo,
  ConfigFilesOptions,
  EditableScope,
  OpenedConfigFile,
} from "@plugboard/contracts";
import { requireScopeFiles } from "@plugboard/config";
import { createConfigFile, exists, inspectConfig, inspectFile, locateServer, problemsOf } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";
import { requireEntries } from "../servers/find-entries.ts";

export async function listConfigFiles(
  { scope }: ConfigFilesOptions = {},
  place: OperationsPlace,
): Promise<ConfigFileInfo[]> {
  const files = await inspectConfig(place);
  if (scope === undefined) return files.map(describeFile);
  const changed = (await requireScopeFiles(scope, place.cwd, place.env)).files.at(-1);
  return files.filter(({ file }) => file === changed).map(describeFile);
}

function describeFile(inspected: InspectedFile): ConfigFileInfo {
  const { source, file, folder, error } = inspected;
  return { source, file, folder, exists: exists(inspected), ...(error && { invalid: error.details.reason }) };
}

export async function checkConfigFiles(file: string | undefined, place: OperationsPlace): Promise<ConfigCheck> {
  const all = await inspectConfig(place);
  const checked = file === undefined ? all.filter(exists) : [await findFile(resolve(place.cwd, file), all, place.cwd)];
  return { files: checked.map((one) => one.file), problems: checked.flatMap(problemsOf) };
}

/** Checks a config file of a layer by the rules of that layer, and any other file like a file of `--config`. */
async function findFile(path: string, all: readonly InspectedFile[], cwd: string): Promise<InspectedFile> {
  const found =
    all.find(({ file }) => file === path) ?? (await inspectFile(path, { source: "invocation", folder: cwd }));
  if (exists(found)) return found;
  throw new HostError("CONFIG_INVALID", { file: path, reason: "the file does not exist", missing: true });
}

export async function openConfigFile(
  scope: EditableScope,
  server: string | undefined,
  place: OperationsPlace,
): Promise<OpenedConfigFile> {
  const { file, source } =
    server === undefined ? await findFileOf(scope, place) : (await requireEntries(server, scope, place)).files[0];
  await createConfigFile(file, source);
  const line = server === undefined ? undefined : locateServer(await readFile(file, "utf8"), server);
  return { file, ...(line !== undefined && { line }) };
}

/** Returns the existing file of the scope with the highest priority, or else the file for new servers. */
async function findFileOf(scope: EditableScope, place: OperationsPlace): Promise<InspectedFile> {
  await requireScopeFiles(scope, place.cwd, place.env);
  const files = (await inspectConfig(place)).filter(({ source }) => source === scope);
  return files.findLast(exists) ?? files.at(-1)!;
}
