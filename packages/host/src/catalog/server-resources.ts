/** Lists the resources of all servers of a workspace, and reads one. A resource is identified by its server and URI. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, ResourceList, ResourceTemplateList, ResourceContents } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import type { RequestContext } from "../calls/ask-user.ts";
import { listAcrossServers } from "./list-across-servers.ts";
import type { CatalogPorts, ServerListOptions } from "./list-across-servers.ts";

export class ServerResources {
  readonly #ports: CatalogPorts;

  constructor(ports: CatalogPorts) {
    this.#ports = ports;
  }

  async list(options?: ServerListOptions): Promise<ResourceList> {
    const listMethod = { method: "resources/list", list: (connection: Connection) => connection.resources() };
    const { items: resources, report } = await listAcrossServers(this.#ports, listMethod, options);
    return { resources, ...report };
  }

  async templates(options?: ServerListOptions): Promise<ResourceTemplateList> {
    const listMethod = { method: "resources/templates/list", list: (connection: Connection) => connection.templates() };
    const { items: templates, report } = await listAcrossServers(this.#ports, listMethod, options);
    return { templates, ...report };
  }

  async read(server: string, uri: string, context: RequestContext): Promise<ResourceContents[]> {
    if (typeof uri !== "string" || uri === "")
      throw new HostError("INVALID_ARGUMENTS", { reason: "the URI is missing" });
    const { targets, requests } = this.#ports;
    const request = { method: "resources/read", params: { uri } } as const;
    const { contents } = await requests.run(request, targets.get(server, request.method), context);
    if (!Array.isArray(contents)) throw unexpected(server, 'resources/read has no list of "contents"');
    return contents.map((one, at) => readContents(one, uri, at, server));
  }
}

/** Fills in the requested URI for contents without one. */
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
