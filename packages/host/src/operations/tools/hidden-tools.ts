/** Offers and hides tools, by the list `tools.exclude` of their servers. */
import type { HiddenTool } from "@plugboard/contracts";
import { editConfig, filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";
import { unknownServerError } from "../servers/find-entries.ts";

export async function enableTool(
  server: string,
  tool: string,
  enabled: boolean,
  place: OperationsPlace,
): Promise<void> {
  const files = await inspectConfig(place);
  const defining = filesWithEntry(files, server).find(({ layer }) => definitionIn(layer, server));
  const definition = definitionIn(defining?.layer, server);
  if (!defining || !definition) throw unknownServerError(server, files);
  const others = definition.tools.exclude.filter((pattern) => pattern !== tool);
  const exclude = enabled ? others : [...others, tool];
  await editConfig(defining.file, { type: "set_excluded_tools", id: server, exclude }, defining.source);
}

/** Returns only tools that are hidden by their own names. A pattern may hide more. */
export async function listHiddenTools(place: OperationsPlace): Promise<HiddenTool[]> {
  const files = await inspectConfig(place);
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
