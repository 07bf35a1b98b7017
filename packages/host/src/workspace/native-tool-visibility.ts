/**
 * Decides when the host's own tools are offered. Every offered tool takes space in a model's context, so a tool is
 * offered only while it is needed. For example, the tools for resources are offered only while a server has resources.
 */
import { NATIVE_TOOLS } from "../native/native-tools.ts";
import type { NativeToolSources } from "../native/native-tools.ts";
import { NATIVE_SERVER_ID } from "@plugboard/contracts";
import type { NativeTool } from "../tools/native-tool.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

type Purpose = (typeof NATIVE_TOOLS)[string]["reads"];

export class NativeToolVisibility {
  readonly #registry: ToolRegistry;
  readonly #neededPurposes = new Set<Purpose>();
  /** The ids of the servers that have resources or prompts. So a change of one server need not look at all servers. */
  readonly #servers = { resources: new Set<string>(), prompts: new Set<string>() };
  /** Tools for these purposes are never offered. */
  readonly #withheldPurposes = new Set<Purpose>();
  /** The tools that were switched off. They stay off, even if they are needed. */
  readonly #disabled = new Set<string>();

  constructor(registry: ToolRegistry, sources: NativeToolSources) {
    this.#registry = registry;
    for (const [name, { make }] of Object.entries(NATIVE_TOOLS)) {
      registry.registerOnDemand(name, () => make(sources));
      this.#update(name);
    }
  }

  /** Adds a tool for files and commands, or of the program. */
  add(tool: NativeTool): void {
    this.#registry.register(tool);
    this.#update(tool.name);
  }

  remove(name: string): boolean {
    return this.#registry.unregister(name);
  }

  setEnabled(name: string, enabled: boolean): void {
    if (enabled) this.#disabled.delete(name);
    else this.#disabled.add(name);
  }

  /**
   * Returns whether the tool is hidden only because it is not needed. It can be called nevertheless: a conversation
   * that began in another host may know its name.
   */
  isHiddenUntilNeeded(name: string): boolean {
    return NATIVE_TOOLS[name] !== undefined && !this.#disabled.has(name);
  }

  /** Offers no tools for these purposes, whether or not they are needed. Called before the servers start. */
  withhold(...purposes: readonly Purpose[]): void {
    for (const purpose of purposes) this.#withheldPurposes.add(purpose);
  }

  /** Offers `read_output`, because a stored result can now be read. */
  onOutputStored(): void {
    this.#setNeeded("outputs", true);
  }

  /** Called with all servers that a model may use, after the config or the rules have changed. */
  onServersChange(servers: Iterable<WorkspaceServer>): void {
    this.#servers.resources.clear();
    this.#servers.prompts.clear();
    for (const server of servers) this.#record(server.id, server);
    this.#updateNeeded();
  }

  /** Called when one server has changed. `server` is undefined if a model may not use it any more. */
  onServerChange(id: string, server: WorkspaceServer | undefined): void {
    this.#record(id, server);
    this.#updateNeeded();
  }

  #record(id: string, server: WorkspaceServer | undefined): void {
    const capabilities = server?.connection?.session?.serverInfo.capabilities;
    for (const part of ["resources", "prompts"] as const) {
      if (capabilities?.[part] === true) this.#servers[part].add(id);
      else this.#servers[part].delete(id);
    }
  }

  #updateNeeded(): void {
    this.#setNeeded("resources", this.#servers.resources.size > 0);
    this.#setNeeded("prompts", this.#servers.prompts.size > 0);
  }

  #setNeeded(purpose: Purpose, needed: boolean): void {
    if (this.#withheldPurposes.has(purpose)) return;
    if (this.#neededPurposes.has(purpose) === needed) return;
    if (needed) this.#neededPurposes.add(purpose);
    else this.#neededPurposes.delete(purpose);
    for (const [name, { reads }] of Object.entries(NATIVE_TOOLS)) if (reads === purpose) this.#update(name);
  }

  #update(name: string): void {
    const purpose = NATIVE_TOOLS[name]?.reads;
    // A tool of the program has no purpose here and is always needed.
    const needed = purpose === undefined || this.#neededPurposes.has(purpose);
    this.#registry.setEnabled({ server: NATIVE_SERVER_ID, tool: name }, needed && !this.#disabled.has(name));
  }
}
