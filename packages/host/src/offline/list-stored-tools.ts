/** Lists the tools of configured servers as earlier runs have stored them. Creates no host and starts nothing. */
import { systemClock } from "@plugboard/contracts";
import type { OfferedTool, WorkspaceSpec } from "@plugboard/contracts";
import { definitionHash } from "@plugboard/config";
import { stateFolder } from "@plugboard/store";
import { CatalogFiles } from "../catalog/catalog-files.ts";
import { Policy } from "../policy/policy.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { readStaticConfig } from "./read-static-config.ts";
import type { StaticConfigOptions } from "./read-static-config.ts";

/** Leaves out tools that a workspace would not offer, and tools of servers that were never connected. */
export async function listStoredTools(options: StaticConfigOptions, spec: WorkspaceSpec): Promise<OfferedTool[]> {
  const { config } = await readStaticConfig(options, spec);
  // Ignores a catalog that can't be read, as if it were not stored.
  const files = new CatalogFiles(stateFolder(options.env), { onFailed: () => {}, clock: systemClock });
  const registry = new ToolRegistry(config.naming);
  for (const server of config.servers.values()) {
    const { id, definition } = server;
    if ("invalid" in definition || !definition.enabled) continue;
    const stored = files.lastCatalog(definitionHash(server));
    if (stored) registry.update(id, { catalog: stored.tools, filter: definition.tools });
  }
  registry.setOrder([...config.servers.keys()]);
  const policy = new Policy(config.rules);
  return registry.list().filter((tool) => !policy.isAlwaysDenied(tool));
}
