/** The MCP server objects of the program, which run in its process. Definitions refer to them by name. */
import { serveInProcess } from "@plugboard/mcp";
import type { ServerObject } from "@plugboard/mcp";

export class ServerObjects {
  readonly #objects = new Map<string, ServerObject>();

  /** Returns the name for definitions: the given name, with a number if another object has it. */
  add(name: string, object: ServerObject): string {
    const isTaken = (candidate: string) => this.#objects.has(candidate) && this.#objects.get(candidate) !== object;
    let freeName = name;
    for (let suffix = 2; isTaken(freeName); suffix++) freeName = `${name}#${suffix}`;
    this.#objects.set(freeName, object);
    return freeName;
  }

  /** Removes all objects except those with these names. */
  retain(names: ReadonlySet<string>): void {
    for (const name of this.#objects.keys()) if (!names.has(name)) this.#objects.delete(name);
  }

  /** Returns the target for a connection to the object, or undefined if no object has this name. */
  target(name: string) {
    const object = this.#objects.get(name);
    if (!object) return undefined;
    return { transport: "in-process", id: name, connect: () => serveInProcess(object, name) } as const;
  }
}
