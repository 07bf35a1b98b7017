/** Lists the tools of all servers, and passes tool calls on to them. */
import { APPS_EXTENSION, isJsonObject, parseToolUi } from "@plugboard/contracts";
import type { JsonObject, Tool } from "@plugboard/contracts";
import { rewriteMetaUris } from "@plugboard/host/forwarding";
import type { ViewedTool } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { gatewayIdsMeta } from "@plugboard/mcp";
import type { Identity, Op, Outcome, Revision } from "@plugboard/mcp";
import { adaptToolResult } from "../profiles/adapt-tool-result.ts";
import type { ResultContext } from "../profiles/adapt-tool-result.ts";
import { strictTool } from "../strict/strict-tool.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { frontCall } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import type { FrontView } from "../profiles/front-view.ts";
import { pageOutcome } from "./pages.ts";
import type { ResourceDirectory } from "../profiles/resource-directory.ts";
import { noTaskSupport } from "./peer-failure.ts";
import type { TaskRequests } from "./task-requests.ts";

export interface ToolRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly tasks: TaskRequests;
  readonly resultContext: ResultContext;
  readonly identity: Identity;
}

type CallParams = Extract<Op, { method: "tools/call" }>["params"];

export class ToolRequests {
  readonly #options: ToolRequestsOptions;

  constructor(options: ToolRequestsOptions) {
    this.#options = options;
  }

  list({ cursor }: { readonly cursor?: string }, { ctx }: FrontRequest): Outcome {
    const { workspace, view, identity } = this.#options;
    const showsApps = ctx.extensions?.[APPS_EXTENSION] !== undefined;
    const tools = view
      .tools()
      .filter(({ definition }) => showsApps || !isOnlyForApps(definition))
      .map((tool) => this.#toMcpTool(tool, ctx.revision));
    const extra = { _meta: gatewayIdsMeta(identity, workspace.reachableHostIds()) };
    return pageOutcome(tools, { method: "tools/list", key: "tools", cursor, extra });
  }

  async call({ name, arguments: args }: CallParams, request: FrontRequest): Promise<Outcome> {
    const { workspace, view, tasks, resultContext } = this.#options;
    const { caller, ctx } = request;
    const key = view.findTool(name);
    if (!key) return { type: "failed", error: view.notFound(name) };
    const { server } = key;
    if (typeof ctx.tasks === "object" && !runsAsTask(key.definition)) {
      return noTaskSupport(name);
    }
    const call = frontCall(key, args, request, () => view.policy());
    const receiver = { caller, revision: ctx.revision };
    return adaptOutcome(await workspace.calls.request(call), {
      ctx,
      workspace,
      server,
      tool: key.tool,
      call,
      caller,
      adaptResult: (result) => adaptToolResult({ server, result, definition: key.definition }, receiver, resultContext),
      adaptTask: (task) => tasks.handOut(server, task, receiver, call.client),
    });
  }

  #toMcpTool(viewed: ViewedTool, revision: Revision): JsonObject {
    const { view, directory } = this.#options;
    const { name, server, definition } = viewed;
    const { outputSchema, ...tool } = strictTool(name, definition, revision);
    const shown = outputSchema && view.hasOutputSchema(viewed) ? { ...tool, outputSchema } : tool;
    return rewriteMetaUris(shown, directory.outwardFrom(server));
  }
}

function runsAsTask(definition: Tool): boolean {
  const { execution } = definition as Tool & JsonObject;
  const support = isJsonObject(execution) ? execution["taskSupport"] : undefined;
  return support === "optional" || support === "required";
}

/** A client without Apps would offer such a tool to its model. */
function isOnlyForApps({ _meta: meta }: Tool): boolean {
  return meta !== undefined && parseToolUi(meta)?.forModel === false;
}
