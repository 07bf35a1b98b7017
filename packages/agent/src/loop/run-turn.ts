/**
 * One turn of an agent: requests to the model and calls of tools, until the model needs no more calls. Owns the order
 * of events and the rule that every call in the history has a result. Knows no MCP, no provider and no permissions.
 */
import { abortable, HostError, isHostError, toHostError, totalTokens } from "@plugboard/contracts";
import type { ChatEvent, ChatMedia, ChatMessage, ChatText, ChatTurnEnd, ChatUsage } from "@plugboard/contracts";
import { StreamedAnswer } from "./streamed-answer.ts";
import { compactHistory } from "./compact-history.ts";
import { addMessage, callsOf, EMPTY_HISTORY, interruptedResult, modelIdOf, openCalls, userMessage } from "./history.ts";
import type { History } from "./history.ts";
import { markUntrusted, UNTRUSTED_NOTICE } from "./mark-untrusted.ts";
import type { Model } from "./model.ts";
import { runCalls } from "./run-calls.ts";
import { orderTools } from "./tool-order.ts";
import { notRunResult } from "./tool-result.ts";
import type { ToolDefinition, Tools } from "./tools.ts";
import { estimateTokens } from "./transcript.ts";
import { addUsage, NO_USAGE, withCost } from "./usage.ts";

export interface TurnOptions {
  readonly model: Model;
  readonly tools: Tools;
  /** By default an empty conversation. */
  readonly history?: History;
  /** The user's message. Without it, the turn continues a history that ends with a user's message or a result. */
  readonly prompt?: string | readonly (ChatText | ChatMedia)[];
  /** The prompt as people see it. By default its texts. */
  readonly shownText?: string | undefined;
  /** The id of the user's message in the events. By default a new one. */
  readonly input?: string;
  readonly system?: string;
  readonly signal?: AbortSignal;
  readonly limits?: TurnLimits;
  /** When the conversation is compacted, and how many of its last messages stay. By default at 80 % of the window. */
  readonly compaction?: { readonly atTokens?: number; readonly keepMessages?: number };
  /** Returns monotonic milliseconds. By default `performance.now`. */
  readonly now?: () => number;
  /** Makes ids, such as those of the calls. By default random UUIDs. */
  readonly newId?: () => string;
}

export interface TurnLimits {
  /** The number of requests to the model, by default 50. */
  readonly steps?: number;
  /** Input and output tokens of the whole turn. */
  readonly tokens?: number;
  /** The output tokens of one answer. */
  readonly outputTokens?: number;
  /** How many calls run at the same time, by default 8. */
  readonly parallelCalls?: number;
}

const DEFAULT_STEPS = 50;
const DEFAULT_PARALLEL_CALLS = 8;

/** The share of the context window at which the conversation is compacted. */
const COMPACT_AT = 0.8;

/**
 * Yields the events of the turn, and returns the conversation after it. Every call in it has a result, however the turn
 * ended. Never throws after it has started. Leaving the iteration cancels the turn. A store that appends the messages
 * of `message.added` can resume the conversation at any time.
 */
export async function* runTurn(options: TurnOptions): AsyncGenerator<ChatEvent, History, void> {
  const { newId = () => crypto.randomUUID(), input = newId() } = options;
  const left = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, left.signal]) : left.signal;
  const turn = new Turn({ ...options, newId }, signal);
  try {
    yield { type: "turn.started", input, model: options.model.id };
    let reason: ChatTurnEnd;
    let error: HostError | undefined;
    try {
      yield* turn.begin();
      reason = yield* turn.steps();
    } catch (thrown) {
      reason = signal.aborted ? "cancelled" : "failed";
      error = signal.aborted ? undefined : toHostError(thrown);
    }
    yield { type: "turn.finished", input, reason, ...(error && { error: error.toJSON() }), usage: turn.usage };
    return turn.history;
  } finally {
    left.abort();
  }
}

type Events<Result = void> = AsyncGenerator<ChatEvent, Result, void>;

class Turn {
  history: History;
  usage: ChatUsage = NO_USAGE;
  readonly #options: TurnOptions;
  readonly #signal: AbortSignal;

  constructor(options: TurnOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.history = options.history ?? EMPTY_HISTORY;
  }

  /** Adds results for the calls that an earlier process left open, and the user's message. */
  *begin(): Generator<ChatEvent, void, void> {
    const interrupted = openCalls(this.history);
    if (interrupted.length > 0) yield this.#add({ role: "tool", content: interrupted.map(interruptedResult) });
    const { prompt, shownText } = this.#options;
    if (prompt !== undefined) yield this.#add(userMessage(prompt, shownText));
    const last = this.history.messages.at(-1);
    if (!last || last.role === "assistant") {
      const reason = "a turn needs a prompt unless the history ends with a user's message or a result";
      throw new HostError("OPTION_INVALID", { method: "runTurn", option: "prompt", reason });
    }
  }

