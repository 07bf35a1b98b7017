/**
 * Holds all tools of a workspace, native tools and tools of servers, under their model-visible names. Lists the offered
 * tools and resolves names. Knows neither connections nor policy.
 *
 * - An excluded tool is left out by the filter of its server, or by the program.
 * - A nameable tool is not excluded. It keeps its name while its server is unavailable.
 * - A disabled tool was switched off, alone or with its whole server. It keeps its name, too.
 * - An enabled tool is nameable and not disabled, and its server is available.
 * - An offered or listed tool is enabled and has a name of its own. Models see only these tools.
 */
import { HostError, Listeners, NATIVE_SERVER_ID, nearest, DEFAULT_NAMING } from "@plugboard/contracts";
import type { DescribedTool, Tool, ToolRef, Naming } from "@plugboard/contracts";
import { NameTable } from "../names/name-table.ts";
import type { NameCollision, ToolKey } from "../names/name-table.ts";
import { toolName } from "../names/tool-name.ts";
import type { ResolvedTool } from "./resolved-tool.ts";
import { checkNativeTool, nativeToolDefinition } from "./native-tool.ts";
import type { NativeTool } from "./native-tool.ts";
import { registeredTool } from "./registered-tool.ts";
import type { RegisteredTool } from "./registered-tool.ts";
import { ServerTools } from "./server-tools.ts";
import type { ServerOffer } from "./server-tools.ts";

interface RegisteredNative {
  readonly native: NativeTool;
  readonly registered: RegisteredTool;
}

/** The tools of one server without model-visible names, for a view that makes names of its own. */
export interface UnnamedTools {
  readonly server: string;
  /** The array stays identical until these tools change. */
  readonly nameable: readonly Tool[];
  readonly enabled: readonly Tool[];
}

export class ToolRegistry {
  /** By name. The function makes a tool that was registered on demand at its first use. */
  readonly #natives = new Map<string, () => RegisteredNative>();
  readonly #servers = new Map<string, ServerTools>();
  /** The disabled tools by server. Kept when a tool disappears, so that it is still disabled when it returns. */
  readonly #disabled = new Map<string, Set<string>>();
  readonly #listeners = new Listeners();
  #naming: Naming;
  #names: NameTable;
  #order: readonly string[] = [];
  #listed: readonly RegisteredTool[] | undefined;
  #nativeListed: readonly RegisteredTool[] | undefined;
  #generation = 0;

  constructor(naming: Naming = DEFAULT_NAMING) {
    this.#naming = naming;
    this.#names = new NameTable(naming);
  }

  /** Counts the changes of the offered tools. */
  get generation(): number {
    return this.#generation;
  }

  get naming(): Naming {
    return this.#naming;
  }

