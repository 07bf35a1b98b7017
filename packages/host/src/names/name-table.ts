/** Resolves model-visible names to what they stand for, for one workspace. */
import type { ToolCatalog } from "@plugboard/mcp";
import { toolName } from "./tool-name.ts";

export interface ToolPair {
  readonly server: string;
  readonly tool: string;
}

export class NameTable {
  readonly #pairs = new Map<string, ToolPair>();
  readonly #catalogs = new Map<
    string,
    { readonly catalog: ToolCatalog; readonly names: ReadonlyMap<string, string> }
  >();

  /** Brings a server's names up to date; free when its catalog is the one already known. */
  update(server: string, catalog: ToolCatalog): void {
    const known = this.#catalogs.get(server);
    if (known?.catalog === catalog) return;
    for (const name of known?.names.values() ?? []) this.#pairs.delete(name);
    const names = new Map(catalog.tools.map(({ name: tool }) => [tool, toolName(server, tool)]));
    for (const [tool, name] of names) this.#pairs.set(name, { server, tool });
    this.#catalogs.set(server, { catalog, names });
  }

  resolve(name: string): ToolPair | undefined {
    return this.#pairs.get(name);
  }

  nameOf(server: string, tool: string): string | undefined {
    return this.#catalogs.get(server)?.names.get(tool);
  }

  names(): Iterable<string> {
    return this.#pairs.keys();
  }
}
