/**
 * One call to a modern server. A result with `input_required` ends the request and suspends the call; the answers are
 * sent in a new request, the next round of the same call.
 */
import { HostError, steadyNow } from "@plugboard/contracts";
import type { JsonObject, CancelSignal, Clock } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import { HEADER_MISMATCH } from "../../wire/rpc-error-codes.ts";
import type { RpcResponse } from "../../wire/outgoing-request.ts";
import { parseToolPage } from "../../wire/parse-tools.ts";
import { isInteractive } from "../../session/op.ts";
import type { Op } from "../../session/op.ts";
import { failedOutcome, neverObsolete, peerErrorOutcome } from "../../session/outcome.ts";
import type { Outcome } from "../../session/outcome.ts";
import type { CallContext, ClientFeatures, SessionPorts } from "../../session/session.ts";
import { answersToInputResponses, parseInputRequests, toInputResponses } from "../../session/input-requests.ts";
import type { InputSources } from "../../session/input-requests.ts";
import type { ToolParamHeaders } from "./param-headers.ts";
import { isPushRejection, isPushRejectionError, withRetryHint } from "./push-rejection.ts";
import { followTask, parseTask } from "../../session/task.ts";
import type { TaskContext } from "../../session/task.ts";

/** The part of a session that a call uses. */
export interface ModernCallSession {
  readonly server: string;
  readonly clock: Clock;
  readonly roots: ClientFeatures["roots"];
  readonly paramHeaders: ToolParamHeaders;
  readonly onCannotAsk: SessionPorts["onCannotAsk"];
  /** Sends one request of the call. `extra` is added to its params. Rejects with a `HostError` if no response comes. */
  send(op: Op, ctx: CallContext, maxMs: number, extra: JsonObject): Promise<RpcResponse>;
}

/** How often a server may suspend one call. */
const MAX_ROUNDS = 10;
/** How many pages of tools are searched for the current headers of a tool. */
const MAX_HEADER_PAGES = 100;

export class ModernCall {
  readonly #session: ModernCallSession;
  readonly #op: Op;
  readonly #deadline: number;

  constructor(session: ModernCallSession, op: Op, maxMs: number) {
    this.#session = session;
    this.#op = op;
    this.#deadline = steadyNow(session.clock) + maxMs;
  }

