/**
 * Sends the requests to servers that are not tool calls: reads a resource, gets a prompt, completes an argument, asks
 * about a task, or uses an extension. `request` returns an outcome, which may contain questions of the server. `run`
 * asks the user these questions, and returns the result.
 */
import { cancelled, toHostError, toAbortSignal } from "@plugboard/contracts";
import type { Caller, JsonObject } from "@plugboard/contracts";
import type { Ask, AskAnswer, CallContext, Connection, Op, Outcome, ResumeContext, TraceContext } from "@plugboard/mcp";
import type { Operation } from "../activity/operation.ts";
import { traceContextIn } from "../activity/telemetry.ts";
import type { Telemetry } from "../activity/telemetry.ts";
import { askClientToLogIn } from "./ask-client-to-log-in.ts";
import { allowedElicitation, allowedSampling, askUser } from "./ask-user.ts";
import type { AskUserPorts, ClientContext, RequestContext } from "./ask-user.ts";
import { runToCompletion } from "./run-to-completion.ts";
import { renameServerInError } from "./rename-server-in-error.ts";
import type { CallerQueue } from "./caller-queue.ts";
import { retryAfterLogin } from "./retry-after-login.ts";
import type { AskForLogin } from "./retry-after-login.ts";
import { yieldTurn } from "./yield-turn.ts";

/** The server of a request. */
export interface RequestTarget {
  /** The server's id in the workspace. */
  readonly server: string;
  /**
   * Returns the connection for requests of a client. Without a client, returns the connection for lists. The connection
   * opens with its first request. Throws for a server that can't be used.
   */
  readonly lease: (context?: ClientContext) => Connection | Promise<Connection>;
  readonly timeoutMs: number;
  /** The timeout of the whole request, however much progress it reports. */
  readonly maxMs: number;
  /** Whether the server's definition allows sampling. */
  readonly sampling?: boolean | undefined;
  readonly askForLogin?: AskForLogin | undefined;
}

/** The request during which a server asks something, and the client that made it. */
export interface WatchedRequest {
  readonly server: string;
  readonly tool?: string | undefined;
  /** The id of the call, if the request is a tool call. */
  readonly call?: string | undefined;
  readonly requestedBy: Caller;
}

export type ServerRequest = Exclude<Op, { method: "tools/call" | `${string}/list` }>;

export interface ServerRequestsOptions extends AskUserPorts {
  readonly telemetry: Telemetry;
  /** The same queue as for tool calls, because a server may ask a question without naming the request. */
  readonly queue: CallerQueue;
}

export class ServerRequests {
  readonly #options: ServerRequestsOptions;

  constructor(options: ServerRequestsOptions) {
    this.#options = options;
  }

  /** Returns the result. Throws a `HostError` that names the server by its id in the workspace. */
  async run(request: ServerRequest, target: RequestTarget, context: RequestContext): Promise<JsonObject> {
    const { server, sampling = false } = target;
    const ask = askUser({ owner: context.caller, server }, sampling, this.#options);
    const outcome = await runToCompletion(await this.request(request, target, context), {
      signal: context.signal,
      ask,
    });
    if (outcome.type === "failed") throw renameServerInError(outcome.error, server);
    return outcome.result;
  }

  /** Returns the server's questions as an outcome, for callers that pass them on themselves. Never throws. */
  async request(request: ServerRequest, target: RequestTarget, context: RequestContext): Promise<Outcome> {
    const operation = this.#options.telemetry.start(
      { side: "client", server: target.server, caller: context.caller.kind, ...describeRequest(request) },
      traceContextIn(context.forwarded?.meta),
    );
    const outcome = await this.#request(request, target, { ...context, trace: operation.trace });
    operation.end(outcome);
    return outcome;
  }

  /**
   * Passes a server's question to a user who watches the inbox, because the client that made the request can't be
   * asked. Answers `cancel` at once if nobody watches the inbox.
   */
  askWatchers(ask: Ask, { tool, call, ...request }: WatchedRequest, signal: AbortSignal): Promise<AskAnswer> {
    const about = { ...(tool !== undefined && { tool }), ...(call !== undefined && { call }) };
    const subject = { owner: "workspace", ...request, ...about } as const;
    // A watcher of the inbox has no model of its own.
    return askUser(subject, false, this.#options)(ask, signal);
  }

  async #request(request: ServerRequest, target: RequestTarget, context: TracedContext): Promise<Outcome> {
    try {
      const connection = await target.lease(context);
      return await retryAfterLogin(target.askForLogin, context, async () => {
        const outcome = await this.#send(request, connection, target, context);
        if (outcome.type === "failed") throw outcome.error;
        return outcome;
      });
    } catch (thrown) {
      const error = toHostError(thrown);
      const repeat = ({ signal }: ResumeContext) =>
        this.#request(request, target, { ...context, signal: toAbortSignal(signal) });
      return (mayAsk(request) && askClientToLogIn(error, context.elicitation, repeat)) || { type: "failed", error };
    }
  }

  async #send(
    request: ServerRequest,
    connection: Connection,
    target: RequestTarget,
    context: TracedContext,
  ): Promise<Outcome> {
    const { caller, client, signal } = context;
    const { server, timeoutMs } = target;
    if (signal?.aborted) throw cancelled();
    if (!mayAsk(request)) return connection.request(request, this.#callContext(target, context));
    await connection.ready(signal);
    const turn = await this.#options.queue.acquire(connection, { server, caller, client, signal, timeoutMs });
    const outcome = await connection.request(request, {
      ...this.#callContext(target, context),
      onSettled: () => turn.release(),
    });
    // A request that failed early or was answered from the cache still has its turn.
    if (outcome.type === "failed" || outcome.type === "complete") turn.release();
    return yieldTurn(outcome, turn);
  }

  #callContext({ timeoutMs, maxMs, sampling = false }: RequestTarget, context: TracedContext): CallContext {
    const { caller, client, signal, onProgress, forwarded, trace } = context;
    return {
      ...{ caller, client, signal, onProgress, timeoutMs, maxMs, trace, ...forwarded },
      elicitation: allowedElicitation(caller, context.elicitation, this.#options),
      sampling: allowedSampling(caller, context.sampling, sampling, this.#options),
    };
  }
}

interface TracedContext extends RequestContext {
  /** The trace context of this request. */
  readonly trace: TraceContext | undefined;
}

/** Returns whether a server may ask questions during the request. Only such requests queue. */
function mayAsk({ method }: ServerRequest): boolean {
  return method === "resources/read" || method === "prompts/get";
}

/** Returns the method, and the prompt or URI that the request names. */
function describeRequest(request: ServerRequest): Pick<Operation, "method" | "prompt" | "uri"> {
  if (request.method === "prompts/get") return { method: request.method, prompt: request.params.name };
  if (request.method === "resources/read") return { method: request.method, uri: request.params.uri };
  return { method: request.method === "extension" ? request.params.method : request.method };
}
