/**
 * Reads the text of a config file as a layer. A file that the user names with `--config` may have the format of another
 * client.
 */
import type { ConfigProblem } from "@plugboard/contracts";
import type { LayerOrigin } from "./find-layer-files.ts";
import { readLayerFromServers, readLayerFromText } from "./read-layer.ts";
import type { Layer } from "./read-layer.ts";

/** Throws CONFIG_INVALID for invalid text. */
export async function readFileLayer(file: string, text: string, origin: LayerOrigin): Promise<Layer> {
  const foreign = origin.source === "invocation" ? await readForeignText(file, text, origin) : undefined;
  return foreign ?? readLayerFromText(file, text, origin);
}

/** Returns undefined for a file in a format that Plugboard reads itself. */
async function readForeignText(file: string, text: string, origin: LayerOrigin): Promise<Layer | undefined> {
  const { convertForeignText } = await import("../clients/convert-foreign-text.ts");
  const foreign = await convertForeignText(file, text, origin.folder);
  if (!foreign) return undefined;
  const { servers, skipped } = foreign;
  const layer = await readLayerFromServers(
    file,
    Object.fromEntries(servers.map(({ id, entry }) => [id, entry])),
    origin,
  );
  const warning = (server: string, message: string): ConfigProblem => ({ severity: "warning", file, server, message });
  return {
    ...layer,
    problems: [
      ...servers.flatMap(({ id, notes }) => notes.map((note) => warning(id, note))),
      ...skipped.map(({ name, reason }) => warning(name, `it is ignored: ${reason}`)),
      ...layer.problems,
    ],
  };
}