  /** Sends the first request, or the next round of a call that was suspended before. */
  run(ctx: CallContext): Promise<Outcome> {
    if (this.#op.method === "tasks/result") return followTask(this.#op.params.taskId, this.#taskContext(ctx), ctx);
    const resumed = isInteractive(this.#op) ? this.#op.params.resumed : undefined;
    if (!resumed) return this.#sendRound(0, ctx, {});
    const { answers, requestState, round } = resumed;
    return this.#sendRound(round, ctx, continuation(answersToInputResponses(answers), requestState));
  }

  async #sendRound(round: number, ctx: CallContext, extra: JsonObject): Promise<Outcome> {
    const { server } = this.#session;
    let response: RpcResponse;
    try {
      response = await this.#send(this.#op, ctx, extra);
      if (this.#hasStaleHeaders(response)) {
        await this.#refreshParamHeaders(ctx);
        response = await this.#send(this.#op, ctx, extra);
      }
    } catch (error) {
      ctx.onSettled?.();
      return failedOutcome(error);
    }
    ctx.onSettled?.();
    if (response.ok) return this.#parseResult(response.result, round, ctx);
    if (isPushRejectionError(response.error)) this.#session.onCannotAsk?.();
    return peerErrorOutcome(server, this.#op, response.error);
  }

  #send(op: Op, ctx: CallContext, extra: JsonObject): Promise<RpcResponse> {
    const maxMs = Math.max(1, this.#deadline - steadyNow(this.#session.clock));
    return this.#session.send(op, ctx, maxMs, extra);
  }

  /** True if the server rejected a tool call before it ran, because the tool now needs other headers. */
  #hasStaleHeaders(response: RpcResponse): boolean {
    return !response.ok && response.error.code === HEADER_MISMATCH && this.#op.method === "tools/call";
  }

  /** Lists the tools until the called one is found, to read its schema again. Ends at the deadline of the call. */
  async #refreshParamHeaders(ctx: CallContext): Promise<void> {
    const { clock, paramHeaders } = this.#session;
    const name = this.#op.method === "tools/call" ? this.#op.params.name : undefined;
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_HEADER_PAGES && steadyNow(clock) < this.#deadline; pages++) {
      const op: Op = { method: "tools/list", params: cursor === undefined ? {} : { cursor } };
      const response = await this.#send(op, { ...ctx, onLog: undefined }, {}).catch(() => undefined);
      const page = response?.ok ? parseToolPage(response.result) : undefined;
      const found = page?.tools.find((tool) => tool.name === name);
      if (found) return void paramHeaders.update(found);
      if (page?.nextCursor === undefined) return;
      cursor = page.nextCursor;
    }
  }

  #parseResult(result: JsonObject, round: number, ctx: CallContext): Outcome | Promise<Outcome> {
    const { resultType = "complete" } = result;
    switch (resultType) {
      case "complete":
        return { type: "complete", result: this.#changesEra(result) ? withRetryHint(result) : result };
      case "task":
        return parseTask(result, this.#taskContext(ctx));
      case "input_required":
        return this.#suspend(result, round, ctx);
      default:
        return this.#unexpected(`the result type ${describeValue(resultType)} is unknown`);
    }
  }

  /** Reports that the tool could not ask. Returns true if the next session has the legacy era, in which it can. */
  #changesEra(result: JsonObject): boolean {
    const { onCannotAsk } = this.#session;
    return onCannotAsk !== undefined && this.#op.method === "tools/call" && isPushRejection(result) && onCannotAsk();
  }

  #taskContext(ctx: CallContext): TaskContext {
    return {
      server: this.#session.server,
      op: this.#op,
      clock: this.#session.clock,
      inputSources: this.#inputSources(ctx),
      onProgress: ctx.onProgress,
      request: (op, signal) => this.#poll(op, { ...ctx, signal }),
    };
  }

  /** Polls a task. Each poll is a call of its own, with its own timeout. */
  #poll(op: Op, { caller, signal, timeoutMs, trace }: CallContext): Promise<Outcome> {
    const ctx: CallContext = { caller, signal, timeoutMs, maxMs: timeoutMs, elicitation: false, trace };
    return new ModernCall(this.#session, op, timeoutMs).run(ctx);
  }

  #suspend(result: JsonObject, round: number, ctx: CallContext): Outcome | Promise<Outcome> {
    const { server } = this.#session;
    if (round >= MAX_ROUNDS) return failedOutcome(new HostError("TOO_MANY_ROUNDS", { server, rounds: MAX_ROUNDS }));
    const { inputRequests = {}, requestState } = result;
    if (requestState !== undefined && typeof requestState !== "string") {
      return this.#unexpected('"requestState" is not a string');
    }
    const parsed = parseInputRequests(inputRequests, this.#inputSources(ctx));
    if ("invalid" in parsed) return this.#unexpected(parsed.invalid);
    const sendNextRound = (responses: JsonObject, signal: CancelSignal | undefined) =>
      this.#sendRound(round + 1, { ...ctx, signal }, continuation(responses, requestState));
    // The host can answer all requests without the user.
    if (Object.keys(parsed.asks).length === 0 && Object.keys(parsed.resolved).length > 0)
      return sendNextRound(parsed.resolved, ctx.signal);
    return {
      type: "asks",
      asks: parsed.asks,
      portable: { round: round + 1, ...(requestState !== undefined && { requestState }) },
      // The server has ended the request, so it can't withdraw its questions.
      obsolete: neverObsolete(),
      resume: async (answers, { signal }) => {
        const responses = toInputResponses(parsed, answers);
        return responses
          ? sendNextRound(responses, signal)
          : failedOutcome(new HostError("SAMPLING_REFUSED", { server }));
      },
      abandon: () => {},
    };
  }

  #inputSources({ sampling = false, roots: callerHasRoots = false }: CallContext): InputSources {
    return { sampling, roots: this.#session.roots, callerHasRoots };
  }

  #unexpected(reason: string): Outcome {
    return failedOutcome(new HostError("UNEXPECTED_RESPONSE", { server: this.#session.server, reason }));
  }
}

function continuation(inputResponses: JsonObject, requestState: string | undefined): JsonObject {
  return { inputResponses, ...(requestState !== undefined && { requestState }) };
}
