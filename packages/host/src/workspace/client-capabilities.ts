/** Decides which client capabilities a server gets: the roots of the workspace, and sampling with the program's model. */
import type { JsonObject } from "@plugboard/contracts";
import type { ConnectionOptions, SamplingSupport } from "@plugboard/mcp";
import type { ConfiguredServer } from "../config/definition/definition.ts";
import { configuredRoots } from "./workspace-roots.ts";
import type { OfferedRoots, WorkspaceRoots } from "./workspace-roots.ts";

export interface OfferedCapabilities {
  readonly clientCapabilities: NonNullable<ConnectionOptions["clientCapabilities"]>;
  /** Identifies the capabilities. Definitions with different keys do not share a connection. */
  readonly capabilitiesKey: JsonObject;
}

export class ClientCapabilities {
  readonly #roots: WorkspaceRoots;
  /** The sampling that the program's model supports. */
  readonly #model: SamplingSupport;

  constructor(roots: WorkspaceRoots, model: SamplingSupport) {
    this.#roots = roots;
    this.#model = model;
  }

  /** Returns whether the server gets the workspace's roots and must be notified when they change. */
  usesWorkspaceRoots(server: ConfiguredServer): boolean {
    return this.#workspaceRoots(server) !== undefined;
  }

  /** `folders` are the roots that the server's definition lists. */
  forServer(server: ConfiguredServer, folders: readonly string[] | undefined): OfferedCapabilities {
    const roots = folders ? configuredRoots(folders) : this.#workspaceRoots(server);
    const sampling = !("invalid" in server.definition) && server.definition.sampling && this.#model;
    return {
      clientCapabilities: { ...(roots && { roots: roots.roots }), sampling },
      capabilitiesKey: { ...(roots && { roots: roots.key }), sampling },
    };
  }

  #workspaceRoots({ source, definition }: ConfiguredServer): OfferedRoots | undefined {
    const wanted = "invalid" in definition ? false : definition.roots;
    return typeof wanted === "object" ? undefined : this.#roots.rootsFor(source, wanted);
  }
}
