/**
 * Decides when the host's own tools are offered. The tools for resources are offered only while a server has resources,
 * and so on, because every offered tool takes space in a model's context.
 */
import { nativeTools } from "../native/native-tools.ts";
import type { NativeToolsOptions } from "../native/native-tools.ts";
import { NATIVE_SERVER_ID } from "../names/name-table.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

type Purpose = "resources" | "prompts" | "outputs";

const TOOL_PURPOSES: { readonly [name: string]: Purpose } = {
  mcp_resources_list: "resources",
  mcp_resource_read: "resources",
  mcp_prompts_list: "prompts",
  mcp_prompt_get: "prompts",
  read_output: "outputs",
};

export class NativeToolVisibility {
  readonly #registry: ToolRegistry;
  readonly #needed = new Set<Purpose>();
  /** The tools that were switched off. They stay off, also if they would be of use. */
  readonly #disabled = new Set<string>();

  constructor(registry: ToolRegistry, parts: NativeToolsOptions) {
    this.#registry = registry;
    for (const tool of nativeTools(parts)) this.add(tool);
  }

  /** Adds a tool of the host or of the program. */
  add(tool: NativeTool): void {
    this.#registry.register(tool);
    this.#update(tool.name);
  }

  remove(name: string): boolean {
    return this.#registry.unregister(name);
  }

  setEnabled(name: string, on: boolean): void {
    if (on) this.#disabled.delete(name);
    else this.#disabled.add(name);
  }

  /** Returns whether the tool can be called although it is hidden. A chat that continues in another host knows its name. */
  isHiddenUntilNeeded(name: string): boolean {
    return TOOL_PURPOSES[name] !== undefined && !this.#disabled.has(name);
  }

  /** Offers `read_output`, because a stored result can now be read. */
  onOutputStored(): void {
    this.#setNeeded("outputs", true);
  }

  onServersChange(servers: Iterable<WorkspaceServer>): void {
    let resources = false;
    let prompts = false;
    for (const { connection } of servers) {
      const offers = connection?.session?.serverInfo.capabilities;
      resources ||= offers?.resources === true;
      prompts ||= offers?.prompts === true;
    }
    this.#setNeeded("resources", resources);
    this.#setNeeded("prompts", prompts);
  }

  #setNeeded(use: Purpose, needed: boolean): void {
    if (this.#needed.has(use) === needed) return;
    if (needed) this.#needed.add(use);
    else this.#needed.delete(use);
    for (const name of Object.keys(TOOL_PURPOSES)) if (TOOL_PURPOSES[name] === use) this.#update(name);
  }

  #update(name: string): void {
    const use = TOOL_PURPOSES[name];
    const on = !this.#disabled.has(name) && (use === undefined || this.#needed.has(use));
    this.#registry.setEnabled({ server: NATIVE_SERVER_ID, tool: name }, on);
  }
}
