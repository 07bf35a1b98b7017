/** Passes requests about tasks to the servers that run them. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { outwardTaskId, parseOutwardTaskId } from "@plugboard/host/internal";
import type { OpenWorkspace } from "@plugboard/host/internal";
import type { Op, Outcome } from "@plugboard/mcp";
import { withoutServerInfo } from "../strict/strict-result.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { serverContext } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import type { FrontView } from "./front-view.ts";
import { invalidParams } from "./peer-failure.ts";
import type { Receiver, ToolResults } from "../profiles/tool-results.ts";

type TaskOp = Extract<Op, { method: `tasks/${string}` }>;

export interface TaskRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly view: FrontView;
  readonly results: ToolResults;
}

export class TaskRequests {
  readonly #options: TaskRequestsOptions;

  constructor(options: TaskRequestsOptions) {
    this.#options = options;
  }

  async request(op: TaskOp, request: FrontRequest): Promise<Outcome> {
    const { workspace, view } = this.#options;
    const { ctx, caller } = request;
    const task = parseOutwardTaskId(op.params.taskId);
    const isVisible = task && view.includes(task.server) && isServer(workspace, task.server);
    if (!isVisible) return invalidParams(op.method, `There is no task "${op.params.taskId}"`);
    const { server, taskId } = task;
    const serverOp = { ...op, params: { ...op.params, taskId } } as TaskOp;
    const outcome = await workspace.forwarding.request(server, serverOp, serverContext(server, request));
    const receiver = { caller, revision: ctx.revision };
    return adaptOutcome(outcome, { ctx, adaptResult: (result) => this.outwardTask(server, result, receiver) });
  }

  /** Returns the description of a task with the id, URIs and result for clients. */
  async outwardTask(server: string, task: JsonObject, receiver: Receiver): Promise<JsonObject> {
    const { taskId, result, ...others } = withoutServerInfo(task);
    return {
      ...others,
      ...(typeof taskId === "string" && { taskId: outwardTaskId({ server, taskId }) }),
      ...(isJsonObject(result) && { result: await this.#options.results.outward(server, result, receiver) }),
    };
  }
}

function isServer(workspace: OpenWorkspace, server: string): boolean {
  return workspace.forwarding.servers().some(({ id }) => id === server);
}
