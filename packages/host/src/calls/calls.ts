/**
 * The one way in for every call, whoever makes it: permission, then the
 * connection, then the session. `request` ends in an outcome that may ask;
 * `call` drives it to the end through the inbox.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type {
  Caller,
  HostFact,
  JsonObject,
  Progress,
  QuestionOwner,
  Settlement,
  ToolResult,
} from "@plugboard/contracts";
import { readToolResult } from "@plugboard/mcp";
import type { Ask, Connection, InFlight, OnStrayAsk, Outcome } from "@plugboard/mcp";
import type { Inbox } from "../inbox/inbox.ts";
import { evaluate } from "../policy/evaluate.ts";
import type { Rule } from "../policy/rule.ts";
import { attribute } from "./attribute.ts";
import { answerOf, drive } from "./drive.ts";
import type { Ended } from "./drive.ts";

/** A call with its names resolved. */
export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly connection: Connection;
  readonly rules: readonly Rule[];
  readonly timeoutMs: number;
  readonly maxMs: number;
}

export interface CallBy {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface CallsOptions {
  readonly inbox: Inbox;
  readonly newId: () => string;
  readonly state: (fact: HostFact) => void;
  /** Whether somebody is there to answer for that caller. */
  readonly attended: (caller: Caller) => boolean;
}

export class Calls {
  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  async call(call: ResolvedCall, by: CallBy): Promise<ToolResult> {
    const { newId, state } = this.#options;
    const id = newId();
    const { server, tool } = call;
    state({ type: "call.started", call: id, caller: by.caller, server, tool });
    try {
      const outcome = await drive(await this.request(call, by), {
        signal: by.signal,
        ask: (ask, signal) => this.#ask(ask, { owner: by.caller, server, tool }, signal),
      });
      const result = this.#result(call, outcome);
      state({ type: "call.ended", call: id, outcome: "complete" });
      return result;
    } catch (thrown) {
      const error = toHostError(thrown);
      state({ type: "call.ended", call: id, outcome: "failed", error: error.toJSON() });
      throw error;
    }
  }

  /** Undriven: what the server asks comes back as an outcome, for callers that pass questions on themselves. */
  async request(call: ResolvedCall, by: CallBy): Promise<Outcome> {
    const { caller, signal, onProgress } = by;
    const { server, tool, connection, timeoutMs, maxMs } = call;
    try {
      await this.#permit(call, by);
      const session = await connection.ready(signal);
      if (!connection.catalog.tools.some((offered) => offered.name === tool)) {
        throw new HostError("TOOL_NOT_FOUND", { tool: `${server}:${tool}` });
      }
      return await session.request(
        { method: "tools/call", params: { name: tool, arguments: call.arguments } },
        { caller, signal, onProgress, timeoutMs, maxMs, elicitation: this.#options.attended(caller) },
      );
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  /** A question that names no call goes to the one caller that can have caused it, or to nobody's guess. */
  strayAsk(server: string): OnStrayAsk {
    return async (ask, inFlight: readonly InFlight[], signal) =>
      answerOf(await this.#ask(ask, { owner: attribute(inFlight), server }, signal));
  }

  async #permit({ server, tool, arguments: args, rules }: ResolvedCall, { caller, signal }: CallBy): Promise<void> {
    const { inbox, attended } = this.#options;
    const { effect, rule } = evaluate(rules, { server, tool }, caller.kind);
    if (effect === "allow") return;
    if (effect === "deny") throw new HostError("TOOL_DENIED", { server, tool, by: `rule ${rule?.text}` });
    if (!attended(caller)) throw new HostError("NOBODY_TO_ASK", { server, tool });
    const question = { type: "permission", owner: caller, server, tool, arguments: args } as const;
    const settlement = await inbox.ask({ ...question, ...(rule && { rule: rule.text }) }, signal);
    if (signal?.aborted) throw new HostError("CANCELLED", { reason: "the caller gave up" });
    if (settlement.by !== "answered") throw new HostError("TOOL_DENIED", { server, tool, by: unanswered(settlement) });
    const { answer } = settlement;
    if (answer.type === "permission" && answer.decision === "once") return;
    const reason = answer.type === "permission" && answer.decision === "no" ? answer.reason : undefined;
    throw new HostError("TOOL_DENIED", { server, tool, by: "the user", ...(reason !== undefined && { reason }) });
  }

  #ask(
    { elicitation }: Ask,
    about: { readonly owner: QuestionOwner; readonly server: string; readonly tool?: string },
    signal: AbortSignal,
  ): Promise<Settlement> {
    const { inbox, attended } = this.#options;
    if (about.owner !== "workspace" && !attended(about.owner)) return Promise.resolve({ by: "dismissed" });
    return inbox.ask({ type: "elicitation", elicitation, ...about }, signal);
  }

  #result({ server }: ResolvedCall, outcome: Ended): ToolResult {
    if (outcome.type === "failed") throw outcome.error;
    const result = outcome.type === "complete" ? readToolResult(outcome.result) : undefined;
    if (result) return result;
    const what = outcome.type === "task" ? "a task was started though none was offered" : "the result has no content";
    throw new HostError("UNEXPECTED_RESPONSE", { server, what });
  }
}

function unanswered(settlement: Settlement): string {
  return settlement.by === "deadline" ? "nobody's answer in time" : "the user, who dismissed the question";
}
