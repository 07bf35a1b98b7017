/**
 * Requests to one server that are no tool calls: reading a resource, filling in
 * a prompt, completing an argument. `request` ends in an outcome that may ask;
 * `run` drives it to its result, asking whoever made the request.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Caller, JsonObject, Progress } from "@plugboard/contracts";
import type { CallContext, Connection, Lending, Op, Outcome } from "@plugboard/mcp";
import { askUser } from "./ask-user.ts";
import type { AskPorts } from "./ask-user.ts";
import { MAX_LOGINS } from "./calls.ts";
import type { LogIn } from "./calls.ts";
import { drive } from "./drive.ts";
import { relabel } from "./relabel.ts";
import type { Turns } from "./turns.ts";

/** A server as a request needs it, under the name its workspace has for it. */
export interface OpTarget {
  readonly server: string;
  readonly connection: Connection;
  readonly timeoutMs: number;
  readonly maxMs: number;
  /** Whether its definition lets it use the model. */
  readonly sampling?: boolean | undefined;
  readonly logIn?: LogIn | undefined;
}

export interface OpBy {
  readonly caller: Caller;
  /** Whether whoever gets the outcome can be asked, or for a text of the model; unless given, as the caller is attended. */
  readonly elicitation?: boolean | undefined;
  readonly sampling?: Lending | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export type ServerOp = Extract<Op, { method: "resources/read" | "prompts/get" | "completion/complete" }>;

export interface OpsOptions extends AskPorts {
  /** The same as of the tool calls: a server that asks without naming the call can't tell one from the other. */
  readonly turns: Turns;
}

export class Ops {
  readonly #options: OpsOptions;

  constructor(options: OpsOptions) {
    this.#options = options;
  }

  /** Ends in the result or throws a `HostError` that names the server as its workspace does. */
  async run(op: ServerOp, target: OpTarget, by: OpBy): Promise<JsonObject> {
    const { server } = target;
    const ask = askUser({ owner: by.caller, server }, this.#options);
    const ended = await drive(await this.request(op, target, by), { signal: by.signal, ask });
    if (ended.type === "failed") throw relabel(ended.error, server);
    return ended.result;
  }

  /** Undriven: what the server asks comes back as an outcome, for callers that pass questions on themselves. */
  async request(op: ServerOp, target: OpTarget, by: OpBy): Promise<Outcome> {
    for (let logins = 0; ; logins++) {
      const outcome = await this.#request(op, target, by);
      if (outcome.type !== "failed" || outcome.error.code !== "AUTH_REQUIRED" || logins === MAX_LOGINS) return outcome;
      try {
        if (!(await target.logIn?.(outcome.error, by))) return outcome;
      } catch (thrown) {
        return { type: "failed", error: toHostError(thrown) };
      }
    }
  }

  async #request(op: ServerOp, target: OpTarget, by: OpBy): Promise<Outcome> {
    const { caller, signal } = by;
    const { server, connection, timeoutMs } = target;
    try {
      if (signal?.aborted) throw new HostError("CANCELLED", { reason: "the caller gave up" });
      // A completion asks nothing, so it need not wait for its turn.
      if (op.method === "completion/complete") return await connection.request(op, this.#context(target, by));
      await connection.ready(signal);
      const turn = { server, caller, signal, patienceMs: timeoutMs, needed: () => connection.needsTurns };
      const endTurn = await this.#options.turns.take(connection, turn);
      const outcome = await connection.request(op, { ...this.#context(target, by), onSettled: endTurn });
      // It may have failed before a server was at it, or be known from before.
      if (outcome.type === "failed" || outcome.type === "complete") endTurn();
      return outcome;
    } catch (thrown) {
      return { type: "failed", error: toHostError(thrown) };
    }
  }

  #context({ timeoutMs, maxMs, sampling: allowed = false }: OpTarget, by: OpBy): CallContext {
    const { attended, sampling: lending } = this.#options;
    const { caller, signal, onProgress } = by;
    const { elicitation = attended(caller), sampling = lending?.offeredTo(caller) ?? false } = by;
    return { caller, signal, onProgress, timeoutMs, maxMs, elicitation, sampling: allowed && sampling };
  }
}
