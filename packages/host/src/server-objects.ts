/** The MCP server objects of the program, which run in its process. Definitions refer to them by name. */
import { serveInProcess } from "@plugboard/mcp";
import type { ServerObject } from "@plugboard/mcp";

export class ServerObjects {
  readonly #objects = new Map<string, ServerObject>();

  /** Returns the name for definitions: the given name, with a number if another object has it. */
  add(name: string, object: ServerObject): string {
    let free = name;
    const isTaken = () => (this.#objects.get(free) ?? object) !== object;
    for (let count = 2; isTaken(); count++) free = `${name}#${count}`;
    this.#objects.set(free, object);
    return free;
  }

  /** Removes all objects except those with these names. */
  retain(names: ReadonlySet<string>): void {
    for (const name of this.#objects.keys()) if (!names.has(name)) this.#objects.delete(name);
  }

  /** Returns what a connection needs to reach the object. */
  target(name: string) {
    const object = this.#objects.get(name);
    if (!object) return undefined;
    return { transport: "in-process", id: name, connect: () => serveInProcess(object, name) } as const;
  }
}
