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
export const NATIVE = "native";

export interface ToolPair {
  readonly server: string;
  readonly tool: string;
}

export interface NameCollision extends ToolPair {
  readonly reason: string;
}

interface Named {
  readonly items: readonly { readonly name: string }[];
  /** The name of each item, whether it has it or another pair does. */
  readonly names: ReadonlyMap<string, string>;
}

export class NameTable {
  readonly #naming: Naming;
  readonly #holders = new Map<string, ToolPair>();
  /** Who would have a name that another has, in the order in which they came. */
  readonly #waiting = new Map<string, ToolPair[]>();
  readonly #servers = new Map<string, Named>();

  constructor(naming: Naming = DEFAULT_NAMING) {
    this.#naming = naming;
  }

  /** Brings a server's names up to date; free for the list already known. Returns who else has got a name by it. */
  update(server: string, items: readonly { readonly name: string }[]): ToolPair[] {
    const known = this.#servers.get(server);
    if (known?.items === items) return [];
    const names = new Map(items.map(({ name: tool }) => [tool, toolName(server, tool, this.#naming)]));
    const heirs: ToolPair[] = [];
    for (const [tool, name] of known?.names ?? []) {
      if (!names.has(tool)) heirs.push(...this.#free(name, { server, tool }));
    }
    for (const [tool, name] of names) {
      if (!known?.names.has(tool)) this.#claim(name, { server, tool });
    }
    this.#servers.set(server, { items, names });
    return heirs.filter((heir) => heir.server !== server);
  }

  /** Forgets a server: its names are free. Returns who has got one by it. */
  remove(server: string): ToolPair[] {
    const heirs = this.update(server, []);
    this.#servers.delete(server);
    return heirs;
  }

  /** Takes a name for a native tool. Returns the one who has it already, and nothing if it is taken now. */
  reserve(name: string): ToolPair | undefined {
    const holder = this.#holders.get(name);
    if (!holder) this.#holders.set(name, { server: NATIVE, tool: name });
    return holder;
  }

  release(name: string): ToolPair[] {
    return this.#free(name, { server: NATIVE, tool: name });
  }

  resolve(name: string): ToolPair | undefined {
    return this.#holders.get(name);
  }

  /** Nothing for a tool that is not there or whose name is another's. */
  nameOf(server: string, tool: string): string | undefined {
    const name = this.#servers.get(server)?.names.get(tool);
    const holder = name === undefined ? undefined : this.#holders.get(name);
    return holder?.server === server && holder.tool === tool ? name : undefined;
  }

  names(): Iterable<string> {
    return this.#holders.keys();
  }

  /** The tools that can't be offered because their names are others'. */
  collisions(): NameCollision[] {
    return [...this.#waiting].flatMap(([name, pairs]) => {
      const holder = this.#holders.get(name)!;
      const reason = `its name ${name} is that of "${holder.server}:${holder.tool}"`;
      return pairs.map((pair) => ({ ...pair, reason }));
    });
  }

  #claim(name: string, pair: ToolPair): void {
    if (!this.#holders.has(name)) {
      this.#holders.set(name, pair);
      return;
    }
    const waiting = this.#waiting.get(name);
    if (waiting) waiting.push(pair);
    else this.#waiting.set(name, [pair]);
  }

  /** Returns the one who has the name now, if another waited for it. */
  #free(name: string, { server, tool }: ToolPair): ToolPair[] {
    const waiting = this.#waiting.get(name) ?? [];
    const holder = this.#holders.get(name);
    const held = holder?.server === server && holder.tool === tool;
    const left = held ? waiting.slice(1) : waiting.filter((pair) => pair.server !== server || pair.tool !== tool);
    if (left.length > 0) this.#waiting.set(name, left);
    else this.#waiting.delete(name);
    if (!held) return [];
    const heir = waiting[0];
    if (heir) this.#holders.set(name, heir);
    else this.#holders.delete(name);
    return heir ? [heir] : [];
  }
}
