/** MCP server objects that a program passes to the host. They run in its process. Definitions refer to them by name. */
import type { ServerEntry } from "@plugboard/contracts";
import type { ServerObject } from "@plugboard/mcp";

/** A server definition as in a config file, or a server object of this program. */
export type ProgramServer = ServerEntry | SdkServer;

/** A server object made with one of the official SDKs. It runs inside this program. */
export interface SdkServer extends Omit<ServerEntry, "transport" | "type"> {
  readonly transport?: "sdk";
  readonly type?: "sdk";
  readonly name: string;
  readonly instance: ServerObject;
}

export class ServerObjects {
  readonly #objects = new Map<string, ServerObject>();

  /** Adds the server objects among these servers, and replaces each with a definition that names it. */
  toEntries(servers: { readonly [id: string]: ProgramServer }): { [id: string]: ServerEntry } {
    const entries = Object.entries(servers).map(([id, server]): [string, ServerEntry] => {
      if (!("instance" in server)) return [id, server];
      const { instance, type: _, ...entry } = server;
      return [id, { ...entry, transport: "sdk", name: this.#add(entry.name, instance) }];
    });
    return Object.fromEntries(entries);
  }

  /** Removes all objects except those that these definitions name. */
  retain(entries: { readonly [id: string]: ServerEntry }): void {
    const names = new Set(Object.values(entries).map(({ name }) => name));
    for (const name of this.#objects.keys()) if (!names.has(name)) this.#objects.delete(name);
  }

  find(name: string): ServerObject | undefined {
    return this.#objects.get(name);
  }

  /** Returns the name for definitions: the given name, with a number if another object has it. */
  #add(name: string, object: ServerObject): string {
    const isTaken = (candidate: string) => this.#objects.has(candidate) && this.#objects.get(candidate) !== object;
    let freeName = name;
    for (let suffix = 2; isTaken(freeName); suffix++) freeName = `${name}#${suffix}`;
    this.#objects.set(freeName, object);
    return freeName;
  }
}
