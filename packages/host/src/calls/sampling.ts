/**
 * Answers the sampling requests of servers with the model of the program or of the chat. Asks the user about each
 * request, and limits the size and number of requests. Validates the model's result before the server gets it.
 */
import { abortable, HostError, isJsonObject } from "@plugboard/contracts";
import type { Caller, HostEventData, Json, JsonObject, QuestionOwner } from "@plugboard/contracts";
import type { AskAnswer, SamplingSupport } from "@plugboard/mcp";
import { SAMPLING_UNSUPPORTED } from "@plugboard/mcp";
import type { QuestionInbox, QuestionSubject } from "../inbox/question-inbox.ts";

/**
 * Runs a model. Gets the params of `sampling/createMessage` unchanged and returns a `CreateMessageResult`.
 * The signal aborts when the result is no longer needed.
 */
export type ModelPort = (
  request: JsonObject,
  context: { readonly server: string; readonly signal: AbortSignal },
) => Promise<JsonObject>;

export interface SamplingOptions {
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  readonly attended: (caller: Caller) => boolean;
  /** Returns the model for the requests of this caller, or undefined if there is none. */
  readonly modelFor: (owner: QuestionOwner) => ModelPort | undefined;
  readonly limits?: Partial<SamplingLimits>;
}

export interface SamplingLimits {
  /** The size of a request as JSON. */
  readonly maxCharacters: number;
  /** The number of open requests per server. Counts requests that wait for the user or the model. */
  readonly maxConcurrent: number;
  readonly maxPerCall: number;
}

const DEFAULT_SAMPLING_LIMITS: SamplingLimits = { maxCharacters: 1024 * 1024, maxConcurrent: 4, maxPerCall: 10 };
/** The model gets requests unchanged, including the tools that it may call. */
export const SAMPLING_WITH_TOOLS: SamplingSupport = "with-tools";
const CANCEL: AskAnswer = { action: "cancel" };

export class Sampling {
  readonly #options: SamplingOptions;
  readonly #limits: SamplingLimits;
  /** The number of open requests, by server. */
  readonly #running = new Map<string, number>();

  constructor(options: SamplingOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_SAMPLING_LIMITS, ...options.limits };
  }

  /** Returns the sampling support to declare to a server in a call of this caller. */
  supportFor(caller: Caller): SamplingSupport {
    const { attended, modelFor } = this.#options;
    return attended(caller) && modelFor(caller) !== undefined && SAMPLING_WITH_TOOLS;
  }

  /** Returns the function that answers the sampling requests of one call. */
  forCall(subject: QuestionSubject): (request: JsonObject, signal: AbortSignal) => Promise<AskAnswer> {
    let requests = 0;
    return async (request, signal) => {
      requests += 1;
      const reason = this.#exceededLimit(subject.server, requests, request);
      if (reason !== undefined) {
        const { server, tool } = subject;
        this.#options.emit({ type: "sampling.refused", server, ...(tool !== undefined && { tool }), reason });
        return CANCEL;
      }
      return this.#countRunning(subject.server, () => this.#sample(subject, request, signal));
    };
  }

  #exceededLimit(server: string, requests: number, request: JsonObject): string | undefined {
    const { maxPerCall, maxConcurrent, maxCharacters } = this.#limits;
    if (requests > maxPerCall) return `it made more than ${maxPerCall} sampling requests in one call`;
    if ((this.#running.get(server) ?? 0) >= maxConcurrent)
      return `it made more than ${maxConcurrent} sampling requests at once`;
    return JSON.stringify(request).length > maxCharacters
      ? `its sampling request was longer than ${maxCharacters} characters`
      : undefined;
  }

  async #countRunning<T>(server: string, run: () => Promise<T>): Promise<T> {
    this.#running.set(server, (this.#running.get(server) ?? 0) + 1);
    try {
      return await run();
    } finally {
      const left = (this.#running.get(server) ?? 1) - 1;
      if (left > 0) this.#running.set(server, left);
      else this.#running.delete(server);
    }
  }

  async #sample(subject: QuestionSubject, request: JsonObject, signal: AbortSignal): Promise<AskAnswer> {
    const { inbox, modelFor, emit } = this.#options;
    const model = modelFor(subject.owner);
    if (!model) return SAMPLING_UNSUPPORTED;
    const settlement = await inbox.ask({ type: "sampling", request, ...subject }, signal);
    if (settlement.by !== "answered" || settlement.answer.type !== "sampling") return CANCEL;
    if (settlement.answer.decision !== "yes" || signal.aborted) return CANCEL;
    try {
      const sampled = await abortable(Promise.resolve(model(request, { server: subject.server, signal })), signal);
      return { action: "sampled", result: validateResult(sampled) };
    } catch (thrown) {
      if (signal.aborted) return CANCEL;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const error = new HostError("PORT_FAILED", { port: "model", reason }, { cause: thrown });
      emit({ type: "port.failed", port: "model", error: error.toJSON() });
      return CANCEL;
    }
  }
}

/** Returns a `CreateMessageResult` as plain JSON. Throws an error for an invalid result. */
function validateResult(value: unknown): JsonObject {
  const result = JSON.parse(JSON.stringify(value ?? null)) as Json;
  if (!isJsonObject(result)) throw new Error("the result is not an object");
  const { role, model, content } = result;
  if (role !== "assistant" && role !== "user") throw new Error('"role" must be assistant or user');
  if (typeof model !== "string" || model === "") throw new Error('"model" must be the name of the model');
  const blocks = Array.isArray(content) ? content : [content];
  if (blocks.length === 0 || !blocks.every((block) => isJsonObject(block) && typeof block["type"] === "string")) {
    throw new Error('"content" must be a content block or a list of content blocks');
  }
  return result;
}
