/** Validates an entry that is not in a file yet, as reading the file would. */
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem, ServerEntry } from "@plugboard/contracts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { serializeJson } from "../parse/serialize-json.ts";
import { readLayerFromText } from "../read/read-layer.ts";
import type { LayerOrigin } from "../read/find-layer-files.ts";

export interface ConfiguredEntry {
  readonly server: ConfiguredServer;
  /** Warnings. They have no position. */
  readonly problems: readonly ConfigProblem[];
}

/** Throws SERVER_INVALID for an invalid entry. */
export async function configureEntry(
  id: string,
  entry: ServerEntry,
  file: string,
  origin: LayerOrigin,
): Promise<ConfiguredEntry> {
  const text = serializeJson(file, { mcp: { servers: { [id]: entry } } });
  const { servers, problems } = await readLayerFromText(file, text, origin);
  const error = problems.find(({ severity }) => severity === "error");
  const [server] = servers;
  if (error || !server) {
    const reason = error?.message ?? 'it has neither a "command" nor a "url"';
    throw new HostError("SERVER_INVALID", { server: id, reason });
  }
  return { server, problems: problems.map(({ severity, message }) => ({ severity, file, server: id, message })) };
}
