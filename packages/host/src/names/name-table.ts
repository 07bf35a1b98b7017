/**
 * Resolves model-visible names to what they stand for, for one workspace. A
 * name stands for the pair that had it first; another pair that would have the
 * same one, which a server can bring about, is not offered while that is so.
 * Names of native tools are taken before all others.
 */
import type { Naming } from "./naming.ts";
import { DEFAULT_NAMING } from "./naming.ts";
import { toolName } from "./tool-name.ts";

/** What stands for the program's own tools where a server's id is expected; no server can have it. */
export const NATIVE_SERVER_ID = "native";

export interface ToolKey {
  readonly server: string;
  readonly tool: string;
}

export interface NameCollision extends ToolKey {
  readonly reason: string;
}

interface ServerNames {
  readonly items: readonly { readonly name: string }[];
  /** The name of each item, whether it has it or another pair does. */
  readonly names: ReadonlyMap<string, string>;
}

export class NameTable {
  readonly #naming: Naming;
  readonly #owners = new Map<string, ToolKey>();
  /** Who would have a name that another has, in the order in which they came. */
  readonly #claimants = new Map<string, ToolKey[]>();
  readonly #servers = new Map<string, ServerNames>();

  constructor(naming: Naming = DEFAULT_NAMING) {
    this.#naming = naming;
  }

  /** Brings a server's names up to date; free for the list already known. Returns who else has got a name by it. */
  update(server: string, items: readonly { readonly name: string }[]): ToolKey[] {
    const known = this.#servers.get(server);
    if (known?.items === items) return [];
    const names = new Map(items.map(({ name: tool }) => [tool, toolName(server, tool, this.#naming)]));
    const newOwners: ToolKey[] = [];
    for (const [tool, name] of known?.names ?? []) {
      if (!names.has(tool)) newOwners.push(...this.#unassign(name, { server, tool }));
    }
    for (const [tool, name] of names) {
      if (!known?.names.has(tool)) this.#assign(name, { server, tool });
    }
    this.#servers.set(server, { items, names });
    return newOwners.filter((heir) => heir.server !== server);
  }

  /** Forgets a server: its names are free. Returns who has got one by it. */
  remove(server: string): ToolKey[] {
    const newOwners = this.update(server, []);
    this.#servers.delete(server);
    return newOwners;
  }

  /** Takes a name for a native tool. Returns the one who has it already, and nothing if it is taken now. */
  reserve(name: string): ToolKey | undefined {
    const owner = this.#owners.get(name);
    if (!owner) this.#owners.set(name, { server: NATIVE_SERVER_ID, tool: name });
    return owner;
  }

  release(name: string): ToolKey[] {
    return this.#unassign(name, { server: NATIVE_SERVER_ID, tool: name });
  }

  resolve(name: string): ToolKey | undefined {
    return this.#owners.get(name);
  }

  /** Nothing for a tool that is not there or whose name is another's. */
  nameOf(server: string, tool: string): string | undefined {
    const name = this.#servers.get(server)?.names.get(tool);
    const owner = name === undefined ? undefined : this.#owners.get(name);
    return owner?.server === server && owner.tool === tool ? name : undefined;
  }

  names(): Iterable<string> {
    return this.#owners.keys();
  }

  /** The tools that can't be offered because their names are others'. */
  collisions(): NameCollision[] {
    return [...this.#claimants].flatMap(([name, pairs]) => {
      const holder = this.#owners.get(name)!;
      const reason = `its name ${name} is that of "${holder.server}:${holder.tool}"`;
      return pairs.map((pair) => ({ ...pair, reason }));
    });
  }

  #assign(name: string, pair: ToolKey): void {
    if (!this.#owners.has(name)) {
      this.#owners.set(name, pair);
      return;
    }
    const waiting = this.#claimants.get(name);
    if (waiting) waiting.push(pair);
    else this.#claimants.set(name, [pair]);
  }

  /** Returns the one who has the name now, if another waited for it. */
  #unassign(name: string, { server, tool }: ToolKey): ToolKey[] {
    const waiting = this.#claimants.get(name) ?? [];
    const owner = this.#owners.get(name);
    const wasOwner = owner?.server === server && owner.tool === tool;
    const left = wasOwner ? waiting.slice(1) : waiting.filter((pair) => pair.server !== server || pair.tool !== tool);
    if (left.length > 0) this.#claimants.set(name, left);
    else this.#claimants.delete(name);
    if (!wasOwner) return [];
    const newOwner = waiting[0];
    if (newOwner) this.#owners.set(name, newOwner);
    else this.#owners.delete(name);
    return newOwner ? [newOwner] : [];
  }
}
