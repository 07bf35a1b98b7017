/**
 * Resolves model-visible names to what they stand for, for one workspace. A
 * name stands for the pair that had it first; another pair that would have the
 * same one, which a server can bring about, is not offered while that is so.
 */
import type { ToolCatalog } from "@plugboard/mcp";
import { toolName } from "./tool-name.ts";

export interface ToolPair {
  readonly server: string;
  readonly tool: string;
}

export interface NameCollision extends ToolPair {
  readonly reason: string;
}

interface Named {
  readonly catalog: ToolCatalog;
  /** The name of each tool, whether it has it or another pair does. */
  readonly names: ReadonlyMap<string, string>;
}

export class NameTable {
  readonly #pairs = new Map<string, ToolPair>();
  readonly #servers = new Map<string, Named>();

  /** Brings a server's names up to date; free when its catalog is the one already known. */
  update(server: string, catalog: ToolCatalog): void {
    const known = this.#servers.get(server);
    if (known?.catalog === catalog) return;
    const names = new Map(catalog.tools.map(({ name: tool }) => [tool, toolName(server, tool)]));
    for (const [tool, name] of known?.names ?? []) {
      if (!names.has(tool) && this.nameOf(server, tool) !== undefined) this.#pairs.delete(name);
    }
    this.#servers.set(server, { catalog, names });
    for (const { name, ...pair } of this.#all()) {
      if (!this.#pairs.has(name)) this.#pairs.set(name, pair);
    }
  }

  resolve(name: string): ToolPair | undefined {
    return this.#pairs.get(name);
  }

  /** Nothing for a tool that is not there or whose name is another's. */
  nameOf(server: string, tool: string): string | undefined {
    const name = this.#servers.get(server)?.names.get(tool);
    const holder = name === undefined ? undefined : this.#pairs.get(name);
    return holder?.server === server && holder.tool === tool ? name : undefined;
  }

  names(): Iterable<string> {
    return this.#pairs.keys();
  }

  /** The tools that can't be offered because their names are others'. */
  collisions(): NameCollision[] {
    return [...this.#all()].flatMap(({ server, tool, name }) => {
      if (this.nameOf(server, tool) !== undefined) return [];
      const holder = this.#pairs.get(name)!;
      return [{ server, tool, reason: `its name ${name} is that of "${holder.server}:${holder.tool}"` }];
    });
  }

  *#all(): Iterable<ToolPair & { readonly name: string }> {
    for (const [server, { names }] of this.#servers) {
      for (const [tool, name] of names) yield { server, tool, name };
    }
  }
}
