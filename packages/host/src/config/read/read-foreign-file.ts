/** Reads a file of another client that the user names with `--config`, if its format differs from Plugboard's own. */
import type { ConfigProblem } from "@plugboard/contracts";
import { readLayerFromServers } from "./read-layer.ts";
import type { LayerOrigin } from "./find-layer-files.ts";
import type { Layer } from "./read-layer.ts";

/** Returns undefined for a file in a format that Plugboard reads itself. Throws CONFIG_INVALID for invalid text. */
export async function readForeignFile(file: string, text: string, origin: LayerOrigin): Promise<Layer | undefined> {
  const { convertForeignText } = await import("../../clients/convert-foreign-text.ts");
  const foreign = await convertForeignText(file, text, origin.folder);
  if (!foreign) return undefined;
  const warning = (server: string, message: string): ConfigProblem => ({ severity: "warning", file, server, message });
  const layer = await readLayerFromServers(
    file,
    Object.fromEntries(foreign.servers.map(({ id, entry }) => [id, entry])),
    origin,
  );
  return {
    ...layer,
    problems: [
      ...foreign.servers.flatMap(({ id, notes }) => notes.map((note) => warning(id, note))),
      ...foreign.skipped.map(({ name, reason }) => warning(name, `it is ignored: ${reason}`)),
      ...layer.problems,
    ],
  };
}
