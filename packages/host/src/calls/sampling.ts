/**
 * Lends the program's model to servers that may use it. Each wish is put to the
 * user first, and is bounded in size and number; what the model gave is checked
 * before a server sees it. Without a model nothing is lent.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Caller, HostFact, Json, JsonObject } from "@plugboard/contracts";
import type { AskAnswer, Lending } from "@plugboard/mcp";
import type { Inbox } from "../inbox/inbox.ts";
import type { AskAbout } from "./ask-user.ts";

/** Takes the params of `sampling/createMessage` as they came, and gives a `CreateMessageResult`. The signal fires when it is not wanted any more. */
export type ModelPort = (
  request: JsonObject,
  context: { readonly server: string; readonly signal: AbortSignal },
) => Promise<JsonObject>;

export interface SamplingOptions {
  readonly inbox: Inbox;
  readonly state: (fact: HostFact) => void;
  readonly attended: (caller: Caller) => boolean;
  readonly model: ModelPort;
  readonly limits?: Partial<SamplingLimits>;
}

export interface SamplingLimits {
  /** Of a request, as JSON. */
  readonly maxCharacters: number;
  /** Of one server: being asked about, or at the model. */
  readonly maxAtOnce: number;
  readonly maxPerCall: number;
}

const LIMITS: SamplingLimits = { maxCharacters: 1024 * 1024, maxAtOnce: 4, maxPerCall: 10 };
/** What a port is given it is given whole, the tools that the model may call among it. */
export const LENT: Lending = "with-tools";
const REFUSED: AskAnswer = { action: "cancel" };

export class Sampling {
  readonly #options: SamplingOptions;
  readonly #limits: SamplingLimits;
  /** By server. */
  readonly #running = new Map<string, number>();

  constructor(options: SamplingOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /** Whether a server whose definition allows it can be told that there is a model, in a call of that caller's. */
  offeredTo(caller: Caller): Lending {
    return this.#options.attended(caller) && LENT;
  }

  forCall(about: AskAbout): (request: JsonObject, signal: AbortSignal) => Promise<AskAnswer> {
    let wishes = 0;
    return async (request, signal) => {
      wishes += 1;
      const reason = this.#tooMuch(about.server, wishes, request);
      if (reason !== undefined) {
        const { server, tool } = about;
        this.#options.state({ type: "sampling.refused", server, ...(tool !== undefined && { tool }), reason });
        return REFUSED;
      }
      return this.#counted(about.server, () => this.#sample(about, request, signal));
    };
  }

  #tooMuch(server: string, wishes: number, request: JsonObject): string | undefined {
    const { maxPerCall, maxAtOnce, maxCharacters } = this.#limits;
    if (wishes > maxPerCall) return `it wanted more than ${maxPerCall} texts in one call`;
    if ((this.#running.get(server) ?? 0) >= maxAtOnce) return `it wanted more than ${maxAtOnce} texts at once`;
    return JSON.stringify(request).length > maxCharacters
      ? `its request was over ${maxCharacters} characters`
      : undefined;
  }

  async #counted<T>(server: string, run: () => Promise<T>): Promise<T> {
    this.#running.set(server, (this.#running.get(server) ?? 0) + 1);
    try {
      return await run();
    } finally {
      const left = (this.#running.get(server) ?? 1) - 1;
      if (left > 0) this.#running.set(server, left);
      else this.#running.delete(server);
    }
  }

  async #sample(about: AskAbout, request: JsonObject, signal: AbortSignal): Promise<AskAnswer> {
    const { inbox, model, state } = this.#options;
    const settlement = await inbox.ask({ type: "sampling", request, ...about }, signal);
    if (settlement.by !== "answered" || settlement.answer.type !== "sampling") return REFUSED;
    if (settlement.answer.decision !== "yes" || signal.aborted) return REFUSED;
    try {
      const given = await unlessGone(model(request, { server: about.server, signal }), signal);
      return signal.aborted ? REFUSED : { action: "sampled", result: checked(given) };
    } catch (thrown) {
      if (signal.aborted) return REFUSED;
      const what = thrown instanceof Error ? thrown.message : String(thrown);
      const error = new HostError("PORT_FAILED", { port: "model", what }, { cause: thrown });
      state({ type: "port.failed", port: "model", error: error.toJSON() });
      return REFUSED;
    }
  }
}

/** A port need not heed the signal. */
function unlessGone<T>(running: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined);
    signal.addEventListener("abort", leave, { once: true });
    void Promise.resolve(running)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", leave));
  });
}

/** The result as it can travel, or an error that says what is wrong with it. */
function checked(given: unknown): JsonObject {
  const result = JSON.parse(JSON.stringify(given ?? null)) as Json;
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
