/** One server's part of the registry: what it lists, what of that is withheld, and the list that is offered. */
import type { Tool } from "@plugboard/contracts";
import type { ToolCatalog } from "@plugboard/mcp";
import type { NameTable } from "../names/name-table.ts";
import { toolName } from "../names/tool-name.ts";
import type { Naming } from "../names/naming.ts";
import type { FoundTool } from "./found-tool.ts";
import type { Pins } from "./pin.ts";
import { registeredTool } from "./registered-tool.ts";
import type { RegisteredTool } from "./registered-tool.ts";
import { compileView } from "./tool-view.ts";
import type { ToolView } from "./tool-view.ts";

export interface ServerOffer {
  readonly catalog: ToolCatalog;
  readonly version?: string | undefined;
  readonly view: ToolView;
}

const NONE: readonly RegisteredTool[] = [];

export class ServerTools {
  readonly id: string;
  #offer: ServerOffer | undefined;
  #away = true;
  #tools: ReadonlyMap<string, Tool> = new Map();
  #excluded: ReadonlySet<string> = new Set();
  #listed: readonly RegisteredTool[] | undefined;
  readonly #found = new Map<string, FoundTool>();

  constructor(id: string) {
    this.id = id;
  }

  get tools(): Tool[] {
    return [...this.#tools.values()];
  }

  /** Those that may have a name. */
  get named(): readonly Tool[] {
    return this.tools.filter(({ name }) => !this.#excluded.has(name));
  }

  /** Says what has changed: the tools that may have names, only what is offered of them, or nothing. */
  update(offer: ServerOffer | undefined): "names" | "list" | undefined {
    const [known, away] = [this.#offer, this.#away];
    this.#away = offer === undefined;
    const same = known?.catalog === offer?.catalog && known?.view === offer?.view && known?.version === offer?.version;
    if (away === this.#away && (away || same)) return undefined;
    this.invalidate();
    if (!offer || same) return "list";
    this.#offer = offer;
    if (known?.catalog === offer.catalog && known.view === offer.view) return "list";
    this.#tools = new Map(offer.catalog.tools.map((tool) => [tool.name, tool]));
    const isExcluded = compileView(offer.view);
    this.#excluded = new Set([...this.#tools.keys()].filter(isExcluded));
    return "names";
  }

  /** The excluded tool that would have this name. Only for saying so: it goes through all of them. */
  excludedBy(name: string, naming: Naming): string | undefined {
    return [...this.#excluded].find((tool) => toolName(this.id, tool, naming) === name);
  }

  /** What it knows by its names and switches is made anew when next asked for. */
  invalidate(): void {
    this.#listed = undefined;
    this.#found.clear();
  }

  find(tool: string, names: NameTable, off: ReadonlySet<string> | undefined): FoundTool | undefined {
    const definition = this.#tools.get(tool);
    if (!definition) return undefined;
    let found = this.#found.get(tool);
    if (!found) this.#found.set(tool, (found = this.#describe(definition, names, off)));
    return found;
  }

  /** The same array until something has changed. */
  list(names: NameTable, off: ReadonlySet<string> | undefined, pins: Pins): readonly RegisteredTool[] {
    this.#listed ??= this.#away || this.#hidden ? NONE : this.#list(names, off, pins);
    return this.#listed;
  }

  #list(names: NameTable, off: ReadonlySet<string> | undefined, pins: Pins): readonly RegisteredTool[] {
    const { id: server } = this;
    const version = this.#offer?.version;
    return this.named.flatMap((definition) => {
      const name = names.nameOf(server, definition.name);
      if (name === undefined || off?.has(definition.name)) return [];
      return [registeredTool({ name, server, origin: "mcp", version, definition }, pins)];
    });
  }

  #describe(definition: Tool, names: NameTable, off: ReadonlySet<string> | undefined): FoundTool {
    const { id: server } = this;
    const { name: tool } = definition;
    const name = names.nameOf(server, tool);
    return {
      server,
      tool,
      ...(name !== undefined && { name }),
      definition,
      ...(this.#excluded.has(tool) && { excluded: true }),
      ...((this.#hidden || off?.has(tool)) && { off: true }),
    };
  }

  get #hidden(): boolean {
    return this.#offer?.view.hidden === true;
  }
}
