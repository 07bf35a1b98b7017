/**
 * The one way in for every call, whoever makes it: permission, arguments, then
 * the connection, where what was permitted is compared with what the server
 * offers now, then the session. `request` ends in an outcome that may ask;
 * `call` drives it to the end through the inbox.
 */
import { cancelled, HostError, toHostError } from "@plugboard/contracts";
import type { Caller, JsonObject, Progress, Tool, ToolResult } from "@plugboard/contracts";
import { parseToolResult } from "@plugboard/mcp";
import type {
  Clock,
  Connection,
  CallInFlight,
  SamplingSupport,
  OnUnattributedRequest,
  Outcome,
  Resumed,
} from "@plugboard/mcp";
import { authorizeCall } from "../policy/authorize-call.ts";
import type { AuthorizePorts } from "../policy/authorize-call.ts";
import { isReadOnly } from "../policy/decide.ts";
import type { Policy } from "../policy/policy.ts";
import { toolOffError } from "../tools/resolved-tool.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { Pins } from "../tools/pins.ts";
import { askUser } from "./ask-user.ts";
import type { AskUserPorts } from "./ask-user.ts";
import { questionOwner } from "../inbox/question-owner.ts";
import type { ActiveCall, CallTracker } from "./call-tracker.ts";
import { runToCompletion } from "./run-to-completion.ts";
import { renameServerInError } from "./rename-server-in-error.ts";
import { runNative } from "./run-native.ts";
import { withLogin } from "./with-login.ts";
import type { AskForLogin } from "./with-login.ts";
import type { Problem, CheckResult } from "./schemas/check-result.ts";
import type { SchemaChecks } from "./schemas/schema-checks.ts";
import type { CallerQueue } from "./caller-queue.ts";

/** A call with its names resolved. */
export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What the tool is now; nothing while that is not known. */
  readonly find: () => ResolvedTool | undefined;
  /** Nothing for a tool of the program's own. */
  readonly connection: Connection | undefined;
  readonly askForLogin: AskForLogin | undefined;
  /** As the rules are now. */
  readonly policy: () => Policy;
  /** The hash of the server's definition. */
  readonly definitionHash: string;
  /** Whether what the server says of its tools counts. */
  readonly trustsAnnotations: boolean;
  /** Whether the server's definition lets it use the model. */
  readonly sampling: boolean;
  /** Fires when the workspace it belongs to is let go. */
  readonly released: AbortSignal;
  readonly timeoutMs: number;
  readonly maxMs: number;
  /** It was permitted when it began, and goes on after a question. */
  readonly resumed?: Resumed | undefined;
}

