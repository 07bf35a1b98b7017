/**
 * Lends the program's model to servers that may use it. Each wish is put to the
 * user first, and is bounded in size and number; what the model gave is checked
 * before a server sees it. Without a model nothing is lent.
 */
import { abortable, HostError, isJsonObject } from "@plugboard/contracts";
import type { Caller, HostEventData, Json, JsonObject } from "@plugboard/contracts";
import type { AskAnswer, SamplingSupport } from "@plugboard/mcp";
import type { QuestionInbox, QuestionSubject } from "../inbox/question-inbox.ts";

/** Takes the params of `sampling/createMessage` as they came, and gives a `CreateMessageResult`. The signal fires when it is not wanted any more. */
export type ModelPort = (
  request: JsonObject,
  context: { readonly server: string; readonly signal: AbortSignal },
) => Promise<JsonObject>;

export interface SamplingOptions {
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  readonly attended: (caller: Caller) => boolean;
  readonly model: ModelPort;
  readonly limits?: Partial<SamplingLimits>;
}

export interface SamplingLimits {
  /** Of a request, as JSON. */
  readonly maxCharacters: number;
  /** Of one server: being asked about, or at the model. */
  readonly maxConcurrent: number;
  readonly maxPerCall: number;
}

const DEFAULT_SAMPLING_LIMITS: SamplingLimits = { maxCharacters: 1024 * 1024, maxConcurrent: 4, maxPerCall: 10 };
/** What a port is given it is given whole, the tools that the model may call among it. */
export const SAMPLING_WITH_TOOLS: SamplingSupport = "with-tools";
const CANCEL: AskAnswer = { action: "cancel" };

export class Sampling {
  readonly #options: SamplingOptions;
  readonly #limits: SamplingLimits;
  /** By server. */
  readonly #running = new Map<string, number>();

  constructor(options: SamplingOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_SAMPLING_LIMITS, ...options.limits };
  }

  /** Whether a server whose definition allows it can be told that there is a model, in a call of that caller's. */
  supportFor(caller: Caller): SamplingSupport {
    return this.#options.attended(caller) && SAMPLING_WITH_TOOLS;
  }

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
    if (requests > maxPerCall) return `it wanted more than ${maxPerCall} texts in one call`;
    if ((this.#running.get(server) ?? 0) >= maxConcurrent) return `it wanted more than ${maxConcurrent} texts at once`;
    return JSON.stringify(request).length > maxCharacters
      ? `its request was over ${maxCharacters} characters`
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
    const { inbox, model, emit } = this.#options;
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

/** The result as it can travel, or an error that says what is wrong with it. */
function validateResult(value: unknown): JsonObject {
  const result = JSON.parse(JSON.stringify(value ?? null)) as Json;
  if (!isJsonObject(result)) throw new Error("the result is not an object");
  const { role, model, content } = result;
  if (role !== "assistant" && role !== "user") throw new Error('"role" must be assistant or user');
  if (typeof model !== "string" || model === "") throw new Error('"model" must say which model it was');
  const blocks = Array.isArray(content) ? content : [content];
  if (blocks.length === 0 || !blocks.every((block) => isJsonObject(block) && typeof block["type"] === "string")) {
    throw new Error('"content" must be a content block, or a list of them');
  }
  return result;
}
