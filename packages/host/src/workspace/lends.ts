/** What the servers of a workspace are lent beside the calls: the folder's roots, the program's model. */
import type { JsonObject } from "@plugboard/contracts";
import type { ConnectionOptions, Lending } from "@plugboard/mcp";
import type { ConfiguredServer } from "../config/definition.ts";
import { listedRoots } from "./roots.ts";
import type { LentRoots, WorkspaceRoots } from "./roots.ts";

export interface Lent {
  readonly lends: NonNullable<ConnectionOptions["lends"]>;
  /** Belongs to what makes two definitions the same server. */
  readonly lent: JsonObject;
}

export class Lends {
  readonly #roots: WorkspaceRoots;
  /** What there is to lend of the model. */
  readonly #model: Lending;

  constructor(roots: WorkspaceRoots, model: Lending) {
    this.#roots = roots;
    this.#model = model;
  }

  /** Returns whether the server gets the workspace's roots, and so their changes. */
  followsRoots(server: ConfiguredServer): boolean {
    return this.#workspaceRoots(server) !== undefined;
  }

  /** `folders` are the roots that the server's definition lists. */
  to(server: ConfiguredServer, folders: readonly string[] | undefined): Lent {
    const roots = folders ? listedRoots(folders) : this.#workspaceRoots(server);
    const sampling = !("invalid" in server.definition) && server.definition.sampling && this.#model;
    return {
      lends: { ...(roots && { roots: roots.roots }), sampling },
      lent: { ...(roots && { roots: roots.key }), sampling },
    };
  }

  #workspaceRoots({ source, definition }: ConfiguredServer): LentRoots | undefined {
    const wanted = "invalid" in definition ? false : definition.roots;
    return typeof wanted === "object" ? undefined : this.#roots.lentTo(source, wanted);
  }
}
