/** What the servers of a workspace are lent beside the calls: the folder's roots, the program's model. */
import type { JsonObject } from "@plugboard/contracts";
import type { ConnectionOptions, Lending } from "@plugboard/mcp";
import type { ConfiguredServer } from "../config/definition.ts";
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

  roots({ source }: ConfiguredServer): LentRoots | undefined {
    return this.#roots.lentTo(source);
  }

  to(server: ConfiguredServer): Lent {
    const roots = this.roots(server);
    const sampling = !("invalid" in server.definition) && server.definition.sampling && this.#model;
    return {
      lends: { ...(roots && { roots: roots.roots }), sampling },
      lent: { ...(roots && { roots: roots.key }), sampling },
    };
  }
}
