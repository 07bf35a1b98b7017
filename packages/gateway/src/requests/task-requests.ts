/** Passes requests about tasks to the servers that run them. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { outwardTaskId } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Op, Outcome } from "@plugboard/mcp";
import { withoutServerInfo } from "../strict/strict-result.ts";
import { adaptOutcome } from "./adapt-outcome.ts";
import { serverContext } from "./front-request.ts";
import type { FrontRequest } from "./front-request.ts";
import { invalidParams, unknownTask } from "./peer-failure.ts";
import type { TaskOwners } from "./task-owners.ts";
import { adaptToolResult } from "../profiles/adapt-tool-result.ts";
import type { Receiver, ResultContext } from "../profiles/adapt-tool-result.ts";

type TaskOp = Exclude<Extract<Op, { method: `tasks/${string}` }>, { method: "tasks/list" }>;

/** The most tasks in one page of a list. Small, because each task is requested from its server. */
const PAGE_SIZE = 50;

export interface TaskRequestsOptions {
  readonly workspace: OpenWorkspace;
  readonly owners: TaskOwners;
  readonly resultContext: ResultContext;
}

export class TaskRequests {
  readonly #options: TaskRequestsOptions;

  constructor(options: TaskRequestsOptions) {
    this.#options = options;
  }

  async request(op: TaskOp, request: FrontRequest): Promise<Outcome> {
    const { workspace, owners } = this.#options;
    const { ctx, caller } = request;
    const task = owners.find(op.params.taskId, caller);
    if (!task) return unknownTask(op.method, op.params.taskId);
    const { server, taskId } = task;
    const serverOp = { ...op, params: { ...op.params, taskId } } as TaskOp;
    const outcome = await workspace.forwarding.request(server, serverOp, serverContext(server, request));
    const receiver = { caller, revision: ctx.revision };
    return adaptOutcome(outcome, {
      ctx,
      workspace,
      server,
      caller,
      adaptResult: (result) =>
        op.method === "tasks/result"
          ? adaptToolResult({ server, result }, receiver, this.#options.resultContext)
          : this.outwardTask(server, result, receiver),
    });
  }

  /** Lists the tasks of the client, oldest first. Leaves out those that their servers have forgotten. */
  async list({ cursor }: { readonly cursor?: string }, request: FrontRequest): Promise<Outcome> {
    const { owners } = this.#options;
    const ids = owners.idsOf(request.caller);
    const start = cursor === undefined ? 0 : ids.indexOf(cursor) + 1;
    if (cursor !== undefined && start === 0) return invalidParams("tasks/list", "The cursor is unknown.");
    const page = ids.slice(start, start + PAGE_SIZE);
    const outcomes = await Promise.all(
      page.map((taskId) => this.request({ method: "tasks/get", params: { taskId } }, request)),
    );
    const tasks = outcomes.flatMap((outcome) => (outcome.type === "complete" ? [outcome.result] : []));
    const hasMore = start + PAGE_SIZE < ids.length;
    return { type: "complete", result: { tasks, ...(hasMore && { nextCursor: page.at(-1)! }) } };
  }

  /** Returns the description of a new task. Only the client that receives it can use the task. */
  handOut(server: string, task: JsonObject, receiver: Receiver, client: string | undefined): Promise<JsonObject> {
    const { taskId } = task;
    if (typeof taskId === "string") this.#options.owners.add({ server, taskId }, receiver.caller, client);
    return this.outwardTask(server, task, receiver);
  }

  /** Returns the description of a task with the id, URIs and result for clients. */
  async outwardTask(server: string, task: JsonObject, receiver: Receiver): Promise<JsonObject> {
    const { taskId, result, ...others } = withoutServerInfo(task);
    const { resultContext } = this.#options;
    return {
      ...others,
      ...(typeof taskId === "string" && { taskId: outwardTaskId({ server, taskId }) }),
      ...(isJsonObject(result) && { result: await adaptToolResult({ server, result }, receiver, resultContext) }),
    };
  }
}
