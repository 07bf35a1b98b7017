/** Lists the tools of all servers, and passes tool calls on to them. */
import { HostError } from "@plugboard/contracts";
import type { Caller, JsonObject, OfferedTool } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/internal";
import { gatewayIdsMeta } from "@plugboard/mcp";
import type { Identity, Op, Outcome } from "@plugboard/mcp";
import { adaptOutcome } from "./adapt-outcome.ts";
import { progressTo } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import type { FrontView } from "./front-view.ts";

export interface ToolRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
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

  list(): Outcome {
    const { workspace, view, identity } = this.#options;
    const _meta = gatewayIdsMeta(identity, workspace.reachableHostIds());
    return { type: "complete", result: { tools: view.tools().map(toMcpTool), _meta } };
  }

  async call({ name, arguments: args }: CallParams, request: FrontRequest): Promise<Outcome> {
    const { workspace, view, mayApprove } = this.#options;
    const { caller, ctx, sink, resumed } = request;
    const tool = view.findTool(name);
    if (tool === undefined) return { type: "failed", error: new HostError("TOOL_NOT_FOUND", { tool: name }) };
    const { principal, signal, elicitation } = ctx;
    const context = {
      caller,
      signal,
      ownConsent: mayApprove(principal),
      elicitation: elicitation.form || elicitation.url,
      onProgress: progressTo(sink),
    };
    return adaptOutcome(await workspace.calls.request(tool, args, context, resumed), ctx);
  }
}

function toMcpTool({ name, title, description, inputSchema, outputSchema, annotations }: OfferedTool): JsonObject {
  return {
    name,
    description,
    inputSchema,
    ...(title !== undefined && { title }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  };
}