export interface CallerContext {
  readonly caller: Caller;
  /** Whether making the call is consenting to it, where no rule says otherwise. */
  readonly ownConsent: boolean;
  /** Whether whoever gets the outcome can be asked, or for a text of its model; unless given, as the caller is attended. */
  readonly elicitation?: boolean | undefined;
  readonly sampling?: SamplingSupport | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface CallsOptions extends AskUserPorts, Pick<AuthorizePorts, "decisions"> {
  readonly clock: Clock;
  readonly queue: CallerQueue;
  readonly pins: Pins;
  readonly checks: SchemaChecks;
  readonly tracker: CallTracker;
}

export class Calls {
  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  async call(call: ResolvedCall, context: CallerContext): Promise<ToolResult> {
    const { server, tool } = call;
    let outcome = await this.request(call, context);
    if (outcome.type === "asks" || outcome.type === "task") {
      const ask = askUser({ owner: context.caller, server, tool }, this.#options);
      outcome = await runToCompletion(outcome, { signal: context.signal, ask });
    }
    if (outcome.type === "failed") throw outcome.error;
    return parseToolResult(outcome.result)!;
  }

  /** Undriven: what the server asks comes back as an outcome, for callers that pass questions on themselves. */
  async request(call: ResolvedCall, context: CallerContext): Promise<Outcome> {
    const { server, tool } = call;
    const { tracker } = this.#options;
    const resumed = call.resumed?.call;
    const suspended = resumed === undefined ? undefined : tracker.resume(resumed);
    const active = suspended ?? tracker.start({ server, tool, caller: context.caller });
    let outcome: Outcome;
    try {
      outcome = await this.#send(call, context, active);
    } catch (thrown) {
      outcome = { type: "failed", error: toHostError(thrown) };
    }
    return this.#track(outcome, call, active);
  }

  /** A question that names no call goes to the one caller that can have caused it, or to nobody's guess. */
  unattributedRequestHandler(server: string): OnUnattributedRequest {
    return (ask, inFlight: readonly CallInFlight[], signal) => {
      const owner = questionOwner(inFlight);
      const front = owner !== "workspace" && owner.kind === "front";
      // A front can be asked only in a call of its own; which of them does not matter to the server.
      const call = front ? inFlight.findLast((one) => one.active) : undefined;
      if (call) return call;
      return askUser({ owner: front ? "workspace" : owner, server }, this.#options)(ask, signal);
    };
  }

  close(): void {
    this.#options.tracker.close();
  }

  async #send(call: ResolvedCall, context: CallerContext, active: ActiveCall): Promise<Outcome> {
    const { connection, resumed } = call;
    const knownDefinition = call.find()?.definition;
    const authorizing = resumed ? undefined : this.#authorize(call, context, knownDefinition);
    if (authorizing) await authorizing;
    if (!connection) return this.#runNative(call, context);
    let known = knownDefinition;
    return withLogin(call.askForLogin, context, async () => {
      const prepared = await this.#prepare(call, connection, context, known);
      known = prepared.definition;
      const outcome = await this.#sendToServer(connection, call, context, active, prepared);
      if (outcome.type !== "failed") return outcome;
      // A request that failed before it reached the server has not left the queue.
      prepared.leaveQueue();
      throw outcome.error;
    });
  }

  #sendToServer(
    connection: Connection,
    call: ResolvedCall,
    context: CallerContext,
    active: ActiveCall,
    { definition, arguments: args, leaveQueue }: PreparedCall,
  ): Promise<Outcome> {
    const { tool, timeoutMs, maxMs, resumed } = call;
    const { caller, signal, onProgress } = context;
    const { elicitation, sampling } = this.#capabilitiesFor(call, context);
    return connection.request(
      {
        method: "tools/call",
        params: resumed ? { name: tool, arguments: args, resumed } : { name: tool, arguments: args },
      },
      {
        caller,
        signal,
        onProgress,
        timeoutMs,
        maxMs,
        elicitation,
        sampling,
        tasks: true,
        retryable: call.trustsAnnotations && isRetryable(definition),
        trace: active.trace,
        onSettled: leaveQueue,
      },
    );
  }

  /**
   * The server runs, the arguments fit, and it is the call's turn: all for the same definition, which is the one that
   * was permitted. One that became another meanwhile is permitted anew.
   */
  async #prepare(
    call: ResolvedCall,
    connection: Connection,
    context: CallerContext,
    knownDefinition: Tool | undefined,
  ): Promise<PreparedCall> {
    const { server, resumed, timeoutMs } = call;
    const { caller, signal } = context;
    const queueRequest = { server, caller, signal, timeoutMs, isRequired: () => connection.oneCallerAtATime };
    let authorized = knownDefinition;
    for (;;) {
      if (connection.state.phase !== "ready") await connection.ready(signal);
      const found = call.find();
      if (!found) throw notFound(call);
      // That it is excluded may be known only now that the server has listed it.
      if (found.excluded || found.disabled) throw toolOffError(found);
      const { definition } = found;
      const authorizing =
        !resumed && this.#hasChanged(authorized, definition) ? this.#authorize(call, context, definition) : undefined;
      authorized = definition;
      if (authorizing) await authorizing;
      const args = this.#argumentsFor(definition, call);
      const checked = this.#checkArguments(definition, args, call);
      if (checked) await checked;
      const acquired = this.#options.queue.acquire(connection, queueRequest);
      const leaveQueue = acquired instanceof Promise ? await acquired : acquired;
      const isSame = !this.#hasChanged(definition, call.find()?.definition);
      if (connection.state.phase === "ready" && isSame) return { definition, arguments: args, leaveQueue };
      leaveQueue();
    }
  }

