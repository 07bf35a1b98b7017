/**
 * Requests to one server that are no tool calls: reading a resource, filling in
 * a prompt, completing an argument. `request` ends in an outcome that may ask;
 * `run` drives it to its result, asking whoever made the request.
 */
import { cancelled, toHostError } from "@plugboard/contracts";
import type { Caller, JsonObject, Progress } from "@plugboard/contracts";
import type { CallContext, Connection, SamplingSupport, Op, Outcome } from "@plugboard/mcp";
import { askUser } from "./ask-user.ts";
import type { AskUserPorts } from "./ask-user.ts";
import { runToCompletion } from "./run-to-completion.ts";
import { renameServerInError } from "./rename-server-in-error.ts";
import type { CallerQueue } from "./caller-queue.ts";
import { withLogin } from "./with-login.ts";
import type { AskForLogin } from "./with-login.ts";

/** A server as a request needs it, under the name its workspace has for it. */
export interface RequestTarget {
  readonly server: string;
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly maxMs: number;
  /** Whether its definition lets it use the model. */
  readonly sampling?: boolean | undefined;
  readonly askForLogin?: AskForLogin | undefined;
}

export interface RequestContext {
  readonly caller: Caller;
  /** Whether whoever gets the outcome can be asked, or for a text of the model; unless given, as the caller is attended. */
  readonly elicitation?: boolean | undefined;
  readonly sampling?: SamplingSupport | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export type ServerRequest = Extract<Op, { method: "resources/read" | "prompts/get" | "completion/complete" }>;

export interface ServerRequestsOptions extends AskUserPorts {
  /** The same as of the tool calls: a server that asks without naming the call can't tell one from the other. */
  readonly queue: CallerQueue;
}

export class ServerRequests {
  readonly #options: ServerRequestsOptions;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  /** Ends in the result or throws a `HostError` that names the server as its workspace does. */
  async run(request: ServerRequest, target: RequestTarget, context: RequestContext): Promise<JsonObject> {
    const { server } = target;
    const ask = askUser({ owner: context.caller, server }, this.#options);
    const outcome = await runToCompletion(await this.request(request, target, context), {
      signal: context.signal,
      ask,
    });
    if (outcome.type === "failed") throw renameServerInError(outcome.error, server);
    return outcome.result;
  }

  /** Undriven: what the server asks comes back as an outcome, for callers that pass questions on themselves. */
  async request(request: ServerRequest, target: RequestTarget, context: RequestContext): Promise<Outcome> {
    try {
      return await withLogin(target.askForLogin, context, async () => {
        const outcome = await this.#send(request, target, context);
        if (outcome.type === "failed") throw outcome.error;
        return outcome;
      });
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  async #send(request: ServerRequest, target: RequestTarget, context: RequestContext): Promise<Outcome> {
    const { caller, signal } = context;
    const { server, connection, timeoutMs } = target;
    if (signal?.aborted) throw cancelled();
    // A completion never asks the user, so it does not queue.
    if (request.method === "completion/complete")
      return connection.request(request, this.#callContext(target, context));
    await connection.ready(signal);
    const queueRequest = { server, caller, signal, timeoutMs, isRequired: () => connection.oneCallerAtATime };
    const leaveQueue = await this.#options.queue.acquire(connection, queueRequest);
    const outcome = await connection.request(request, {
      ...this.#callContext(target, context),
      onSettled: leaveQueue,
    });
    // A request that failed early or was answered from the cache has not left the queue.
    if (outcome.type === "failed" || outcome.type === "complete") leaveQueue();
    return outcome;
  }

  #callContext({ timeoutMs, maxMs, sampling: allowed = false }: RequestTarget, context: RequestContext): CallContext {
    const { attended, sampling: lending } = this.#options;
    const { caller, signal, onProgress } = context;
    const { elicitation = attended(caller), sampling = lending?.supportFor(caller) ?? false } = context;
    return { caller, signal, onProgress, timeoutMs, maxMs, elicitation, sampling: allowed && sampling };
  }
}
