/** Lists the tools of all servers, and passes tool calls on to them. */
import { HostError } from "@plugboard/contracts";
import type { Caller, JsonObject } from "@plugboard/contracts";
import { rewriteMetaUris, rewriteResultUris } from "@plugboard/host/internal";
import type { OpenWorkspace, RegisteredTool } from "@plugboard/host/internal";
import { gatewayIdsMeta } from "@plugboard/mcp";
import type { Identity, Op, Outcome } from "@plugboard/mcp";
import { strictToolResult } from "../strict/strict-result.ts";
import { strictTool } from "../strict/strict-tool.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { serverContext } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import type { FrontView } from "./front-view.ts";
import { pageOutcome } from "./pages.ts";
import type { ResourceDirectory } from "./resource-directory.ts";
import type { TaskRequests } from "./task-requests.ts";

export interface ToolRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly tasks: TaskRequests;
  readonly identity: Identity;
  /** Returns true if the client's own permission prompt counts as the user's permission. */
  readonly mayApprove: (principal: Caller) => boolean;
}

type CallParams = Extract<Op, { method: "tools/call" }>["params"];

export class ToolRequests {
  readonly #options: ToolRequestsOptions;

  constructor(options: ToolRequestsOptions) {
    this.#options = options;
  }

  list({ cursor }: { readonly cursor?: string }, { ctx }: FrontRequest): Outcome {
    const { workspace, view, identity } = this.#options;
    const tools = view.tools().map((tool) => this.#toMcpTool(tool, ctx.revision));
    const extra = { _meta: gatewayIdsMeta(identity, workspace.reachableHostIds()) };
    return pageOutcome(tools, { method: "tools/list", key: "tools", cursor, extra });
  }

  async call({ name, arguments: args }: CallParams, request: FrontRequest): Promise<Outcome> {
    const { workspace, view, directory, tasks, mayApprove } = this.#options;
    const { ctx, resumed } = request;
    const key = view.findTool(name);
    if (!key) return { type: "failed", error: new HostError("TOOL_NOT_FOUND", { tool: name }) };
    const { server } = key;
    const ownConsent = mayApprove(ctx.principal);
    const approvesByForm = ownConsent && ctx.elicitation.form;
    const context = { ...serverContext(server, request), ownConsent, approvesByForm };
    return adaptOutcome(await workspace.calls.request(key, args, context, resumed), {
      ctx,
      adaptResult: (result) => strictToolResult(rewriteResultUris(result, directory.outwardFrom(server)), ctx.revision),
      adaptTask: (task) => tasks.outwardTask(server, task, ctx.revision),
    });
  }

  #toMcpTool({ name, server, definition }: RegisteredTool, revision: string | undefined): JsonObject {
    const tool = strictTool(name, definition, revision);
    return rewriteMetaUris(tool, this.#options.directory.outwardFrom(server));
  }
}
