/**
 * Passes requests of protocol extensions on. Skills are listed over all servers. Other requests go to the server that
 * owns the resource, tool or task in the params, or to the only server that declares the extension. A request that
 * names a tool needs the permission to call it.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Caller, Json, JsonObject, CancelSignal } from "@plugboard/contracts";
import { rewriteResultUris } from "@plugboard/host/forwarding";
import type { ToolKey } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { SKILLS_EXTENSION } from "@plugboard/mcp";
import type { Op, Outcome } from "@plugboard/mcp";
import { withoutServerInfo } from "../strict/strict-result.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { frontCall, serverContext } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import type { FrontView } from "../profiles/front-view.ts";
import { namedTools } from "./named-tools.ts";
import { methodNotFoundOutcome, resourceNotFound, unknownTask } from "./peer-failure.ts";
import type { ResourceDirectory } from "../profiles/resource-directory.ts";
import type { TaskOwners } from "./task-owners.ts";

export interface ExtensionRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly taskOwners: TaskOwners;
}

type ExtensionParams = Extract<Op, { method: "extension" }>["params"];

/** A request to one server, with the server's own names in its params. */
interface Routed {
  readonly server: string;
  readonly params: JsonObject;
}

/**
 * Extensions without requests to pass on here: Apps have none, and the requests of tasks have a handler of their own.
 */
const NOT_FORWARDED: ReadonlySet<string> = new Set(["io.modelcontextprotocol/ui", "io.modelcontextprotocol/tasks"]);
/** The most pages of skills that are read from one server. */
const MAX_PAGES = 100;

export class ExtensionRequests {
  readonly #options: ExtensionRequestsOptions;

  constructor(options: ExtensionRequestsOptions) {
    this.#options = options;
  }

  async request({ method, params }: ExtensionParams, request: FrontRequest): Promise<Outcome> {
    const declaring = this.#declaringServers(method);
    if (declaring.length === 0)
      return methodNotFoundOutcome(method, "no server declares an extension with this method");
    if (method === "skills/list") return this.#listSkills(declaring, request);
    const { taskId } = params;
    if (typeof taskId === "string" && !this.#options.taskOwners.find(taskId, request.caller)) {
      return unknownTask(method, taskId);
    }
    const routed = await this.#route(declaring, params, request);
    if (!routed)
      return methodNotFoundOutcome(method, "several servers declare this extension, and the params name none of them");
    if ("unknownUri" in routed) return resourceNotFound(routed.unknownUri);
    return isSkillMethod(method) ? this.#send(routed, method, request) : this.#sendIfAllowed(routed, method, request);
  }

