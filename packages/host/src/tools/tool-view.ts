/**
 * A selection of the tools of a workspace, with names of its own. Each profile of the gateway has such a view. A tool
 * outside the view can't be found, and takes no name away from a tool in the view.
 */
import type { Tool, Naming } from "@plugboard/contracts";
import { NameTable } from "../names/name-table.ts";
import type { ToolKey } from "../names/name-table.ts";
import { toolName } from "../names/tool-name.ts";
import type { ResolvedTool } from "./resolved-tool.ts";
import type { ToolRegistry } from "./tool-registry.ts";

export interface ToolViewOptions {
  readonly naming: Naming;
  /** The longest name. */
  readonly maxLength: number;
  readonly includes: (tool: ToolKey) => boolean;
}

export interface ViewedTool extends ToolKey {
  readonly name: string;
  readonly definition: Tool;
}

type ViewedRegistry = Pick<ToolRegistry, "generation" | "unnamed" | "find">;

export class ToolView {
  readonly #registry: ViewedRegistry;
  readonly #includes: ToolViewOptions["includes"];
  readonly #names: NameTable;
  readonly #nameOf: (tool: ToolKey) => string;
  /** For each server, the tools that can have a name, and those of them that are in the view. */
  readonly #servers = new Map<string, { readonly nameable: readonly Tool[]; readonly included: readonly Tool[] }>();
  #generation: number | undefined;
  #listed: readonly ViewedTool[] = [];

  constructor(registry: ViewedRegistry, { naming, maxLength, includes }: ToolViewOptions) {
    this.#registry = registry;
    this.#includes = includes;
    this.#names = new NameTable(naming, maxLength);
    this.#nameOf = ({ server, tool }) => toolName(server, tool, naming, maxLength);
  }

  /** Returns the offered tools of the view. Returns the same array until something changes. */
  list(): readonly ViewedTool[] {
    this.#update();
    return this.#listed;
  }

  /** Returns the tool with that name, also if its server is unavailable, because a call may start the server. */
  find(name: string): ResolvedTool | undefined {
    this.#update();
    const key = this.#names.resolve(name);
    return key && this.#registry.find(key);
  }

  /** For a tool that can't be used, such as an excluded one. Returns whether the view would give it this name. */
  wouldName(tool: ToolKey, name: string): boolean {
    return this.#includes(tool) && this.#nameOf(tool) === name;
  }

  #update(): void {
    const { generation } = this.#registry;
    if (generation === this.#generation) return;
    this.#generation = generation;
    const servers = [...this.#registry.unnamed()];
    const ids = new Set(servers.map(({ server }) => server));
    for (const id of this.#servers.keys()) if (!ids.has(id)) this.#remove(id);
    // All nameable tools of the view get names, so that the names stay the same while a server is unavailable.
    for (const { server, nameable } of servers) this.#names.update(server, this.#included(server, nameable));
    this.#listed = servers.flatMap(({ server, enabled }) =>
      enabled.flatMap((definition) => {
        const { name: tool } = definition;
        // Undefined for a tool outside the view, and if another tool has the name.
        const name = this.#names.nameOf(server, tool);
        return name === undefined ? [] : [{ name, server, tool, definition }];
      }),
    );
  }

  /** Returns the tools of the server that are in the view. Filters again only if the tools have changed. */
  #included(server: string, nameable: readonly Tool[]): readonly Tool[] {
    const before = this.#servers.get(server);
    if (before?.nameable === nameable) return before.included;
    const included = nameable.filter(({ name: tool }) => this.#includes({ server, tool }));
    this.#servers.set(server, { nameable, included });
    return included;
  }

  #remove(server: string): void {
    this.#servers.delete(server);
    this.#names.remove(server);
  }
}
