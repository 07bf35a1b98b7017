/** Reads the names of a server's tools from its last catalog on disk. Starts nothing and fetches no secret. */
import type { Env } from "@plugboard/contracts";
import { definitionHash } from "@plugboard/config";
import type { ConfiguredServer } from "@plugboard/config";
import { stateFolder } from "@plugboard/store";
import { CatalogFiles } from "../catalog/catalog-files.ts";

/** Returns undefined if no host has connected the server with this definition before. */
export function readStoredTools(server: ConfiguredServer, env: Env): readonly string[] | undefined {
  if ("invalid" in server.definition) return undefined;
  const files = new CatalogFiles(stateFolder(env), { onFailed: () => {} });
  return files.lastCatalog(definitionHash(server))?.tools.tools.map(({ name }) => name);
}
