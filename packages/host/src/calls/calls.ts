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
import type { Ask, Clock, Connection, InFlight, OnStrayAsk, Outcome, Resumed } from "@plugboard/mcp";
import type { Inbox } from "../inbox/inbox.ts";
import { evaluate } from "../policy/evaluate.ts";
import type { Rule } from "../policy/rule.ts";
import { attribute } from "./attribute.ts";
import { answerOf, drive } from "./drive.ts";
import type { Ended } from "./drive.ts";
import { relabel } from "./relabel.ts";
import { Turns } from "./turns.ts";

/** A call with its names resolved. */
export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly connection: Connection;
  readonly rules: readonly Rule[];
  /** Fires when the workspace it belongs to is let go. */
  readonly released: AbortSignal;
  readonly timeoutMs: number;
  readonly maxMs: number;
  /** It was permitted when it began, and goes on after a question. */
  readonly resumed?: Resumed | undefined;
}

export interface CallBy {
  readonly caller: Caller;
  /** Whether making the call is consenting to it, where no rule says otherwise. */
  readonly ownConsent: boolean;
  /** Whether whoever gets the outcome can be asked; unless given, whether the caller is attended. */
  readonly elicitation?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface CallsOptions {
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly newId: () => string;
  readonly state: (fact: HostFact) => void;
  /** Whether somebody is there to answer for that caller. */
  readonly attended: (caller: Caller) => boolean;
}

export class Calls {
  readonly #options: CallsOptions;
  readonly #turns: Turns;

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#turns = new Turns(options.clock);
  }

  async call(call: ResolvedCall, by: CallBy): Promise<ToolResult> {
    const { newId, state, clock } = this.#options;
    const { server, tool } = call;
    const about = { call: newId(), caller: by.caller, server, tool };
    const time = () => clock.steady?.() ?? clock.now();
    const began = time();
    state({ type: "call.started", ...about });
    try {
      const outcome = await drive(await this.request(call, by), {
        signal: by.signal,
        ask: (ask, signal) => this.#ask(ask, { owner: by.caller, server, tool }, signal).then(answerOf),
      });
      const result = this.#result(call, outcome);
      const isError = result.isError && ({ isError: true } as const);
      state({ type: "call.ended", ...about, outcome: "complete", ...isError, durationMs: time() - began });
      return result;
    } catch (thrown) {
      const error = relabel(toHostError(thrown), server);
      state({ type: "call.ended", ...about, outcome: "failed", code: error.code, durationMs: time() - began });
      throw error;
    }
  }

  /** Undriven: what the server asks comes back as an outcome, for callers that pass questions on themselves. */
  async request(call: ResolvedCall, by: CallBy): Promise<Outcome> {
    const { caller, signal, onProgress, elicitation = this.#options.attended(caller) } = by;
    const { server, tool, connection, timeoutMs, maxMs, resumed } = call;
    try {
      if (!resumed) await this.#permit(call, by);
      await connection.ready(signal);
      if (!connection.catalog.tools.some((offered) => offered.name === tool)) {
        throw new HostError("TOOL_NOT_FOUND", { tool: `${server}:${tool}` });
      }
      const turn = { server, caller, signal, patienceMs: timeoutMs, needed: () => connection.needsTurns };
      const endTurn = await this.#turns.take(connection, turn);
      const outcome = await connection.request(
        { method: "tools/call", params: { name: tool, arguments: call.arguments, ...(resumed && { resumed }) } },
        { caller, signal, onProgress, timeoutMs, maxMs, elicitation, tasks: true, onSettled: endTurn },
      );
      // It may have failed before a server was at it.
      if (outcome.type === "failed") endTurn();
      return outcome;
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  /** A question that names no call goes to the one caller that can have caused it, or to nobody's guess. */
  strayAsk(server: string): OnStrayAsk {
    return (ask, inFlight: readonly InFlight[], signal) => {
      const owner = attribute(inFlight);
      const front = owner !== "workspace" && owner.kind === "front";
      // A front can be asked only in a call of its own; which of them does not matter to the server.
      const call = front ? inFlight.findLast((one) => one.live) : undefined;
      if (call) return call;
      return this.#ask(ask, { owner: front ? "workspace" : owner, server }, signal).then(answerOf);
    };
  }

  async #permit(
    { server, tool, arguments: args, rules, released }: ResolvedCall,
    { caller, ownConsent, signal }: CallBy,
  ): Promise<void> {
    const { inbox, attended } = this.#options;
    const { effect, rule } = evaluate(rules, { server, tool, arguments: args }, { ownConsent });
    if (effect === "allow") return;
    if (effect === "deny") throw new HostError("TOOL_DENIED", { server, tool, by: `rule ${rule?.text}` });
    if (!attended(caller)) throw new HostError("NOBODY_TO_ASK", { server, tool });
    const question = { type: "permission", owner: caller, server, tool, arguments: args } as const;
    const over = signal ? AbortSignal.any([signal, released]) : released;
    const settlement = await inbox.ask({ ...question, ...(rule && { rule: rule.text }) }, over);
    if (released.aborted) throw new HostError("HOST_CLOSED", {});
    if (signal?.aborted) throw new HostError("CANCELLED", { reason: "the caller gave up" });
    if (settlement.by !== "answered") throw new HostError("TOOL_DENIED", { server, tool, by: unanswered(settlement) });
    const { answer } = settlement;
    if (answer.type === "permission" && answer.decision !== "no") return;
    const reason = answer.type === "permission" && answer.decision === "no" ? answer.reason : undefined;
    throw new HostError("TOOL_DENIED", { server, tool, by: "the user", ...(reason !== undefined && { reason }) });
  }

  #ask(
    ask: Ask,
    about: { readonly owner: QuestionOwner; readonly server: string; readonly tool?: string },
    signal: AbortSignal,
  ): Promise<Settlement> {
    const { inbox, attended, state } = this.#options;
    const { owner } = about;
    // The model is nobody's to lend yet; no server is told that it could be.
    if (ask.type === "sampling") return Promise.resolve({ by: "dismissed" });
    const { elicitation } = ask;
    if (owner !== "workspace" && !attended(owner)) {
      state({ type: "question.unattended", ...about, owner, message: elicitation.message });
      return Promise.resolve({ by: "dismissed" });
    }
    return inbox.ask({ type: "elicitation", elicitation, ...about }, signal);
  }

  #result({ server }: ResolvedCall, outcome: Ended): ToolResult {
    if (outcome.type === "failed") throw outcome.error;
    const result = readToolResult(outcome.result);
    if (result) return result;
    throw new HostError("UNEXPECTED_RESPONSE", { server, what: "the result has no content" });
  }
}

function unanswered(settlement: Settlement): string {
  return settlement.by === "deadline" ? "nobody's answer in time" : "the user, who dismissed the question";
}
