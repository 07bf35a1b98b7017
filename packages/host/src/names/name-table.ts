/**
 * Resolves the names that a model sees to tools, for one workspace or one view of it. If two tools
 * get the same name, the first tool keeps it, and the second is not offered until the name is
 * free. Native tools reserve their names first.
 */
import type { Naming } from "@plugboard/contracts";
import { MAX_NAME_LENGTH } from "./naming.ts";
import { DEFAULT_NAMING, NATIVE_SERVER_ID } from "@plugboard/contracts";
import { toolName } from "./tool-name.ts";

export interface ToolKey {
  readonly server: string;
  readonly tool: string;
}

export interface NameCollision extends ToolKey {
  readonly reason: string;
}

interface ServerNames {
  readonly items: readonly { readonly name: string }[];
  /** The name of each tool, even if another tool owns that name. */
  readonly names: ReadonlyMap<string, string>;
}

export class NameTable {
  readonly #naming: Naming;
  readonly #maxLength: number;
  readonly #owners = new Map<string, ToolKey>();
  /** Tools whose name another tool owns, in order of arrival. */
  readonly #claimants = new Map<string, ToolKey[]>();
  readonly #servers = new Map<string, ServerNames>();

  constructor(naming: Naming = DEFAULT_NAMING, maxLength = MAX_NAME_LENGTH) {
    this.#naming = naming;
    this.#maxLength = maxLength;
  }

  /**
   * Replaces the tools of a server, unless `items` is the list that it already has. Returns the tools of other servers
   * that get a name because the old tools no longer use it.
   */
  update(server: string, items: readonly { readonly name: string }[]): ToolKey[] {
    const previous = this.#servers.get(server);
    if (previous?.items === items) return [];
    const names = new Map(items.map(({ name: tool }) => [tool, toolName(server, tool, this.#naming, this.#maxLength)]));
    const newOwners: ToolKey[] = [];
    for (const [tool, name] of previous?.names ?? []) {
      if (!names.has(tool)) newOwners.push(...this.#unassign(name, { server, tool }));
    }
    for (const [tool, name] of names) {
      if (!previous?.names.has(tool)) this.#assign(name, { server, tool });
    }
    this.#servers.set(server, { items, names });
    return newOwners.filter((owner) => owner.server !== server);
  }

  /** Releases the names of a server. Returns the tools of other servers that thereby get a name. */
  remove(server: string): ToolKey[] {
    const newOwners = this.update(server, []);
    this.#servers.delete(server);
    return newOwners;
  }

  /** Reserves a name for a native tool. Returns the current owner if the name is taken. */
  reserve(name: string): ToolKey | undefined {
    const owner = this.#owners.get(name);
    if (!owner) this.#owners.set(name, { server: NATIVE_SERVER_ID, tool: name });
    return owner;
  }

  /** Releases the name of a native tool. Returns the tool that thereby gets the name, if any. */
  release(name: string): ToolKey[] {
    return this.#unassign(name, { server: NATIVE_SERVER_ID, tool: name });
  }

  resolve(name: string): ToolKey | undefined {
    return this.#owners.get(name);
  }

  /** Returns undefined for an unknown tool, and for a tool whose name another tool owns. */
  nameOf(server: string, tool: string): string | undefined {
    const name = this.#servers.get(server)?.names.get(tool);
    const owner = name === undefined ? undefined : this.#owners.get(name);
    return owner?.server === server && owner.tool === tool ? name : undefined;
  }

  names(): Iterable<string> {
    return this.#owners.keys();
  }

  /** Returns the tools that can't be offered because another tool owns their name. */
  collisions(): NameCollision[] {
    return [...this.#claimants].flatMap(([name, claimants]) => {
      const owner = this.#owners.get(name)!;
      const reason = `its name ${name} belongs to "${owner.server}:${owner.tool}"`;
      return claimants.map((claimant) => ({ ...claimant, reason }));
    });
  }

  #assign(name: string, key: ToolKey): void {
    if (!this.#owners.has(name)) {
      this.#owners.set(name, key);
      return;
    }
    const waiting = this.#claimants.get(name);
    if (waiting) waiting.push(key);
    else this.#claimants.set(name, [key]);
  }

  /** Removes the tool as the owner or a claimant of the name. Returns the new owner, if there is one. */
  #unassign(name: string, { server, tool }: ToolKey): ToolKey[] {
    const waiting = this.#claimants.get(name) ?? [];
    const owner = this.#owners.get(name);
    const wasOwner = owner?.server === server && owner.tool === tool;
    const isOther = (claimant: ToolKey) => claimant.server !== server || claimant.tool !== tool;
    const remaining = wasOwner ? waiting.slice(1) : waiting.filter(isOther);
    if (remaining.length > 0) this.#claimants.set(name, remaining);
    else this.#claimants.delete(name);
    if (!wasOwner) return [];
    const newOwner = waiting[0];
    if (newOwner) this.#owners.set(name, newOwner);
    else this.#owners.delete(name);
    return newOwner ? [newOwner] : [];
  }
}
