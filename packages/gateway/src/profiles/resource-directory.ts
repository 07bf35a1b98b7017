/** The resources and templates that clients see, and the servers that own them. */
import type { JsonObject, CancelSignal } from "@plugboard/contracts";
import { toAbortSignal } from "@plugboard/contracts";
import { OutwardUris } from "@plugboard/host/forwarding";
import type { ServerUri } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { strictDescription } from "../strict/strict-description.ts";
import type { FrontView } from "./front-view.ts";

export class ResourceDirectory {
  readonly #workspace: OpenWorkspace;
  readonly #view: FrontView;
  readonly #uris = new OutwardUris();

  constructor(workspace: OpenWorkspace, view: FrontView) {
    this.#workspace = workspace;
    this.#view = view;
  }

  async list(signal?: CancelSignal): Promise<JsonObject[]> {
    const listed = await this.#workspace.forwarding.list(
      "resources",
      (id) => this.#view.includes(id),
      toAbortSignal(signal),
    );
    this.#uris.setListed(listed);
    return listed.map(({ server, ...resource }) => ({
      ...strictDescription(resource),
      uri: this.outward(server, resource.uri),
    }));
  }

  async templates(signal?: CancelSignal): Promise<JsonObject[]> {
    const listed = await this.#workspace.forwarding.list(
      "templates",
      (id) => this.#view.includes(id),
      toAbortSignal(signal),
    );
    this.#uris.setTemplates(listed.map(({ server, uriTemplate: uri }) => ({ server, uri })));
    return listed.map(({ server, ...template }) => ({
      ...strictDescription(template),
      uriTemplate: this.#uris.outwardTemplate(server, template.uriTemplate),
    }));
  }

  /** Returns the URI for clients. */
  outward(server: string, uri: string): string {
    return this.#uris.outward(server, uri);
  }

  /** Returns a function that rewrites the URIs of a server to those for clients. */
  outwardFrom(server: string): (uri: string) => string {
    return (uri) => this.outward(server, uri);
  }

  /** Returns the owner of a URI or template. Lists the resources if no server is known to declare it. */
  async resolve(uri: string, signal?: CancelSignal): Promise<ServerUri | undefined> {
    let found = this.#uris.resolveDeclared(uri);
    if (!found) {
      await Promise.all([this.list(signal), this.templates(signal)]);
      found = this.#uris.resolve(uri) ?? this.#onlyServer(uri);
    }
    return found && this.#sees(found.server) ? found : undefined;
  }

  /** A URI that no server lists belongs to the only server with resources. */
  #onlyServer(uri: string): ServerUri | undefined {
    const servers = this.#workspace.forwarding.servers().filter(({ id }) => this.#view.includes(id));
    const [first, ...others] = servers.filter(({ capabilities }) => capabilities?.resources);
    return first && others.length === 0 ? { server: first.id, uri } : undefined;
  }

  #sees(server: string): boolean {
    return this.#view.includes(server) && this.#workspace.forwarding.servers().some(({ id }) => id === server);
  }
}
