/** Lists the resources of all servers of a workspace, and reads a resource, which is identified by server and URI. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, ResourceList, ResourceTemplateList, ResourceContents } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import type { RequestContext } from "../calls/ask-user.ts";
import { listAcrossServers } from "./list-across-servers.ts";
import { pick } from "./pick.ts";
import type { CatalogPorts, ServerListOptions } from "./list-across-servers.ts";

export class ServerResources {
  readonly #ports: CatalogPorts;

  constructor(ports: CatalogPorts) {
    this.#ports = ports;
  }

  async list(options?: ServerListOptions): Promise<ResourceList> {
    const listMethod = { method: "resources/list", list: (connection: Connection) => connection.resources() };
    const { items: resources, report } = await listAcrossServers(this.#ports, listMethod, options);
    return { resources: resources.map((resource) => pick(resource, RESOURCE_FIELDS)), ...report };
  }

  async templates(options?: ServerListOptions): Promise<ResourceTemplateList> {
    const listMethod = { method: "resources/templates/list", list: (connection: Connection) => connection.templates() };
    const { items: templates, report } = await listAcrossServers(this.#ports, listMethod, options);
    return { templates: templates.map((template) => pick(template, TEMPLATE_FIELDS)), ...report };
  }

  async read(server: string, uri: string, context: RequestContext): Promise<ResourceContents[]> {
    if (typeof uri !== "string" || uri === "")
      throw new HostError("INVALID_ARGUMENTS", { reason: "the URI is missing" });
    const { targets, requests } = this.#ports;
    const request = { method: "resources/read", params: { uri } } as const;
    const { contents } = await requests.run(request, targets.get(server, request.method), context);
    if (!Array.isArray(contents)) throw unexpected(server, 'resources/read has no list of "contents"');
    return contents.map((part, index) => readContents(part, uri, index, server));
  }
}

const DESCRIPTION_FIELDS = ["name", "title", "description", "mimeType", "annotations", "server"] as const;
const RESOURCE_FIELDS = ["uri", ...DESCRIPTION_FIELDS, "size"] as const;
const TEMPLATE_FIELDS = ["uriTemplate", ...DESCRIPTION_FIELDS] as const;

/** Fills in the requested URI if the part has none. */
function readContents(part: Json, requestedUri: string, index: number, server: string): ResourceContents {
  if (isJsonObject(part)) {
    const uri = typeof part["uri"] === "string" ? part["uri"] : requestedUri;
    const partWithUri = { ...part, uri };
    if (hasContents(partWithUri)) return partWithUri;
  }
  throw unexpected(server, `part ${index + 1} of the resource has neither "text" nor "blob"`);
}

function hasContents(value: JsonObject & { uri: string }): value is ResourceContents {
  return typeof value["text"] === "string" || typeof value["blob"] === "string";
}

function unexpected(server: string, reason: string): HostError {
  return new HostError("UNEXPECTED_RESPONSE", { server, reason });
}
