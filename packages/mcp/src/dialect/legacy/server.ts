/**
 * The server side of the legacy revisions: one front's session. What a call asks
 * is put to the front as requests of ours, on the stream of that very call.
 */
import { isJsonObject, isPeerError, toHostError } from "@plugboard/contracts";
import type { Caller, HostError, JsonObject, LogLevel, PeerError } from "@plugboard/contracts";
import type { Incoming, Malformed, NotificationMessage, RequestId, RequestMessage } from "../../wire/message.ts";
import { INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR } from "../../wire/rpc-codes.ts";
import type { Reply, ReplyStream } from "../../wire/reply-stream.ts";
import { NO_ANSWER } from "../ask.ts";
import type { Ask, AskAnswer } from "../ask.ts";
import type { FrontContext, Handler } from "../handler.ts";
import { clientInfo } from "../identity.ts";
import { gatewayIdsMeta, readHostIds, rejectOwnClient } from "../host-ids.ts";
import type { Op } from "../op.ts";
import type { Outcome, Suspended } from "../outcome.ts";
import { askMethod } from "../read-ask.ts";
import { readAbilities, readAnswer, UNABLE } from "../read-front.ts";
import { isLogLevel } from "../read-log.ts";
import { readOp } from "../read-op.ts";
import type { Listening, Offers } from "../session.ts";
import { LEGACY_VERSIONS, NEWEST_LEGACY } from "../versions.ts";
import { writeChange } from "../change.ts";
import { ID_IN_USE, writeError } from "../write-error.ts";
import { writeOffers } from "../write-offers.ts";

export interface LegacyServerOptions {
  readonly handler: Handler;
  readonly caller: Caller;
  /** For what belongs to no call. */
  readonly push: ReplyStream;
  /** The ids of the hosts that started the client. */
  readonly through?: readonly string[] | undefined;
}

interface Running {
  readonly call: AbortController;
  readonly reply: Reply;
}

type Ended = Extract<Outcome, { type: "complete" | "failed" }>;

/** How many resources one front may watch. */
const MAX_WATCHED = 1000;

export class LegacyServer {
  version: string = NEWEST_LEGACY;

  readonly #handler: Handler;
  readonly #caller: Caller;
  readonly #push: ReplyStream;
  readonly #through: readonly string[];
  readonly #running = new Map<RequestId, Running>();
  readonly #asked = new Map<RequestId, (answer: AskAnswer) => void>();
  readonly #watching = new Map<string, Listening>();
  #abilities = UNABLE;
  #logLevel: LogLevel | undefined;
  #listening: Listening | undefined;
  #questions = 0;

  constructor({ handler, caller, push, through = [] }: LegacyServerOptions) {
    this.#handler = handler;
    this.#through = through;
    this.#caller = caller;
    this.#push = push;
  }

  /** A request is answered on the given stream; whoever reads it may go away, which the signal tells. */
  receive(incoming: Incoming, stream: ReplyStream, gone?: AbortSignal): void {
    switch (incoming.type) {
      case "request":
        return void this.#answer(incoming.message, stream, gone);
      case "notification":
        return this.#told(incoming.message);
      case "result":
        return this.#settle(incoming.message.id, readAnswer(incoming.message.result));
      case "error":
        return this.#settle(incoming.message.id, NO_ANSWER);
      case "malformed":
        return this.#refuse(incoming, stream);
    }
  }

  /** Whether a call of this front is under way. */
  get busy(): boolean {
    return this.#running.size > 0;
  }

