/** The tools that a workspace offers to models. Lists, searches and finds them, and switches them on and off. */
import { HostError } from "@plugboard/contracts";
import type { DescribedTool, ModelProvider, OfferedTool, ToolRef } from "@plugboard/contracts";
import type { Connection, ToolCatalog } from "@plugboard/mcp";
import { parseGlob } from "@plugboard/config";
import type { ToolKey } from "../names/name-table.ts";
import { toolName } from "../names/tool-name.ts";
import type { Policy } from "../policy/policy.ts";
import { toProviderFormat } from "../tools/provider-tool-formats.ts";
import type { ProviderToolFormats } from "../tools/provider-tool-formats.ts";
import type { RegisteredTool } from "../tools/registered-tool.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { ToolFilter } from "../tools/server-tools.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolView } from "../tools/tool-view.ts";
import type { ToolViewOptions, ViewedTool } from "../tools/tool-view.ts";
import { ToolSearch } from "../tools/tool-search.ts";
import type { SearchHit } from "../tools/search-index.ts";
import type { SearchOptions } from "../tools/tool-search.ts";
import { loginTool } from "../tools/login-tool.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import type { UnmetSchemas } from "../tools/unmet-schemas.ts";
import type { SortedTools } from "./describe-server.ts";
import type { LoginPrompts } from "./login-prompts.ts";
import type { NativeToolVisibility } from "./native-tool-visibility.ts";
import type { ServerSet } from "./server-set.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export interface OfferedToolsOptions {
  readonly registry: ToolRegistry;
  /** Patterns of tools that the invocation excludes, such as `files:write_*`. */
  readonly exclude: readonly string[] | undefined;
  readonly nativeTools: NativeToolVisibility;
  readonly servers: ServerSet;
  readonly policy: () => Policy;
  readonly loginPrompts: () => LoginPrompts;
  readonly unmetSchemas: UnmetSchemas;
}

type DefinedTool = Pick<ViewedTool, "server" | "definition">;

export class OfferedTools {
  readonly #options: OfferedToolsOptions;
  readonly #filters: ToolFilters;
  #search: ToolSearch | undefined;
  readonly #loginTools = new WeakMap<WorkspaceServer, NativeTool>();

  constructor(options: OfferedToolsOptions) {
    this.#options = options;
    this.#filters = new ToolFilters(options.exclude);
  }

  /** Leaves out tools that a rule denies for all arguments. */
  list(): RegisteredTool[] {
    this.refresh();
    return this.#options.registry.list().filter((tool) => this.#isOffered(tool));
  }

  /** Returns the tools of one server, as `list` does. */
  listOf(server: string): RegisteredTool[] {
    this.#options.servers.find(server)?.connection?.tools();
    return this.#options.registry.listOf(server).filter((tool) => this.#isOffered(tool));
  }

