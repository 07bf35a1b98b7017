/** Decides which client capabilities are offered to a server: roots, extensions and sampling. */
import type { JsonObject, Root } from "@plugboard/contracts";
import type { ConnectionOptions, SamplingSupport } from "@plugboard/mcp";
import type { ListRoots } from "../calls/ask-user.ts";
import type { ConfiguredServer } from "@plugboard/config";
import { configuredRoots } from "./workspace-roots.ts";
import type { OfferedRoots, WorkspaceRoots } from "./workspace-roots.ts";

export interface OfferedCapabilities {
  readonly clientCapabilities: NonNullable<ConnectionOptions["clientCapabilities"]>;
  /** Whether the definition allows the server to use the user's model. */
  readonly samplingAllowed: boolean;
  /** Identifies the capabilities. Definitions with different keys do not share a connection. */
  readonly capabilitiesKey: JsonObject;
}

/** The kinds of sampling requests that can be answered. */
export interface SamplingSources {
  /** Requests answered by the model of the program or of a chat, for servers whose definition allows it. */
  readonly byModel: SamplingSupport;
  /** Requests answered by the models of gateway clients, which ask their users themselves. */
  readonly byClients: SamplingSupport;
}

/** The settings of the extensions that the host supports, by name. */
export type HostExtensions = { readonly [name: string]: JsonObject };

export class ClientCapabilities {
  readonly #roots: WorkspaceRoots;
  readonly #sampling: SamplingSources;
  readonly #extensions: HostExtensions | undefined;

  constructor(roots: WorkspaceRoots, sampling: SamplingSources, extensions?: HostExtensions) {
    this.#roots = roots;
    this.#sampling = sampling;
    this.#extensions = extensions;
  }

  /** Returns whether the server gets the workspace's roots and must be notified when they change. */
  usesWorkspaceRoots(server: ConfiguredServer): boolean {
    return this.#workspaceRoots(server) !== undefined;
  }

  /**
   * Returns the roots of a gateway client that has the server for itself. Returns undefined if the server gets no roots
   * of the workspace, or if the client has the same roots.
   */
  async clientRoots(server: ConfiguredServer, listRoots: ListRoots): Promise<readonly Root[] | undefined> {
    if (!this.usesWorkspaceRoots(server)) return undefined;
    const roots = await listRoots();
    return roots && this.#roots.narrow(roots);
  }

  /**
   * `listedFolders` are the roots that the server's definition lists. The server gets them instead of the workspace's.
   */
  forServer(server: ConfiguredServer, listedFolders: readonly string[] | undefined): OfferedCapabilities {
    const { definition } = server;
    const roots = listedFolders ? configuredRoots(listedFolders) : this.#workspaceRoots(server);
    const samplingAllowed = !("invalid" in definition) && definition.sampling;
    const sampling = (samplingAllowed && this.#sampling.byModel) || this.#sampling.byClients;
    return {
      clientCapabilities: { ...(roots && { roots: roots.roots }), sampling, extensions: this.#extensions },
      samplingAllowed,
      capabilitiesKey: { ...(roots && { roots: roots.key }), sampling, samplingAllowed },
    };
  }

  /** Returns undefined for a server that gets no roots, or whose definition lists its own roots. */
  #workspaceRoots({ source, definition }: ConfiguredServer): OfferedRoots | undefined {
    const setting = "invalid" in definition ? false : definition.roots;
    const listsFolders = typeof setting === "object";
    return listsFolders ? undefined : this.#roots.rootsFor(source, setting);
  }
}
