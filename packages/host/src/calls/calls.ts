/**
 * The only way to call a tool, for every caller: authorizes the call, checks the arguments, sends the request and
 * checks the result. `request` returns an outcome that may ask the user something. `call` asks and returns the result.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Tool, ToolResult } from "@plugboard/contracts";
import { parseToolResult } from "@plugboard/mcp";
import type { Connection, Outcome, ResumeContext, Suspended } from "@plugboard/mcp";
import { askClientToLogIn } from "./ask-client-to-log-in.ts";
import { allowedAsks, askUser } from "./ask-user.ts";
import type { AskUserPorts } from "./ask-user.ts";
import type { ActiveCall, CallTracker } from "./call-tracker.ts";
import { PendingPermission } from "../policy/pending-permission.ts";
import { authorize, checkToolArguments, notFound, prepareCall } from "./prepare-call.ts";
import type { PreparedCall, PrepareCallPorts } from "./prepare-call.ts";
import { renameServerInError } from "./rename-server-in-error.ts";
import type { CallerContext, ResolvedCall } from "./resolved-call.ts";
import { runNative } from "./run-native.ts";
import { runToCompletion } from "./run-to-completion.ts";
import type { CompleteOutcome, FailedOutcome, FinalOutcome } from "./run-to-completion.ts";
import { formatProblems } from "./schemas/check-result.ts";
import { traceContextIn } from "../activity/telemetry.ts";
import { retryAfterLogin } from "./retry-after-login.ts";
import { yieldTurn } from "./yield-turn.ts";

export interface CallsOptions extends AskUserPorts, PrepareCallPorts {
  readonly tracker: CallTracker;
}

export class Calls {
  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Passes the server's questions to the caller and returns the final result. Throws a HostError if the call fails. */
  async call(call: ResolvedCall, context: CallerContext): Promise<ToolResult> {
    const { server, tool } = call;
    let outcome = await this.request(call, context);
    if (outcome.type === "asks" || outcome.type === "task") {
      const ask = askUser({ owner: context.caller, server, tool }, call.sampling, this.#options);
      outcome = await runToCompletion(outcome, { signal: context.signal, ask });
    }
    if (outcome.type === "failed") throw outcome.error;
    // `#checkFinal` has failed the call if the result can't be parsed.
    return parseToolResult(outcome.result)!;
  }

  /** Returns the server's questions as an outcome, for callers that pass them on themselves. Never throws. */
  async request(call: ResolvedCall, context: CallerContext): Promise<Outcome> {
    const { server, tool, resumed } = call;
    const { tracker } = this.#options;
    const suspended = resumed?.call === undefined ? undefined : tracker.resume(resumed.call);
    const active =
      suspended ??
      tracker.start({
        server,
        tool,
        caller: context.caller,
        arguments: call.arguments,
        redactor: call.connection?.redactor,
        parent: traceContextIn(context.forwarded?.meta),
      });
    let outcome: Outcome;
    try {
      outcome = await this.#send(call, context, active);
    } catch (thrown) {
      outcome = { type: "failed", error: toHostError(thrown) };
    }
    return tracker.follow(outcome, active, (final) => this.#checkFinal(final, call));
  }

  /**
   * Sends another request that names the tool, such as one of an extension. It needs the same permission as a call, and
   * is recorded like one. Never throws.
   */
  async requestAbout(call: ResolvedCall, context: CallerContext, send: () => Promise<Outcome>): Promise<Outcome> {
    const { server, tool } = call;
    const { tracker } = this.#options;
    const active = tracker.start({
      server,
      tool,
      caller: context.caller,
      arguments: call.arguments,
      redactor: call.connection?.redactor,
    });
    let outcome: Outcome;
    try {
      const found = call.find();
      if (!found) throw notFound(call);
      // The outcome can't ask for the permission, because its questions belong to the other request.
      await authorize(call, active.id, { ...context, approvesByForm: false }, found.definition, this.#options);
      outcome = await send();
    } catch (thrown) {
      outcome = { type: "failed", error: toHostError(thrown) };
    }
    return tracker.follow(outcome, active, (final) => final);
  }

  close(): void {
    this.#options.tracker.close();
  }

  /** `permitted` is the definition of the tool for which the caller has permitted the call. */
  async #send(call: ResolvedCall, context: CallerContext, active: ActiveCall, permitted?: Tool): Promise<Outcome> {
    const { connection, resumed } = call;
    let authorizedDefinition = permitted ?? call.find()?.definition;
    // A denied call must fail before it starts a server. A call that has an id was authorized when it began.
    const isAuthorized = permitted !== undefined || resumed?.call !== undefined;
    const definition = authorizedDefinition;
    const check = definition && (() => checkToolArguments(call, definition, this.#options));
    const authorizing = isAuthorized
      ? undefined
      : authorize(call, active.id, context, definition, this.#options, check);
    const permission = authorizing instanceof Promise ? await authorizing : authorizing;
    if (permission) return this.#askCaller(permission, call, context, active);
    try {
      if (!connection) return await this.#callNative(call, context);
      return await retryAfterLogin(
        call.askForLogin,
        context,
        async () => {
          const authorized = { id: active.id, definition: authorizedDefinition };
          const prepared = await prepareCall(call, connection, context, authorized, this.#options);
          if (prepared instanceof PendingPermission) return this.#askCaller(prepared, call, context, active);
          authorizedDefinition = prepared.definition;
          active.queueMs += prepared.turn.waitedMs;
          const outcome = await this.#sendToServer(connection, call, context, active, prepared);
          if (outcome.type !== "failed") return yieldTurn(outcome, prepared.turn);
          // A request that failed before it reached the server still has its turn.
          prepared.turn.release();
          throw outcome.error;
        },
        active,
      );
    } catch (thrown) {
      return this.#askForLogin(toHostError(thrown), call, context, active, authorizedDefinition);
    }
  }

  /** Suspends the call until the caller has logged in, if that is why it failed and the caller's client can be asked. */
  #askForLogin(
    error: HostError,
    call: ResolvedCall,
    context: CallerContext,
    active: ActiveCall,
    authorized: Tool | undefined,
  ): Outcome {
    const repeat = async ({ signal }: ResumeContext): Promise<Outcome> => {
      try {
        return await this.#send(call, { ...context, signal }, active, authorized);
      } catch (thrown) {
        return { type: "failed", error: toHostError(thrown) };
      }
    };
    return askClientToLogIn(error, context, repeat) ?? { type: "failed", error };
  }

  /** Suspends the call until the caller has permitted it. Nothing has been sent to the server yet. */
  #askCaller(permission: PendingPermission, call: ResolvedCall, context: CallerContext, active: ActiveCall): Suspended {
    return {
      type: "asks",
      asks: { permission: permission.ask() },
      obsolete: permission.obsolete,
      resume: async (answers, { signal, mayApprove = false }) => {
        try {
          await permission.answer(answers["permission"], mayApprove);
          return await this.#send(call, { ...context, signal }, active, permission.definition);
        } catch (thrown) {
          return { type: "failed", error: toHostError(thrown) };
        }
      },
      abandon: () => permission.abandon(),
    };
  }

  #sendToServer(
    connection: Connection,
    call: ResolvedCall,
    context: CallerContext,
    active: ActiveCall,
    { definition, arguments: args, turn }: PreparedCall,
  ): Promise<Outcome> {
    const { tool, timeoutMs, maxMs, resumed } = call;
    const { caller, signal, onProgress, forwarded } = context;
    const { elicitation, sampling } = allowedAsks(context, call.sampling, this.#options);
    return connection.request(
      { method: "tools/call", params: { name: tool, arguments: args, resumed } },
      // Lists the forwarded fields, because copying them would take longer than the rest of this function.
      {
        caller,
        signal,
        onProgress,
        timeoutMs,
        maxMs,
        elicitation,
        sampling,
        roots: forwarded?.roots,
        extensions: forwarded?.extensions,
        tasks: true,
        logLevel: forwarded?.logLevel,
        onLog: forwarded?.onLog,
        retryable: call.trustsAnnotations && isRetryable(definition),
        meta: forwarded?.meta,
        trace: active.trace,
        timing: active,
        onSettled: () => turn.release(),
      },
    );
  }

  async #callNative(call: ResolvedCall, context: CallerContext): Promise<Outcome> {
    const found = call.find();
    if (!found?.native) throw notFound(call);
    const outcome = await runNative(
      found.native,
      await checkToolArguments(call, found.definition, this.#options),
      context,
    );
    if (outcome.type === "failed") throw outcome.error;
    return outcome;
  }

  #checkFinal(final: FinalOutcome, call: ResolvedCall): FinalOutcome | Promise<FinalOutcome> {
    const { server, tool } = call;
    if (final.type === "failed") return { type: "failed", error: renameServerInError(final.error, server) };
    if (!parseToolResult(final.result)) return unexpectedResponse(server, `the result of "${tool}" has no content`);
    const definition = call.find()?.definition;
    if (!definition?.outputSchema || final.result["isError"] === true) return final;
    return this.#checkResult(final, definition, call);
  }

  /** Fails the call if the result does not match the output schema. */
  async #checkResult(final: CompleteOutcome, definition: Tool, call: ResolvedCall): Promise<FinalOutcome> {
    const result = await this.#options.checks.result(definition, final.result["structuredContent"]);
    if (result.ok) return final;
    const reason = `the result of "${call.tool}" does not match its output schema: ${formatProblems(result.problems)}`;
    return unexpectedResponse(call.server, reason);
  }
}

function unexpectedResponse(server: string, reason: string): FailedOutcome {
  return { type: "failed", error: new HostError("UNEXPECTED_RESPONSE", { server, reason }) };
}

function isRetryable({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
