/** The tools that a workspace offers to models: listed, searched, switched on and off, and found by a reference. */
import { HostError } from "@plugboard/contracts";
import type { ModelProvider, OfferedTool, ServerStatus, ToolRef } from "@plugboard/contracts";
import type { ToolKey } from "../names/name-table.ts";
import type { Policy } from "../policy/policy.ts";
import { toProviderFormat } from "../tools/provider-tool-formats.ts";
import type { ProviderToolFormats } from "../tools/provider-tool-formats.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolSearch } from "../tools/tool-search.ts";
import type { SearchHit } from "../tools/search-index.ts";
import type { SearchOptions } from "../tools/tool-search.ts";
import type { NativeToolVisibility } from "./native-tool-visibility.ts";
import type { ServerSet } from "./server-set.ts";
import type { ToolFilters } from "./tool-filters.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export interface OfferedToolsOptions {
  readonly registry: ToolRegistry;
  readonly filters: ToolFilters;
  readonly nativeTools: NativeToolVisibility;
  readonly servers: ServerSet;
  readonly policy: () => Policy;
}

export class OfferedTools {
  readonly #options: OfferedToolsOptions;
  readonly #search: ToolSearch;

  constructor(options: OfferedToolsOptions) {
    this.#options = options;
    this.#search = new ToolSearch(options.registry);
  }

  /** Leaves out tools that are denied whatever their arguments are. */
  list(): OfferedTool[] {
    const { registry, servers } = this.#options;
    // Reading an expired list makes its connection list the tools again in the background.
    for (const { connection } of servers.all()) connection?.tools();
    return registry.list().filter((tool) => this.#isOffered(tool));
  }

  async search(query: string, options?: SearchOptions): Promise<SearchHit[]> {
    const hits = await this.#search.search(query, options);
    return hits.filter(({ tool }) => this.#isOffered(tool));
  }

  /** Returns the tools in the format of a model provider. */
  definitions<P extends ModelProvider>(provider: P): ProviderToolFormats[P] {
    return toProviderFormat(provider, this.list());
  }

  toggle(ref: ToolRef, on: boolean): void {
    const { registry, nativeTools } = this.#options;
    const found = registry.find(ref);
    if (!found) throw this.notFound(ref);
    if (found.native) nativeTools.setEnabled(found.tool, on);
    registry.toggle(found, on);
  }

  /** Registers the tools that a server lists now. */
  update(server: WorkspaceServer): void {
    const { registry, filters } = this.#options;
    const { connection } = server;
    const offer = connection?.catalogAvailable && {
      catalog: connection.catalog,
      filter: filters.filterFor(server),
      version: connection.session?.serverInfo.serverVersion,
    };
    registry.update(server.id, offer || undefined);
  }

  /** Adds the tools whose name another tool has to the dropped tools of a status. */
  withNameCollisions<Status extends ServerStatus>(status: Status): Status {
    const collisions = this.#options.registry.collisions().filter(({ server }) => server === status.id);
    if (collisions.length === 0) return status;
    const dropped = collisions.map(({ tool, reason }) => ({ tool, reason }));
    return { ...status, droppedTools: [...(status.droppedTools ?? []), ...dropped] };
  }

  find(ref: ToolRef): ResolvedTool | undefined {
    return this.#options.registry.find(ref);
  }

  /** Splits `server:tool`, also for a server that has never listed its tools. Throws TOOL_NOT_FOUND for other names. */
  parseRef(ref: ToolRef): ToolKey {
    if (typeof ref !== "string") return ref;
    const colon = ref.indexOf(":");
    if (colon < 0) throw this.notFound(ref);
    return { server: ref.slice(0, colon), tool: ref.slice(colon + 1) };
  }

  /** Returns the TOOL_NOT_FOUND error, with a suggestion if a tool has a similar name. */
  notFound(ref: ToolRef): HostError {
    const tool = typeof ref === "string" ? ref : `${ref.server}:${ref.tool}`;
    const suggestion = this.#options.registry.suggest(ref);
    return new HostError("TOOL_NOT_FOUND", { tool, ...(suggestion !== undefined && { suggestion }) });
  }

  /** Returns whether the tool belongs to the host or the program, and not to a server. */
  isNative(ref: ToolRef): boolean {
    return this.find(ref)?.native !== undefined;
  }

  /** Returns the name that people see: `server:tool`. */
  displayName(ref: ToolRef): string {
    const { server, tool } = this.find(ref) ?? this.parseRef(ref);
    return `${server}:${tool}`;
  }

  /** Calls the listener when the offered tools may have changed. Returns the function that removes it. */
  onChanged(listener: () => void): () => void {
    return this.#options.registry.onChanged(listener);
  }

  #isOffered(tool: OfferedTool): boolean {
    return !this.#options.policy().isAlwaysDenied(tool);
  }
}