  /** Returns a view: a selection of the tools, with names of its own. */
  view(options: ToolViewOptions): ToolView {
    return new ToolView(this.#options.registry, options);
  }

  /** Reads the tool lists of connections again if they have expired, in the background. */
  refresh(): void {
    for (const { connection } of this.#options.servers.all()) connection?.tools();
  }

  async search(query: string, options?: SearchOptions): Promise<SearchHit[]> {
    this.#search ??= new ToolSearch(this.#options.registry);
    const hits = await this.#search.search(query, options);
    return hits.filter(({ tool }) => this.#isOffered(tool));
  }

  /** Returns the tools in the format of a model provider. Leaves out tools that are only for Apps. */
  definitions<P extends ModelProvider>(provider: P): ProviderToolFormats[P] {
    return toProviderFormat(
      provider,
      this.list().filter(({ ui }) => ui?.forModel !== false),
    );
  }

  toggle(ref: ToolRef, enabled: boolean): void {
    const { registry, nativeTools } = this.#options;
    const found = registry.find(ref);
    if (!found) throw this.notFound(ref);
    if (found.native) nativeTools.setEnabled(found.tool, enabled);
    registry.setEnabled(found, enabled);
  }

  /** Replaces the registered tools of a server with the tools that it lists now. */
  update(server: WorkspaceServer): void {
    const { registry } = this.#options;
    const { connection } = server;
    const login = server.ownLogin && server.waitsForLogin ? this.#loginTool(server) : undefined;
    const offer = (connection?.catalogAvailable || login) && {
      // While the principal is not logged in, the last known tools stay. A call of one of them asks for the login.
      catalog: connection![login ? "lastCatalog" : "catalog"],
      filter: this.#filters.filterFor(server),
      version: connection!.session?.serverInfo.serverVersion,
      login,
    };
    registry.update(server.id, offer || undefined);
  }

  /**
   * Sorts the tools that a server lists by whether they are offered. Another workspace may have leased the connection.
   */
  sort(server: WorkspaceServer, connection: Connection): SortedTools {
    const { catalog } = connection;
    const registry = server.connection === connection ? this.#options.registry : this.#registryFor(server, catalog);
    const offered = new Set(registry.listOf(server.id).flatMap((tool) => (this.#isOffered(tool) ? tool.tool : [])));
    const collisions = registry.collisions().filter(({ server: id }) => id === server.id);
    const nameless = new Set(collisions.map(({ tool }) => tool));
    return {
      offered: catalog.tools.filter(({ name }) => offered.has(name)),
      hidden: catalog.tools.filter(({ name }) => !offered.has(name) && !nameless.has(name)),
      dropped: [...catalog.dropped, ...collisions.map(({ tool, reason }) => ({ tool, reason }))],
    };
  }

  find(ref: ToolRef): ResolvedTool | undefined {
    return this.#options.registry.find(ref);
  }

  /** Describes a tool to the user, even if it is not offered. Throws TOOL_NOT_FOUND for an unknown tool. */
  describe(ref: ToolRef): DescribedTool {
    const described = this.#options.registry.describe(ref);
    if (!described) throw this.notFound(ref);
    return described;
  }

  /** Splits `server:tool`, also for a server that has never listed its tools. Throws TOOL_NOT_FOUND for other names. */
  parseRef(ref: ToolRef): ToolKey {
    if (typeof ref !== "string") return ref;
    const colon = ref.indexOf(":");
    if (colon < 0) throw this.notFound(ref);
    return { server: ref.slice(0, colon), tool: ref.slice(colon + 1) };
  }

  /**
   * Returns TOOL_UNUSABLE with the reason if a server lists the tool. Otherwise returns TOOL_NOT_FOUND, and suggests a
   * similar name if there is one.
   */
  notFound(ref: ToolRef): HostError {
    const unusable = this.unusable(({ server, tool }) =>
      typeof ref === "string"
        ? ref === `${server}:${tool}` || ref === toolName(server, tool)
        : ref.server === server && ref.tool === tool,
    );
    if (unusable) return unusable;
    const tool = typeof ref === "string" ? ref : `${ref.server}:${ref.tool}`;
    const suggestion = this.#options.registry.suggest(ref);
    return new HostError("TOOL_NOT_FOUND", { tool, ...(suggestion !== undefined && { suggestion }) });
  }

  /** Returns TOOL_UNUSABLE for a tool that a server lists, but that can't be used. */
  unusable(matches: (tool: ToolKey) => boolean): HostError | undefined {
    for (const { id: server, connection } of this.#options.servers.all()) {
      const dropped = connection?.lastCatalog.dropped.find(({ tool }) => matches({ server, tool }));
      if (dropped) return new HostError("TOOL_UNUSABLE", { tool: `${server}:${dropped.tool}`, reason: dropped.reason });
    }
    return undefined;
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

  /** Returns whether any result of the tool has not matched its output schema, or has lost its structured content. */
  hasUnmetSchema({ server, definition }: DefinedTool): boolean {
    const { servers, unmetSchemas } = this.#options;
    const found = definition.outputSchema && servers.find(server);
    return found ? unmetSchemas.has(found.definitionHash, definition) : false;
  }

  /** Records that a client got a result of the tool without its structured content. */
  recordUnmetSchema({ server, definition }: DefinedTool): void {
    const { servers, unmetSchemas } = this.#options;
    const found = definition.outputSchema && servers.find(server);
    if (found) unmetSchemas.add(found.definitionHash, definition);
  }

  /** Calls the listener when the offered tools may have changed. Returns the function that removes the listener. */
  onChanged(listener: () => void): () => void {
    const { registry, unmetSchemas } = this.#options;
    const stops = [registry.onChanged(listener), unmetSchemas.onAdded(listener)];
    return () => stops.forEach((stop) => stop());
  }

  #loginTool(server: WorkspaceServer): NativeTool {
    let tool = this.#loginTools.get(server);
    if (!tool) {
      const { loginPrompts } = this.#options;
      tool = loginTool(server.id, (url, ctx) => loginPrompts().logInFromClient(server, url, ctx));
      this.#loginTools.set(server, tool);
    }
    return tool;
  }

  /** Returns a registry with the tools of one server only. */
  #registryFor(server: WorkspaceServer, catalog: ToolCatalog): ToolRegistry {
    const registry = new ToolRegistry(this.#options.registry.naming);
    registry.update(server.id, { catalog, filter: this.#filters.filterFor(server) });
    return registry;
  }

  #isOffered(tool: OfferedTool): boolean {
    return !this.#options.policy().isAlwaysDenied(tool);
  }
}

/** Decides which tools of a server are offered, from its definition and from the invocation's `exclude` patterns. */
class ToolFilters {
  readonly #excluded: readonly { readonly matches: (server: string) => boolean; readonly tool: string }[];
  /** The last filter of each server. The registry skips an update if it gets the same filter object again. */
  readonly #cache = new WeakMap<WorkspaceServer, { readonly tools: object; readonly filter: ToolFilter }>();

  /** Takes patterns like `files:write_*`. A pattern without a colon excludes a whole server. */
  constructor(exclude: readonly string[] = []) {
    if (!Array.isArray(exclude) || exclude.some((pattern) => typeof pattern !== "string")) {
      throw new HostError("USAGE", { message: '"exclude" must be a list of patterns like "files:write_*"' });
    }
    this.#excluded = exclude.map((pattern) => {
      const colon = pattern.indexOf(":");
      const server = parseGlob(colon < 0 ? pattern : pattern.slice(0, colon));
      return { matches: (id: string) => server.matches(id), tool: colon < 0 ? "*" : pattern.slice(colon + 1) };
    });
  }

  filterFor(server: WorkspaceServer): ToolFilter {
    const { hidden } = server;
    const { tools } = server.definition;
    const cached = this.#cache.get(server);
    if (cached && cached.tools === tools && cached.filter.hidden === hidden) return cached.filter;
    const excludedByProgram = this.#excluded.filter(({ matches }) => matches(server.id)).map(({ tool }) => tool);
    const filter = { include: tools.include, exclude: tools.exclude, excludedByProgram, hidden };
    this.#cache.set(server, { tools, filter });
    return filter;
  }
}