  async #runNative(call: ResolvedCall, context: CallerContext): Promise<Outcome> {
    const found = call.find();
    if (!found?.native) throw notFound(call);
    const args = this.#argumentsFor(found.definition, call);
    await this.#checkArguments(found.definition, args, call);
    return runNative(found.native, args, context);
  }

  /** Returns equal arguments for equal definitions, so the permitted arguments are the ones checked and sent. */
  #argumentsFor(definition: Tool, { arguments: args }: ResolvedCall): JsonObject {
    return this.#options.checks.effectiveArguments(definition, args);
  }

  #capabilitiesFor({ sampling: allowed }: ResolvedCall, context: CallerContext) {
    const { attended, sampling: lending } = this.#options;
    const { caller, elicitation = attended(caller), sampling = lending?.supportFor(caller) ?? false } = context;
    return { elicitation, sampling: allowed && sampling };
  }

  #authorize(call: ResolvedCall, context: CallerContext, definition: Tool | undefined): Promise<void> | undefined {
    const { server, tool, policy, definitionHash, trustsAnnotations, released } = call;
    const { caller, ownConsent, signal } = context;
    return authorizeCall(
      {
        server,
        tool,
        arguments: definition ? this.#argumentsFor(definition, call) : call.arguments,
        caller,
        definition,
        definitionHash,
        policy,
        ownConsent,
        readOnly: isReadOnly(trustsAnnotations, definition?.annotations),
        attended: this.#options.attended(caller),
        signal,
        released,
      },
      this.#options,
    );
  }

  /** A server that lists anew makes new objects; what counts is what they say. */
  #hasChanged(before: Tool | undefined, after: Tool | undefined): boolean {
    const { pins } = this.#options;
    return before !== after && !(before && after && pins.pinOf(before) === pins.pinOf(after));
  }

  #checkArguments(definition: Tool, args: JsonObject, call: ResolvedCall): Promise<void> | undefined {
    const result = this.#options.checks.arguments(definition, args);
    if (result instanceof Promise) return result.then((late) => throwIfInvalid(late, call));
    throwIfInvalid(result, call);
    return undefined;
  }

  /** To its end, however many questions it takes: there the result is checked, and the call is over. */
  #track(outcome: Outcome, call: ResolvedCall, active: ActiveCall): Outcome | Promise<Outcome> {
    switch (outcome.type) {
      case "asks": {
        const { tracker } = this.#options;
        const { portable } = outcome;
        if (portable) tracker.suspend(active);
        return {
          ...outcome,
          ...(portable && { portable: { ...portable, call: active.id } }),
          resume: async (answers, ctx) => {
            tracker.resume(active.id);
            return this.#track(await outcome.resume(answers, ctx), call, active);
          },
          abandon: (reason) => {
            tracker.resume(active.id);
            outcome.abandon(reason);
            active.end({ type: "failed", error: cancelled(reason) });
          },
        };
      }
      case "task":
        return { ...outcome, follow: async (ctx) => this.#track(await outcome.follow(ctx), call, active) };
      case "complete": {
        const { server, tool } = call;
        if (!parseToolResult(outcome.result)) {
          return recordEnd(unexpectedResponse(server, `the result of "${tool}" has no content`), active);
        }
        const definition = call.find()?.definition;
        if (!definition?.outputSchema || outcome.result["isError"] === true) return recordEnd(outcome, active);
        return this.#checkResult(outcome, definition, call).then((checked) => recordEnd(checked, active));
      }
      case "failed":
        return recordEnd({ type: "failed", error: renameServerInError(outcome.error, call.server) }, active);
    }
  }

  /** A result that is not what the tool promised is a defect of the server. */
  async #checkResult(outcome: Complete, definition: Tool, call: ResolvedCall): Promise<Complete | Failed> {
    const result = await this.#options.checks.result(definition, outcome.result["structuredContent"]);
    if (result.ok) return outcome;
    const what = `the result of "${call.tool}" does not fit its output schema: ${formatProblems(result.problems)}`;
    return unexpectedResponse(call.server, what);
  }
}

interface PreparedCall {
  readonly definition: Tool;
  readonly arguments: JsonObject;
  readonly leaveQueue: () => void;
}

type Complete = Extract<Outcome, { type: "complete" }>;
type Failed = Extract<Outcome, { type: "failed" }>;

function recordEnd(outcome: Complete | Failed, active: ActiveCall): Complete | Failed {
  active.end(outcome);
  return outcome;
}

function throwIfInvalid(result: CheckResult, { server, tool }: ResolvedCall): void {
  if (result.ok) return;
  throw new HostError("INVALID_ARGUMENTS", { reason: formatProblems(result.problems), tool: `${server}:${tool}` });
}

function formatProblems(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === "" ? message : `"${path}" ${message}`)).join("; ");
}

function unexpectedResponse(server: string, reason: string): Failed {
  return { type: "failed", error: new HostError("UNEXPECTED_RESPONSE", { server, reason }) };
}

function notFound({ server, tool }: ResolvedCall): HostError {
  return new HostError("TOOL_NOT_FOUND", { tool: `${server}:${tool}` });
}

/** By the server's word, which counts only where the user says so. */
function isRetryable({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