  /** Sets how model-visible names are made, and renames all tools. */
  setNaming(naming: Naming): void {
    if (naming === this.#naming) return;
    this.#naming = naming;
    this.#names = new NameTable(naming);
    for (const name of this.#natives.keys()) this.#names.reserve(name);
    for (const server of this.#inOrder()) {
      this.#names.update(server.id, server.nameable);
      server.invalidate();
    }
    this.#changed();
  }

  /** Sets the order of the servers in the list, by id. */
  setOrder(order: readonly string[]): void {
    if (order.join() === this.#order.join()) return;
    this.#order = order;
    this.#changed();
  }

  register(native: NativeTool): void {
    checkNativeTool(native);
    const registered = registerNative(native);
    this.#addNative(native.name, () => registered);
  }

  /** Registers a native tool that `make` creates when it is first listed or called. */
  registerOnDemand(name: string, make: () => NativeTool): void {
    let registered: RegisteredNative | undefined;
    this.#addNative(name, () => (registered ??= registerNative(make())));
  }

  /** Returns whether the tool was registered. */
  unregister(name: string): boolean {
    if (!this.#natives.delete(name)) return false;
    this.#nativeListed = undefined;
    this.#invalidateServers(this.#names.release(name));
    this.#changed();
    return true;
  }

  /**
   * Updates the tools of a server, unless catalog, version and filter are the objects of the last update. Without an
   * offer the server is unavailable. Its tools keep their names, because a call may start the server.
   */
  update(id: string, offer: ServerOffer | undefined): void {
    if (id === NATIVE_SERVER_ID)
      throw new HostError("SERVER_INVALID", {
        server: id,
        reason: `"${NATIVE_SERVER_ID}" is reserved for native tools`,
      });
    const server = this.#servers.get(id) ?? new ServerTools(id);
    this.#servers.set(id, server);
    const changed = server.update(offer);
    // If the nameable tools have changed, tools of other servers may get other names, too.
    if (changed === "names") this.#invalidateServers(this.#names.update(id, server.nameable));
    if (changed) this.#changed();
  }

  /** Removes a server and frees its names. */
  remove(id: string): void {
    if (!this.#servers.delete(id)) return;
    this.#invalidateServers(this.#names.remove(id));
    this.#changed();
  }

  setEnabled({ server, tool }: ToolKey, enabled: boolean): void {
    const disabled = this.#disabled.get(server) ?? new Set();
    if (disabled.has(tool) !== enabled) return;
    if (enabled) disabled.delete(tool);
    else disabled.add(tool);
    this.#disabled.set(server, disabled);
    if (server === NATIVE_SERVER_ID) this.#nativeListed = undefined;
    this.#servers.get(server)?.invalidate();
    this.#changed();
  }

  /** Returns the offered tools: native tools, then servers in config order. The array stays the same until a change. */
  list(): readonly RegisteredTool[] {
    this.#listed ??= [...this.byServer().values()].flat();
    return this.#listed;
  }

  /** Returns the offered tools by server. The array of an unchanged server stays the same. */
  byServer(): ReadonlyMap<string, readonly RegisteredTool[]> {
    const lists = new Map([[NATIVE_SERVER_ID, this.listOf(NATIVE_SERVER_ID)]]);
    for (const { id } of this.#inOrder()) lists.set(id, this.listOf(id));
    return lists;
  }

  /** Returns the offered tools of a server. */
  listOf(id: string): readonly RegisteredTool[] {
    if (id === NATIVE_SERVER_ID) return this.#listNatives();
    return this.#servers.get(id)?.list(this.#names, this.#disabled.get(id)) ?? [];
  }

  /** Yields the tools of servers without names, for views that have names of their own. */
  *unnamed(): Iterable<UnnamedTools> {
    for (const server of this.#inOrder()) {
      const { id, nameable } = server;
      yield { server: id, nameable, enabled: server.enabled(this.#disabled.get(id)) };
    }
  }

  /**
   * Finds a tool by model-visible name, by `server:tool` or by the pair of server and tool. Matches exactly, including
   * case. A tool that the server's filter excludes is found by the name that it would get.
   */
  find(ref: ToolRef): ResolvedTool | undefined {
    if (typeof ref !== "string") return this.#resolve(ref.server, ref.tool);
    const pair = this.#names.resolve(ref);
    if (pair) return this.#resolve(pair.server, pair.tool);
    const colon = ref.indexOf(":");
    if (colon >= 0) return this.#resolve(ref.slice(0, colon), ref.slice(colon + 1));
    for (const server of this.#servers.values()) {
      const tool = server.findExcluded(ref, this.#naming);
      if (tool !== undefined) return this.#resolve(server.id, tool);
    }
    return undefined;
  }

  /** Describes a tool as in the list, even if it is not listed. Returns undefined for an unknown tool. */
  describe(ref: ToolRef): DescribedTool | undefined {
    const found = this.find(ref);
    if (!found) return undefined;
    const { server, tool, definition, native, excluded, disabled } = found;
    const registered = registeredTool({
      // An excluded tool has no name, so it is described with the name that it would get.
      name: found.name ?? toolName(server, tool, this.#naming),
      server,
      origin: native ? "native" : "mcp",
      version: this.#servers.get(server)?.version,
      definition,
    });
    const off = excluded ?? disabled;
    return off ? { ...registered, off } : registered;
  }

  /** Returns the most similar name for an unknown tool. */
  suggest(ref: ToolRef): string | undefined {
    const listed = this.list();
    if (typeof ref === "string" && !ref.includes(":")) {
      return nearest(
        ref,
        listed.map(({ name }) => name),
      );
    }
    const word = typeof ref === "string" ? ref : `${ref.server}:${ref.tool}`;
    return nearest(
      word,
      listed.map(({ server, tool }) => `${server}:${tool}`),
    );
  }

  collisions(): NameCollision[] {
    return this.#names.collisions();
  }

  /** Calls the listener when the offered tools change. */
  onChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  #resolve(id: string, tool: string): ResolvedTool | undefined {
    if (id === NATIVE_SERVER_ID) return this.#resolveNative(tool);
    return this.#servers.get(id)?.find(tool, this.#names, this.#disabled.get(id));
  }

  #resolveNative(tool: string): ResolvedTool | undefined {
    const found = this.#natives.get(tool);
    if (!found) return undefined;
    const {
      native,
      registered: { definition },
    } = found();
    return {
      server: NATIVE_SERVER_ID,
      tool,
      name: tool,
      definition,
      native,
      ...(this.#isDisabled(NATIVE_SERVER_ID, tool) && { disabled: "tool_disabled" }),
    };
  }

  #listNatives(): readonly RegisteredTool[] {
    this.#nativeListed ??= [...this.#natives].flatMap(([name, native]) =>
      this.#isDisabled(NATIVE_SERVER_ID, name) ? [] : [native().registered],
    );
    return this.#nativeListed;
  }

  #addNative(name: string, native: () => RegisteredNative): void {
    const otherTool = this.#names.reserve(name);
    if (otherTool) throw new HostError("NAME_TAKEN", { name, owner: `${otherTool.server}:${otherTool.tool}` });
    this.#natives.set(name, native);
    this.#nativeListed = undefined;
    this.#changed();
  }

  #isDisabled(server: string, tool: string): boolean {
    return this.#disabled.get(server)?.has(tool) === true;
  }

  /** Returns the servers in config order, then the servers that the config does not list. */
  #inOrder(): ServerTools[] {
    const others = new Map(this.#servers);
    const ordered = this.#order.flatMap((id) => {
      const server = others.get(id);
      others.delete(id);
      return server ?? [];
    });
    return [...ordered, ...others.values()];
  }

  #invalidateServers(affected: readonly ToolKey[]): void {
    for (const { server } of affected) this.#servers.get(server)?.invalidate();
  }

  #changed(): void {
    this.#generation++;
    this.#listed = undefined;
    this.#listeners.emit();
  }
}

function registerNative(native: NativeTool): RegisteredNative {
  const { name } = native;
  const definition = nativeToolDefinition(native);
  return { native, registered: registeredTool({ name, server: NATIVE_SERVER_ID, origin: "native", definition }) };
}