  /** Asks the model and runs the calls of its answer, until an answer has no calls or a limit is reached. */
  async *steps(): Events<ChatTurnEnd> {
    const { limits = {} } = this.#options;
    const { steps = DEFAULT_STEPS, tokens = Infinity, parallelCalls: parallel = DEFAULT_PARALLEL_CALLS } = limits;
    for (let step = 1; ; step++) {
      yield* this.#compactIfFull();
      const offered = await this.#offer();
      yield { type: "step.started", step, tools: offered.length };
      const answer = yield* this.#askOrCompact(offered);
      if (!answer.finish) return "cancelled";
      const message = answer.message();
      const calls = callsOf(message);
      for (const { callId, tool, source, args } of calls)
        yield { type: "tool.requested", callId, tool, ...(source !== undefined && { source }), args };

      const end = endAfter(answer.finish.reason, calls.length, {
        stepLimit: step >= steps,
        tokenLimit: totalTokens(this.usage) >= tokens,
      });
      if (end) {
        if (calls.length > 0)
          yield this.#add({ role: "tool", content: calls.map((call) => notRunResult(call, END_TEXTS[end])) });
        return end;
      }
      const { tools, now = () => performance.now() } = this.#options;
      const context = { tools, offered, problems: answer.problems, parallel, signal: this.#signal, now };
      const results = yield* runCalls(calls, context);
      yield this.#add({ role: "tool", content: results });
      if (this.#signal.aborted) return "cancelled";
    }
  }

  /** Compacts the conversation if it is too long for the model, and asks once more. */
  async *#askOrCompact(tools: readonly ToolDefinition[]): Events<StreamedAnswer> {
    try {
      return yield* this.#ask(tools);
    } catch (thrown) {
      if (!isHostError(thrown) || thrown.code !== "MODEL_CONTEXT_EXCEEDED") throw thrown;
      const isShorter = yield* this.#compact(estimateTokens(this.history.messages) / 2);
      if (!isShorter) throw thrown;
      return yield* this.#ask(tools);
    }
  }

  /** Returns an answer without `finish` if the turn was cancelled. */
  async *#ask(tools: readonly ToolDefinition[]): Events<StreamedAnswer> {
    const { model, system, limits, newId } = this.#options;
    const answer = new StreamedAnswer(this.#usedModelCallIds(), newId, tools);
    const stream = model.stream({
      system: system === undefined ? UNTRUSTED_NOTICE : `${system}\n\n${UNTRUSTED_NOTICE}`,
      messages: markUntrusted(this.history.messages),
      tools,
      signal: this.#signal,
      ...(limits?.outputTokens !== undefined && { maxOutputTokens: limits.outputTokens }),
    });
    const parts = stream[Symbol.asyncIterator]();
    try {
      while (!answer.finish) {
        const { value: part, done } = await abortable(parts.next(), this.#signal);
        if (done) throw new HostError("MODEL_FAILED", { model: model.id, reason: "its answer has no end" });
        answer.add(part);
        if ("delta" in part && part.delta !== "") yield { type: `${part.type}.delta`, text: part.delta };
        if (part.type === "retry") {
          const { attempt, delayMs, reason } = part;
          yield { type: "step.retried", attempt, delayMs, reason };
        }
      }
    } catch (thrown) {
      if (!this.#signal.aborted) throw thrown;
    } finally {
      // The model may ignore the signal, so nobody waits for it.
      parts.return?.().catch(() => undefined);
    }
    const message = answer.finish ? answer.message() : answer.cancelledMessage();
    if (message.content.length > 0) yield this.#add(message);
    if (answer.finish) yield this.#count(withCost(answer.finish.usage, model.price));
    return answer;
  }

  async *#compactIfFull(): Events {
    const { model, compaction = {} } = this.#options;
    const { atTokens = (model.contextTokens ?? Infinity) * COMPACT_AT } = compaction;
    const { messages, measured } = this.history;
    if (measured.tokens + estimateTokens(messages.slice(measured.messages)) < atTokens) return;
    yield* this.#compact(atTokens / 2);
  }

  /** Returns false if there is nothing to summarise. */
  async *#compact(keepTokens: number): Events<boolean> {
    const { model, compaction: { keepMessages } = {} } = this.#options;
    const { history, removedMessages, usage } = await compactHistory({
      model,
      history: this.history,
      signal: this.#signal,
      keepTokens,
      ...(keepMessages !== undefined && { keepMessages }),
    });
    if (removedMessages === 0) return false;
    this.history = history;
    this.usage = addUsage(this.usage, usage);
    yield { type: "usage", usage, turn: this.usage };
    yield { type: "compacted", removedMessages, messages: history.messages };
    return true;
  }

  /** Returns the tools for the next request, in the order of earlier requests. */
  async #offer(): Promise<readonly ToolDefinition[]> {
    const definitions = await abortable(Promise.resolve(this.#options.tools.list()), this.#signal);
    const { tools, names } = orderTools(definitions, this.history.toolOrder);
    this.history = { ...this.history, toolOrder: names };
    return tools;
  }

  #add(message: ChatMessage): ChatEvent {
    this.history = addMessage(this.history, message);
    return { type: "message.added", message };
  }

  #count(usage: ChatUsage): ChatEvent {
    this.usage = addUsage(this.usage, usage);
    const measured = { tokens: totalTokens(usage), messages: this.history.messages.length };
    this.history = { ...this.history, usage: addUsage(this.history.usage, usage), measured };
    return { type: "usage", usage, turn: this.usage };
  }

  #usedModelCallIds(): Set<string> {
    const calls = this.history.messages.flatMap((message) => (message.role === "assistant" ? callsOf(message) : []));
    return new Set(calls.map(modelIdOf));
  }
}

/** Returns undefined if the calls are to run and the turn goes on. */
function endAfter(
  finish: string,
  calls: number,
  { stepLimit, tokenLimit }: { stepLimit: boolean; tokenLimit: boolean },
): Exclude<ChatTurnEnd, "cancelled" | "failed"> | undefined {
  // No call runs, because the arguments of the last one may be cut, too.
  if (finish === "length") return "output_limit";
  if (finish === "refused") return "refused";
  if (calls === 0) return "done";
  if (stepLimit) return "step_limit";
  return tokenLimit ? "token_limit" : undefined;
}

const END_TEXTS = {
  done: "",
  step_limit: "the limit of steps in this turn was reached",
  token_limit: "the limit of tokens in this turn was reached",
  output_limit: "the answer was cut at its maximum length",
  refused: "the provider stopped the answer",
};
