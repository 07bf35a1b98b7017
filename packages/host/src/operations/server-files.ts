/** Shows and changes the definitions of servers in config files, without a new command. */
import { HostError } from "@plugboard/contracts";
import type { EditableScope, HiddenTool, ServerDefinitionFile } from "@plugboard/contracts";
import { describeConfigured } from "@plugboard/config";
import { editConfig, filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import { switchServer } from "../offline/switch-server.ts";
import type { InspectedFile } from "@plugboard/config/edit";
import type { OperationsPlace } from "./operations-context.ts";

const EDITABLE: readonly string[] = ["user", "project", "local"] satisfies readonly EditableScope[];

/** Returns the definition with the highest priority first. */
export async function listDefinitions(id: string, place: OperationsPlace): Promise<ServerDefinitionFile[]> {
  const files = filesWithEntry(await inspectConfig(place), id);
  return files.flatMap(({ source, file, layer }) => {
    const server = layer?.servers.find((candidate) => candidate.id === id);
    if (!server) return [];
    const { config, invalid } = describeConfigured(server);
    return {
      source,
      file,
      ...(EDITABLE.includes(source) && { scope: source as EditableScope }),
      ...(config && { entry: config }),
      ...(invalid !== undefined && { invalid }),
    };
  });
}

export async function removeServer(id: string, scope: EditableScope, place: OperationsPlace): Promise<void> {
  const files = filesWithEntry(await inspectConfig(place), id, scope);
  if (files.length === 0) throw unknownServer(id);
  for (const { file } of files) await editConfig(file, { type: "remove_server", id }, scope);
}

/** Changes the file with the highest priority that has an entry for the server, so that the change has an effect. */
export async function enableServer(id: string, enabled: boolean, place: OperationsPlace): Promise<void> {
  const [found] = filesWithEntry(await inspectConfig(place), id).filter(isEditable);
  if (!found) {
    await switchInvocationServer(id, enabled, place);
    return;
  }
  const switched = await switchServer({ id, scope: found.source as EditableScope, enabled }, place);
  if ("missingIn" in switched) throw unknownServer(id);
}

/** A server of a file that was given with `--config` is switched in that file. */
async function switchInvocationServer(id: string, enabled: boolean, { configFiles, ...place }: OperationsPlace) {
  const given = filesWithEntry(await inspectConfig({ ...place, configFiles }), id, "invocation");
  const [file] = given;
  if (!file) throw unknownServer(id);
  await editConfig(file.file, { type: "set_enabled", id, enabled }, "invocation");
}

export async function enableTool(
  server: string,
  tool: string,
  enabled: boolean,
  place: OperationsPlace,
): Promise<void> {
  const files = await inspectConfig({ ...place, configFiles: place.configFiles });
  const defining = filesWithEntry(files, server).find(({ layer }) => definitionIn(layer, server));
  const definition = definitionIn(defining?.layer, server);
  if (!defining || !definition) throw unknownServer(server);
  const others = definition.tools.exclude.filter((pattern) => pattern !== tool);
  const exclude = enabled ? others : [...others, tool];
  await editConfig(defining.file, { type: "set_excluded_tools", id: server, exclude }, defining.source);
}

/** Returns only tools that are hidden by their own names. A pattern may hide more. */
export async function listHiddenTools(place: OperationsPlace): Promise<HiddenTool[]> {
  const files = await inspectConfig({ ...place, configFiles: place.configFiles });
  return files.flatMap(({ layer }) =>
    (layer?.servers ?? []).flatMap(({ id, definition }) => {
      if ("invalid" in definition) return [];
      const names = definition.tools.exclude.filter((pattern) => !/[*?[{!]/.test(pattern));
      return names.map((tool) => ({ server: id, tool }));
    }),
  );
}

function definitionIn(layer: InspectedFile["layer"], id: string) {
  const definition = layer?.servers.find((candidate) => candidate.id === id)?.definition;
  return definition && !("invalid" in definition) ? definition : undefined;
}

function isEditable({ source }: InspectedFile): boolean {
  return EDITABLE.includes(source);
}

function unknownServer(server: string): HostError {
  return new HostError("SERVER_UNKNOWN", { server, known: [] });
}
