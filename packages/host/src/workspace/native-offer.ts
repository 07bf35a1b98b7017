/**
 * The host's own tools in a workspace. They are offered only while they are of
 * use: those for resources while a server has resources, and so on. What they
 * cost in a model's context is paid by nobody who has no use for them.
 */
import { nativeTools } from "../native/native-tools.ts";
import type { NativeToolsOptions } from "../native/native-tools.ts";
import { NATIVE } from "../names/name-table.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { WorkspaceServer } from "./server.ts";

type Use = "resources" | "prompts" | "outputs";

const USES: { readonly [name: string]: Use } = {
  mcp_resources_list: "resources",
  mcp_resource_read: "resources",
  mcp_prompts_list: "prompts",
  mcp_prompt_get: "prompts",
  read_output: "outputs",
};

export class NativeOffer {
  readonly #registry: ToolRegistry;
  readonly #needed = new Set<Use>();
  /** What somebody has switched off stays off. */
  readonly #off = new Set<string>();

  constructor(registry: ToolRegistry, parts: NativeToolsOptions) {
    this.#registry = registry;
    for (const tool of nativeTools(parts)) this.add(tool);
  }

  /** One of the host's own, or of the program's. */
  add(tool: NativeTool): void {
    this.#registry.register(tool);
    this.#update(tool.name);
  }

  remove(name: string): boolean {
    return this.#registry.unregister(name);
  }

  switch(name: string, on: boolean): void {
    if (on) this.#off.delete(name);
    else this.#off.add(name);
  }

  /** Not offered for want of use. Whoever knows of it may use it all the same: a chat goes on in another host. */
  isDormant(name: string): boolean {
    return USES[name] !== undefined && !this.#off.has(name);
  }

  /** From now on there are results to read on in. */
  outputKept(): void {
    this.#need("outputs", true);
  }

  heed(servers: Iterable<WorkspaceServer>): void {
    let resources = false;
    let prompts = false;
    for (const { connection } of servers) {
      const offers = connection?.session?.facts.offers;
      resources ||= offers?.resources === true;
      prompts ||= offers?.prompts === true;
    }
    this.#need("resources", resources);
    this.#need("prompts", prompts);
  }

  #need(use: Use, needed: boolean): void {
    if (this.#needed.has(use) === needed) return;
    if (needed) this.#needed.add(use);
    else this.#needed.delete(use);
    for (const name of Object.keys(USES)) if (USES[name] === use) this.#update(name);
  }

  #update(name: string): void {
    const use = USES[name];
    const on = !this.#off.has(name) && (use === undefined || this.#needed.has(use));
    this.#registry.toggle({ server: NATIVE, tool: name }, on);
  }
}
