/** The resources of a workspace's servers: listed over all of them, read from the one that has it. A resource is known by its server and URI. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, ResourceList, ResourceTemplateList, ResourceContents } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import type { RequestContext } from "../calls/ask-user.ts";
import type { ServerRequests } from "../calls/server-requests.ts";
import type { ServerListOptions, CrossServerLister } from "./list-across-servers.ts";
import { requestTarget } from "./server-access.ts";
import type { ServerAccess } from "./server-access.ts";

export interface ServerResourcesOptions {
  readonly access: ServerAccess;
  readonly lister: CrossServerLister;
  readonly requests: ServerRequests;
}

export class ServerResources {
  readonly #options: ServerResourcesOptions;

  constructor(options: ServerResourcesOptions) {
    this.#options = options;
  }

  async list(options?: ServerListOptions): Promise<ResourceList> {
    const listMethod = { method: "resources/list", list: (connection: Connection) => connection.resources() };
    const { items: resources, report } = await this.#options.lister.list(listMethod, options);
    return { resources, ...report };
  }

  async templates(options?: ServerListOptions): Promise<ResourceTemplateList> {
    const listMethod = { method: "resources/templates/list", list: (connection: Connection) => connection.templates() };
    const { items: templates, report } = await this.#options.lister.list(listMethod, options);
    return { templates, ...report };
  }

  async read(server: string, uri: string, context: RequestContext): Promise<ResourceContents[]> {
    if (typeof uri !== "string" || uri === "")
      throw new HostError("INVALID_ARGUMENTS", { reason: "the URI is missing" });
    const { access, requests } = this.#options;
    const request = { method: "resources/read", params: { uri } } as const;
    const { contents } = await requests.run(request, await requestTarget(access.get(server, request.method)), context);
    if (!Array.isArray(contents)) throw unexpected(server, 'resources/read has no list of "contents"');
    return contents.map((one, at) => readContents(one, uri, at, server));
  }
}

/** One that does not say what it is of is of what was asked for. */
function readContents(value: Json, uri: string, at: number, server: string): ResourceContents {
  if (isJsonObject(value)) {
    const whole: JsonObject & { uri: string } = {
      ...value,
      uri: typeof value["uri"] === "string" ? value["uri"] : uri,
    };
    if (hasContents(whole)) return whole;
  }
  throw unexpected(server, `part ${at + 1} of the resource has neither "text" nor "blob"`);
}

function hasContents(value: JsonObject & { uri: string }): value is ResourceContents {
  return typeof value["text"] === "string" || typeof value["blob"] === "string";
}

function unexpected(server: string, reason: string): HostError {
  return new HostError("UNEXPECTED_RESPONSE", { server, reason });
}