  /** Cancels every pending request. Answers each with the error if one is given. */
  close(because?: HostError): void {
    this.#listening?.stop();
    for (const watching of this.#watching.values()) watching.stop();
    this.#watching.clear();
    for (const { call, reply } of this.#running.values()) {
      if (because) reply({ error: writeError(because) });
      call.abort(because ? "the host is closing" : "the client went away");
    }
    for (const settle of [...this.#asked.values()]) settle(NO_ANSWER);
  }

  async #answer({ id, method, params = {} }: RequestMessage, stream: ReplyStream, gone?: AbortSignal): Promise<void> {
    const reply: Reply = (body) => stream.send({ jsonrpc: "2.0", id, ...body }, this.version, method);
    const through = [...this.#through, ...readHostIds(params["_meta"])];
    const self = rejectOwnClient(this.#handler.identity, through);
    if (self) return reply({ error: self });
    if (method === "initialize") return reply({ result: this.#initialize(params) });
    const own = method === "ping" ? { result: {} } : this.#keepHouse(method, params);
    if (own) return reply(own);
    const op = readOp(method, params, this.#offers);
    if (isPeerError(op)) return reply({ error: op });
    if (this.#running.has(id)) return reply({ error: ID_IN_USE });
    const call = new AbortController();
    const giveUp = () => call.abort("the client went away");
    gone?.addEventListener("abort", giveUp, { once: true });
    if (gone?.aborted) giveUp();
    this.#running.set(id, { call, reply });
    try {
      const outcome = await this.#run(op, params, stream, call.signal);
      // What was cancelled gets no answer.
      if (!call.signal.aborted) reply(this.#write(outcome));
      else stream.end();
    } catch (thrown) {
      reply({ error: writeError(toHostError(thrown)) });
    } finally {
      this.#running.delete(id);
      gone?.removeEventListener("abort", giveUp);
    }
  }

  #initialize(params: JsonObject): JsonObject {
    this.#abilities = readAbilities(params["capabilities"]);
    this.version = LEGACY_VERSIONS.find((known) => known === params["protocolVersion"]) ?? NEWEST_LEGACY;
    const { identity, instructions } = this.#handler;
    return {
      protocolVersion: this.version,
      capabilities: writeOffers(this.#offers),
      serverInfo: clientInfo(identity),
      ...(instructions !== undefined && { instructions }),
      ...(identity.ids && { _meta: gatewayIdsMeta(identity, this.#handler.instances?.()) }),
    };
  }

  /** Tasks of the newer era are not of this one. */
  get #offers(): Offers {
    return { ...this.#handler.offers(this.#caller), tasks: false };
  }

  /** What this front alone has set: its log level, and which resources it watches. */
  #keepHouse(method: string, params: JsonObject): { result: JsonObject } | { error: PeerError } | undefined {
    const { logging, subscribe } = this.#offers;
    if (method === "logging/setLevel" && logging) {
      const { level } = params;
      if (!isLogLevel(level)) return invalid('"level" is not a log level');
      this.#logLevel = level;
      return { result: {} };
    }
    const watch = method === "resources/subscribe";
    if ((!watch && method !== "resources/unsubscribe") || !subscribe) return undefined;
    const { uri } = params;
    if (typeof uri !== "string") return invalid('"uri" is missing');
    return watch ? this.#watch(uri) : this.#unwatch(uri);
  }

  #watch(uri: string): { result: JsonObject } | { error: PeerError } {
    if (this.#watching.has(uri)) return { result: {} };
    if (this.#watching.size >= MAX_WATCHED) return invalid(`more than ${MAX_WATCHED} resources are watched`);
    this.#watching.set(
      uri,
      this.#handler.listen({ uris: [uri] }, this.#caller, (change) =>
        this.#push.send(writeChange(change), this.version),
      ),
    );
    return { result: {} };
  }

  #unwatch(uri: string): { result: JsonObject } {
    this.#watching.get(uri)?.stop();
    this.#watching.delete(uri);
    return { result: {} };
  }

  async #run(op: Op, params: JsonObject, stream: ReplyStream, signal: AbortSignal): Promise<Ended> {
    const { progressToken } = isJsonObject(params["_meta"]) ? params["_meta"] : {};
    const tell = (method: string, params: JsonObject) => stream.send({ jsonrpc: "2.0", method, params }, this.version);
    const ctx: FrontContext = {
      ...this.#abilities,
      tasks: false,
      principal: this.#caller,
      signal,
      ...(progressToken !== undefined && {
        onProgress: (progress) => tell("notifications/progress", { progressToken, ...progress }),
      }),
      ...(this.#logLevel !== undefined && {
        logLevel: this.#logLevel,
        onLog: (entry) => tell("notifications/message", { ...entry }),
      }),
    };
    let outcome = await this.#handler.request(op, this.#caller, ctx);
    while (outcome.type === "asks" || outcome.type === "task") {
      // A legacy front knows no tasks: it waits as for any other call.
      if (outcome.type === "task") outcome = await outcome.follow({ signal });
      else outcome = await outcome.resume(await this.#askAll(outcome, stream, signal), { signal });
    }
    return outcome;
  }

  async #askAll({ asks, overtaken }: Suspended, stream: ReplyStream, signal: AbortSignal) {
    const over = AbortSignal.any([overtaken, signal]);
    const asked = Object.entries(asks).map(async ([key, ask]) => {
      const signal = ask.withdrawn ? AbortSignal.any([over, ask.withdrawn]) : over;
      return [key, await this.#ask(ask, stream, signal)] as const;
    });
    return Object.fromEntries(await Promise.all(asked));
  }

  /** Puts one question to the front. Also for questions that belong to no call, on the push stream. */
  #ask(ask: Ask, stream: ReplyStream, over: AbortSignal): Promise<AskAnswer> {
    if (!this.#canBeAsked(ask)) return Promise.resolve(NO_ANSWER);
    const id = `plugboard-${++this.#questions}`;
    return new Promise((resolve) => {
      const takeBack = () => {
        stream.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } }, this.version);
        this.#settle(id, NO_ANSWER);
      };
      this.#asked.set(id, (answer) => {
        over.removeEventListener("abort", takeBack);
        resolve(answer);
      });
      over.addEventListener("abort", takeBack, { once: true });
      if (over.aborted) return this.#settle(id, NO_ANSWER);
      stream.send({ jsonrpc: "2.0", id, method: askMethod(ask), params: ask.raw }, this.version);
    });
  }

  #canBeAsked(ask: Ask): boolean {
    const { elicitation, sampling } = this.#abilities;
    return ask.type === "sampling" ? sampling : elicitation[ask.elicitation.mode];
  }

  /** Only what asks for an answer gets one. */
  #refuse({ why, id, like }: Malformed, stream: ReplyStream): void {
    if (like !== "request") return;
    const error = { code: why.startsWith("not JSON") ? PARSE_ERROR : INVALID_REQUEST, message: why };
    stream.send({ jsonrpc: "2.0", ...(id !== undefined && { id }), error }, this.version, "");
  }

  #settle(id: RequestId | undefined, answer: AskAnswer): void {
    if (id === undefined) return;
    const settle = this.#asked.get(id);
    this.#asked.delete(id);
    settle?.(answer);
  }

  #told({ method, params = {} }: NotificationMessage): void {
    if (method === "notifications/initialized") this.#listen();
    const { requestId } = params;
    if (method !== "notifications/cancelled" || (typeof requestId !== "string" && typeof requestId !== "number"))
      return;
    this.#running.get(requestId)?.call.abort("the client cancelled the call");
  }

  #listen(): void {
    this.#listening ??= this.#handler.listen(this.#offers.changes, this.#caller, (change) =>
      this.#push.send(writeChange(change), this.version),
    );
  }

  #write(outcome: Ended): { result: JsonObject } | { error: PeerError } {
    if (outcome.type === "failed") return { error: writeError(outcome.error) };
    // A legacy front knows no other kind of result.
    const { resultType: _, ...result } = outcome.result;
    return { result };
  }
}

function invalid(message: string): { error: PeerError } {
  return { error: { code: INVALID_PARAMS, message } };
}
