/** Decides which client capabilities a server gets: roots, and sampling with the program's model. */
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
  /** The kinds of sampling requests that the program's model can answer. */
  readonly #modelSampling: SamplingSupport;

  constructor(roots: WorkspaceRoots, modelSampling: SamplingSupport) {
    this.#roots = roots;
    this.#modelSampling = modelSampling;
  }

  /** Returns whether the server gets the workspace's roots and must be notified when they change. */
  usesWorkspaceRoots(server: ConfiguredServer): boolean {
    return this.#workspaceRoots(server) !== undefined;
  }

  /** `listedFolders` are the roots that the server's definition lists. They replace the roots of the workspace. */
  forServer(server: ConfiguredServer, listedFolders: readonly string[] | undefined): OfferedCapabilities {
    const { definition } = server;
    const roots = listedFolders ? configuredRoots(listedFolders) : this.#workspaceRoots(server);
    const allowsSampling = !("invalid" in definition) && definition.sampling;
    const sampling = allowsSampling && this.#modelSampling;
    return {
      clientCapabilities: { ...(roots && { roots: roots.roots }), sampling },
      capabilitiesKey: { ...(roots && { roots: roots.key }), sampling },
    };
  }

  /** Returns undefined for a server that gets no roots, or whose definition lists its own. */
  #workspaceRoots({ source, definition }: ConfiguredServer): OfferedRoots | undefined {
    const setting = "invalid" in definition ? false : definition.roots;
    const listsFolders = typeof setting === "object";
    return listsFolders ? undefined : this.#roots.rootsFor(source, setting);
  }
}