  /** Asks for the permission for each tool that the params name, one after the other. Then sends the request. */
  #sendIfAllowed(routed: Routed, method: string, request: FrontRequest): Promise<Outcome> {
    const { workspace, view } = this.#options;
    const { server, params } = routed;
    const { arguments: args = params } = params;
    const keys = namedTools(server, params, { workspace, view });
    const unseen = keys.find((key) => !view.includesTool(key) && !view.policy().isAlwaysDenied(key));
    if (unseen) return toolNotFound(unseen);
    const send = () => this.#send(routed, method, request);
    return keys.reduceRight<() => Promise<Outcome>>((next, key) => {
      const call = frontCall(key, isJsonObject(args) ? args : params, request, () => view.policy());
      return () => workspace.calls.requestAbout(call, next);
    }, send)();
  }

  async #send({ server, params }: Routed, method: string, request: FrontRequest): Promise<Outcome> {
    const { workspace, directory } = this.#options;
    const { ctx, caller } = request;
    const op = { method: "extension", params: { method, params } } as const;
    const outcome = await workspace.forwarding.request(server, op, serverContext(server, request));
    const rewrite = directory.outwardFrom(server);
    const adaptResult = (result: JsonObject) =>
      isSkillMethod(method)
        ? (rewriteAllUris(withoutServerInfo(result), rewrite) as JsonObject)
        : rewriteResultUris(withoutServerInfo(result), rewrite);
    return adaptOutcome(outcome, { ctx, workspace, server, caller, adaptResult });
  }

  /** Leaves out servers whose skills can't be listed. If all servers fail, returns the first failure. */
  async #listSkills(servers: readonly string[], request: FrontRequest): Promise<Outcome> {
    const lists = await Promise.all(servers.map((server) => this.#listSkillsOf(server, request)));
    const [firstFailure] = lists.filter((list) => !Array.isArray(list));
    if (firstFailure && lists.every((list) => !Array.isArray(list))) return firstFailure as Outcome;
    const skills = lists.flatMap((list) => (Array.isArray(list) ? list : []));
    return { type: "complete", result: { skills, ttlMs: 0, cacheScope: "private" } };
  }

  async #listSkillsOf(server: string, request: FrontRequest): Promise<Json[] | Outcome> {
    const skills: Json[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const outcome = await this.#send(
        { server, params: cursor === undefined ? {} : { cursor } },
        "skills/list",
        request,
      );
      if (outcome.type !== "complete") return outcome;
      const { skills: items, nextCursor } = outcome.result;
      if (Array.isArray(items)) skills.push(...items);
      if (typeof nextCursor !== "string" || nextCursor === "") break;
      cursor = nextCursor;
    }
    return skills;
  }

  async #route(
    declaring: readonly string[],
    params: JsonObject,
    { ctx, caller }: FrontRequest,
  ): Promise<Routed | { readonly unknownUri: string } | undefined> {
    const owned = await this.#owner(params, caller, ctx.signal);
    if (owned && declaring.includes(owned.server)) return owned;
    const [first, ...others] = declaring;
    if (first !== undefined && others.length === 0) return { server: first, params };
    return typeof params["uri"] === "string" ? { unknownUri: params["uri"] } : undefined;
  }

  /** Returns the server of the resource, tool or task that the params name. */
  async #owner(params: JsonObject, caller: Caller, signal: CancelSignal): Promise<Routed | undefined> {
    const { directory, view, taskOwners } = this.#options;
    const { uri, taskId } = params;
    const toolKey = params["tool"] === undefined ? "name" : "tool";
    const toolName = params[toolKey];
    if (typeof uri === "string") {
      const found = await directory.resolve(uri, signal);
      if (found) return { server: found.server, params: { ...params, uri: found.uri } };
    }
    const tool = typeof toolName === "string" ? view.findTool(toolName) : undefined;
    if (tool) return { server: tool.server, params: { ...params, [toolKey]: tool.tool } };
    const task = typeof taskId === "string" ? taskOwners.find(taskId, caller) : undefined;
    return task && { server: task.server, params: { ...params, taskId: task.taskId } };
  }

  /**
   * Returns the servers with an extension that is named like the first part of the method, such as `acme/notes` for
   * `notes/list`. Without such an extension, returns the only server with any extension that may have methods.
   */
  #declaringServers(method: string): string[] {
    const { workspace, view } = this.#options;
    const servers = workspace.forwarding.servers().filter(({ id }) => view.includes(id));
    const declaring = (matches: (extension: string) => boolean) =>
      servers
        .filter(({ capabilities }) => Object.keys(capabilities?.extensions ?? {}).some(matches))
        .map(({ id }) => id);
    if (isSkillMethod(method)) return declaring((extension) => extension === SKILLS_EXTENSION);
    const [area] = method.split("/");
    const named = declaring((extension) => extension.split("/").at(-1) === area);
    if (named.length > 0) return named;
    // If several servers have other extensions, it is unknown which one has the method.
    const others = declaring((extension) => extension !== SKILLS_EXTENSION && !NOT_FORWARDED.has(extension));
    return others.length === 1 ? others : [];
  }
}

function toolNotFound({ server, tool }: ToolKey): Promise<Outcome> {
  return Promise.resolve({ type: "failed", error: new HostError("TOOL_NOT_FOUND", { tool: `${server}:${tool}` }) });
}

function isSkillMethod(method: string): boolean {
  return method.startsWith("skills/") || method === "resources/directory/read";
}

/** Rewrites every `uri` at any depth, because the files of a skill are resources. */
function rewriteAllUris(value: Json | undefined, rewrite: (uri: string) => string): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => rewriteAllUris(item, rewrite) as Json);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, field]) => [
    key,
    key === "uri" && typeof field === "string" ? rewrite(field) : rewriteAllUris(field, rewrite),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}
