/**
 * The client side of the modern revision. There is no handshake and no question
 * from the server: a result that asks for input ends the request, and the call
 * goes on as a new request that carries the answers.
 */
import { HostError, isJsonObject, isPeerError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { METHOD_NOT_FOUND } from "../../wire/rpc-codes.ts";
import type { RequestMessage } from "../../wire/message.ts";
import type { Peer } from "../../wire/peer.ts";
import { quote } from "../../wire/quote.ts";
import type { Ask, AskAnswer } from "../ask.ts";
import { failed, refused } from "../failure.ts";
import type { Op } from "../op.ts";
import type { Outcome, Suspended } from "../outcome.ts";
import { readAsk, writeAnswer } from "../read-ask.ts";
import type { CallContext, Change, Listening, ServerFacts, Session, SessionPorts } from "../session.ts";
import { requestHeaders, requestMeta } from "./envelope.ts";
import type { Envelope } from "./envelope.ts";

export interface ModernOptions {
  readonly server: string;
  readonly peer: Peer;
  readonly envelope: Envelope;
  readonly facts: ServerFacts;
  readonly ports: SessionPorts;
}

/** How often a server may answer one call with a question. */
const MAX_ROUNDS = 10;
/** How much one question may ask at once. */
const MAX_ASKS = 32;

export class ModernClient implements Session {
  readonly era = "modern";
  /** A question ends the very request that caused it. */
  readonly needsTurns = false;
  readonly version: string;
  readonly facts: ServerFacts;

  readonly #server: string;
  readonly #peer: Peer;
  readonly #envelope: Envelope;
  /** On a shared wire a request is given up by saying so; on one with a stream per request, by closing that. */
  readonly #byNotice: boolean;
  readonly #listeners = new Set<(change: Change) => void>();

  constructor(options: ModernOptions) {
    this.#server = options.server;
    this.#peer = options.peer;
    this.#envelope = options.envelope;
    this.version = options.envelope.version;
    this.facts = options.facts;
    this.#byNotice = options.peer.transport.shared;
    this.#peer.revision = this.version;
    this.#peer.listen({
      request: (message) => this.#refuse(message),
      notification: ({ method }) => {
        if (method === "notifications/tools/list_changed") for (const on of this.#listeners) on("tools");
      },
      closed: (error) => options.ports.onClosed(error),
    });
  }

  request(op: Op, ctx: CallContext): Promise<Outcome> {
    const resumed = op.method === "tools/call" ? op.params.resumed : undefined;
    if (!resumed) return this.#round(op, {}, ctx, 0);
    const { answers, requestState, round } = resumed;
    return this.#round(op, continuation(answers, requestState), ctx, round);
  }

  /** One long request, on which the server tells of changes until it is given up. */
  listen(on: (change: Change) => void): Listening {
    const method = "subscriptions/listen";
    const exchange = this.#peer.request(
      method,
      () => ({ notifications: { toolsListChanged: true }, _meta: requestMeta(this.#envelope, false) }),
      { headers: requestHeaders(this.version, method), cancelNotice: this.#byNotice },
    );
    this.#listeners.add(on);
    return {
      stop: () => {
        this.#listeners.delete(on);
        exchange.cancel("no longer listening");
      },
    };
  }

  async alive(signal: AbortSignal): Promise<void> {
    const method = "server/discover";
    const headers = requestHeaders(this.version, method);
    await this.#peer.request(method, () => ({ _meta: requestMeta(this.#envelope, false) }), { signal, headers }).reply;
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  async #round(op: Op, extra: JsonObject, ctx: CallContext, round: number): Promise<Outcome> {
    const { signal, timeoutMs, maxMs, onProgress, elicitation } = ctx;
    const calling = op.method === "tools/call";
    const exchange = this.#peer.request(
      op.method,
      (id) => ({
        ...wireParams(op),
        ...extra,
        _meta: requestMeta(this.#envelope, elicitation, calling ? id : undefined),
      }),
      {
        signal,
        timeoutMs,
        maxMs,
        onProgress,
        headers: requestHeaders(this.version, op.method, calling ? op.params.name : undefined),
        cancelNotice: this.#byNotice,
      },
    );
    try {
      const reply = await exchange.reply;
      return reply.ok ? this.#read(op, reply.result, ctx, round) : refused(this.#server, op, reply.error);
    } catch (error) {
      return failed(error);
    } finally {
      ctx.onSettled?.();
    }
  }

  #read(op: Op, result: JsonObject, ctx: CallContext, round: number): Outcome {
    const { resultType = "complete" } = result;
    switch (resultType) {
      case "complete":
        return { type: "complete", result };
      case "task":
        return { type: "task", task: result };
      case "input_required":
        if (round >= MAX_ROUNDS) {
          return failed(new HostError("TOO_MANY_ROUNDS", { server: this.#server, rounds: MAX_ROUNDS }));
        }
        return this.#suspend(op, result, ctx, round);
      default:
        return this.#unexpected(`the result type ${quote(resultType)} is not known`);
    }
  }

  #suspend(op: Op, result: JsonObject, ctx: CallContext, round: number): Outcome {
    const { inputRequests = {}, requestState } = result;
    if (!isJsonObject(inputRequests)) return this.#unexpected('"inputRequests" is not an object');
    if (requestState !== undefined && typeof requestState !== "string") {
      return this.#unexpected('"requestState" is not a string');
    }
    if (Object.keys(inputRequests).length > MAX_ASKS) {
      return this.#unexpected(`more than ${MAX_ASKS} input requests at once`);
    }
    const asks: { [key: string]: Ask } = Object.create(null) as { [key: string]: Ask };
    for (const [key, request] of Object.entries(inputRequests)) {
      if (!isJsonObject(request) || typeof request["method"] !== "string") {
        return this.#unexpected(`input request ${JSON.stringify(key)} has no method`);
      }
      const ask = readAsk(request["method"], isJsonObject(request["params"]) ? request["params"] : {});
      if (isPeerError(ask)) return this.#unexpected(`input request ${JSON.stringify(key)}: ${ask.message}`);
      asks[key] = ask;
    }
    const suspended: Suspended = {
      type: "asks",
      asks,
      portable: { round: round + 1, ...(requestState !== undefined && { requestState }) },
      // Nothing runs at the server meanwhile, so nothing can overtake the answer.
      overtaken: new AbortController().signal,
      resume: (answers, { signal }) =>
        this.#round(op, continuation({ ...unanswered(asks), ...answers }, requestState), { ...ctx, signal }, round + 1),
      abandon: () => {},
    };
    return suspended;
  }

  #unexpected(what: string): Outcome {
    return failed(new HostError("UNEXPECTED_RESPONSE", { server: this.#server, what }));
  }

  /** A modern server may not ask. On a shared wire it is told; over HTTP there is no way to answer it. */
  #refuse({ id, method }: RequestMessage): void {
    if (!this.#byNotice) return this.#peer.forget(id);
    this.#peer.refuse(id, { code: METHOD_NOT_FOUND, message: `${method} is not a request a server may send` });
  }
}

function wireParams(op: Op): JsonObject {
  if (op.method !== "tools/call") return { ...op.params };
  return { name: op.params.name, arguments: op.params.arguments };
}

function continuation(answers: { readonly [key: string]: AskAnswer }, requestState: string | undefined): JsonObject {
  const inputResponses = Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, writeAnswer(answer)]));
  return { inputResponses, ...(requestState !== undefined && { requestState }) };
}

/** What nobody answers is no answer. */
function unanswered(asks: { readonly [key: string]: Ask }): { [key: string]: AskAnswer } {
  return Object.fromEntries(Object.keys(asks).map((key) => [key, { action: "cancel" }]));
}
