/** The resources of a workspace's servers: listed over all of them, read from the one that has it. A resource is known by its server and URI. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, ListedResources, ListedTemplates, ResourceContents } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import type { OpBy, Ops } from "../calls/ops.ts";
import type { ListOptions, OverAllServers } from "./over-all-servers.ts";
import { targetOf } from "./reach.ts";
import type { Reach } from "./reach.ts";

export interface ResourcesOptions {
  readonly reach: Reach;
  readonly over: OverAllServers;
  readonly ops: Ops;
}

export class Resources {
  readonly #options: ResourcesOptions;

  constructor(options: ResourcesOptions) {
    this.#options = options;
  }

  async list(options?: ListOptions): Promise<ListedResources> {
    const listing = { method: "resources/list", list: (connection: Connection) => connection.resources() };
    const { items: resources, over } = await this.#options.over.list(listing, options);
    return { resources, ...over };
  }

  async templates(options?: ListOptions): Promise<ListedTemplates> {
    const listing = { method: "resources/templates/list", list: (connection: Connection) => connection.templates() };
    const { items: templates, over } = await this.#options.over.list(listing, options);
    return { templates, ...over };
  }

  async read(server: string, uri: string, by: OpBy): Promise<ResourceContents[]> {
    if (typeof uri !== "string" || uri === "") throw new HostError("INVALID_ARGUMENTS", { what: "the URI is missing" });
    const { reach, ops } = this.#options;
    const op = { method: "resources/read", params: { uri } } as const;
    const { contents } = await ops.run(op, await targetOf(reach.one(server, op.method)), by);
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
    if (holds(whole)) return whole;
  }
  throw unexpected(server, `part ${at + 1} of the resource has neither "text" nor "blob"`);
}

function holds(value: JsonObject & { uri: string }): value is ResourceContents {
  return typeof value["text"] === "string" || typeof value["blob"] === "string";
}

function unexpected(server: string, what: string): HostError {
  return new HostError("UNEXPECTED_RESPONSE", { server, what });
}
