/**
 * The one way in for every call, whoever makes it: permission, arguments, then
 * the connection, where what was permitted is compared with what the server
 * offers now, then the session. `request` ends in an outcome that may ask;
 * `call` drives it to the end through the inbox.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { Caller, JsonObject, Progress, Tool, ToolResult } from "@plugboard/contracts";
import { readToolResult } from "@plugboard/mcp";
import type { Clock, Connection, InFlight, Lending, OnStrayAsk, Outcome, Resumed } from "@plugboard/mcp";
import { isHarmless } from "../policy/harmless.ts";
import { permit, permitNow } from "../policy/permit.ts";
import type { CallToPermit, PermitPorts } from "../policy/permit.ts";
import type { Policy } from "../policy/policy.ts";
import { toolOff } from "../tools/found-tool.ts";
import type { FoundTool } from "../tools/found-tool.ts";
import type { Pins } from "../tools/pin.ts";
import { askUser } from "./ask-user.ts";
import type { AskPorts } from "./ask-user.ts";
import { attribute } from "./attribute.ts";
import type { CallRecord, CallRecords } from "./call-records.ts";
import { drive } from "./drive.ts";
import { relabel } from "./relabel.ts";
import { runNative } from "./run-native.ts";
import type { Problem, Verdict } from "./schemas/problem.ts";
import type { SchemaChecks } from "./schemas/schema-checks.ts";
import type { Turns } from "./turns.ts";

/** A call with its names resolved. */
export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What the tool is now; nothing while that is not known. */
  readonly find: () => FoundTool | undefined;
  /** Nothing for a tool of the program's own. */
  readonly connection: Connection | undefined;
  readonly logIn: LogIn | undefined;
  /** As the rules are now. */
  readonly policy: () => Policy;
  /** The hash of the server's definition. */
  readonly definitionHash: string;
  /** Whether what the server says of its tools counts. */
  readonly trustsAnnotations: boolean;
  /** Whether the server's definition lets it use the model. */
  readonly sampling: boolean;
  /** Fires when the workspace it belongs to is let go. */
  readonly released: AbortSignal;
  readonly timeoutMs: number;
  readonly maxMs: number;
  /** It was permitted when it began, and goes on after a question. */
  readonly resumed?: Resumed | undefined;
}

/**
 * Whoever made the call is asked to log in where the server wants that. True if they have, and the
 * call, which has not run, may be sent again; rejects if they could not.
 */
export type LogIn = (error: HostError, by: Pick<CallBy, "caller" | "signal">) => Promise<boolean>;

/** How often one call makes somebody log in. */
export const MAX_LOGINS = 3;

export interface CallBy {
  readonly caller: Caller;
  /** Whether making the call is consenting to it, where no rule says otherwise. */
  readonly ownConsent: boolean;
  /** Whether whoever gets the outcome can be asked, or for a text of its model; unless given, as the caller is attended. */
  readonly elicitation?: boolean | undefined;
  readonly sampling?: Lending | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface CallsOptions extends AskPorts, Pick<PermitPorts, "decisions"> {
  readonly clock: Clock;
  readonly turns: Turns;
  readonly pins: Pins;
  readonly checks: SchemaChecks;
  readonly records: CallRecords;
}

export class Calls {
  readonly #options: CallsOptions;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  async call(call: ResolvedCall, by: CallBy): Promise<ToolResult> {
    const { server, tool } = call;
    let outcome = await this.request(call, by);
    if (outcome.type === "asks" || outcome.type === "task") {
      const ask = askUser({ owner: by.caller, server, tool }, this.#options);
      outcome = await drive(outcome, { signal: by.signal, ask });
    }
    if (outcome.type === "failed") throw outcome.error;
    return readToolResult(outcome.result)!;
  }

  /** Undriven: what the server asks comes back as an outcome, for callers that pass questions on themselves. */
  async request(call: ResolvedCall, by: CallBy): Promise<Outcome> {
    const { server, tool } = call;
    const { records } = this.#options;
    const resumed = call.resumed?.call;
    const known = resumed === undefined ? undefined : records.goOn(resumed);
    const record = known ?? records.begin({ server, tool, caller: by.caller });
    let outcome: Outcome;
    try {
      outcome = await this.#send(call, by, record);
    } catch (thrown) {
      outcome = { type: "failed", error: toHostError(thrown) };
    }
    return this.#followed(outcome, call, record);
  }

  /** A question that names no call goes to the one caller that can have caused it, or to nobody's guess. */
  strayAsk(server: string): OnStrayAsk {
    return (ask, inFlight: readonly InFlight[], signal) => {
      const owner = attribute(inFlight);
      const front = owner !== "workspace" && owner.kind === "front";
      // A front can be asked only in a call of its own; which of them does not matter to the server.
      const call = front ? inFlight.findLast((one) => one.live) : undefined;
      if (call) return call;
      return askUser({ owner: front ? "workspace" : owner, server }, this.#options)(ask, signal);
    };
  }

  close(): void {
    this.#options.records.close();
  }

  async #send(call: ResolvedCall, by: CallBy, record: CallRecord): Promise<Outcome> {
    const { connection, resumed } = call;
    const shown = call.find()?.definition;
    // Of a tool that is not known yet, a person is asked once it is.
    const permitted = !resumed && (shown || this.#isDenied(call, by)) ? this.#permit(call, by, shown) : undefined;
    if (permitted) await permitted;
    if (!connection) return this.#runNative(call, by);
    let known = shown;
    for (let logins = 0; ; logins++) {
      let refusal: HostError;
      try {
        const readied = await this.#readied(call, connection, by, known);
        known = readied.definition;
        const outcome = await this.#sendTo(connection, call, by, record, readied);
        // It may have failed before a server was at it.
        if (outcome.type === "failed") readied.endTurn();
        if (outcome.type !== "failed" || outcome.error.code !== "AUTH_REQUIRED") return outcome;
        refusal = outcome.error;
      } catch (thrown) {
        refusal = toHostError(thrown);
        if (refusal.code !== "AUTH_REQUIRED") throw refusal;
      }
      if (logins === MAX_LOGINS || !(await call.logIn?.(refusal, by))) throw refusal;
    }
  }

  #sendTo(
    connection: Connection,
    call: ResolvedCall,
    by: CallBy,
    record: CallRecord,
    { definition, arguments: args, endTurn }: Readied,
  ): Promise<Outcome> {
    const { tool, timeoutMs, maxMs, resumed } = call;
    const { caller, signal, onProgress } = by;
    const { elicitation, sampling } = this.#lent(call, by);
    return connection.request(
      {
        method: "tools/call",
        params: resumed ? { name: tool, arguments: args, resumed } : { name: tool, arguments: args },
      },
      {
        caller,
        signal,
        onProgress,
        timeoutMs,
        maxMs,
        elicitation,
        sampling,
        tasks: true,
        repeatable: call.trustsAnnotations && isRepeatable(definition),
        trace: record.trace,
        onSettled: endTurn,
      },
    );
  }

  /**
   * The server runs, the arguments fit, and it is the call's turn: all for the same definition, which is the one that
   * was permitted. One that became another meanwhile is permitted anew.
   */
  async #readied(call: ResolvedCall, connection: Connection, by: CallBy, shown: Tool | undefined): Promise<Readied> {
    const { server, resumed, timeoutMs: patienceMs } = call;
    const { caller, signal } = by;
    const turn = { server, caller, signal, patienceMs, needed: () => connection.needsTurns };
    let permitted = shown;
    for (;;) {
      if (connection.state.phase !== "ready") await connection.ready(signal);
      const found = call.find();
      if (!found) throw notFound(call);
      // That it is excluded may be known only now that the server has listed it.
      if (found.excluded || found.off) throw toolOff(found);
      const { definition } = found;
      const again = !resumed && this.#isAnother(permitted, definition) ? this.#permit(call, by, definition) : undefined;
      permitted = definition;
      if (again) await again;
      const args = this.#argumentsFor(definition, call);
      const checked = this.#check(definition, args, call);
      if (checked) await checked;
      const taken = this.#options.turns.take(connection, turn);
      const endTurn = taken instanceof Promise ? await taken : taken;
      const isSame = !this.#isAnother(definition, call.find()?.definition);
      if (connection.state.phase === "ready" && isSame) return { definition, arguments: args, endTurn };
      endTurn();
    }
  }

  async #runNative(call: ResolvedCall, by: CallBy): Promise<Outcome> {
    const found = call.find();
    if (!found?.native) throw notFound(call);
    const args = this.#argumentsFor(found.definition, call);
    await this.#check(found.definition, args, call);
    return runNative(found.native, args, by);
  }

  /** Returns equal arguments for equal definitions, so the permitted arguments are the ones checked and sent. */
  #argumentsFor(definition: Tool, { arguments: args }: ResolvedCall): JsonObject {
    return this.#options.checks.effectiveArguments(definition, args);
  }

  #lent({ sampling: allowed }: ResolvedCall, by: CallBy) {
    const { attended, sampling: lending } = this.#options;
    const { caller, elicitation = attended(caller), sampling = lending?.offeredTo(caller) ?? false } = by;
    return { elicitation, sampling: allowed && sampling };
  }

  /** Whatever its server says of the tool. */
  #isDenied(call: ResolvedCall, { ownConsent }: CallBy): boolean {
    return call.policy().evaluate(call, { ownConsent }).effect === "deny";
  }

  /** Nothing if it may run; where somebody has to be asked, or it may not, a promise that says so. */
  #permit(call: ResolvedCall, by: CallBy, definition: Tool | undefined): Promise<void> | undefined {
    const { pins, attended } = this.#options;
    const { server, tool, policy, definitionHash, trustsAnnotations, released } = call;
    const { caller, ownConsent, signal } = by;
    const asked: CallToPermit = {
      server,
      tool,
      arguments: definition ? this.#argumentsFor(definition, call) : call.arguments,
      caller,
      definition,
      pin: definition && pins.pinOf(definition),
      definitionHash,
      policy: policy(),
      defaults: { ownConsent, harmless: isHarmless(trustsAnnotations, definition?.annotations) },
      attended: attended(caller),
      signal,
      released,
    };
    if (permitNow(asked, this.#options)) return undefined;
    return permit(asked, this.#options).then(() => {
      // While somebody thought about it, a rule may have been written that denies it.
      const now = { ...asked, policy: policy() };
      return now.policy !== asked.policy && this.#isDenied(call, by) ? permit(now, this.#options) : undefined;
    });
  }

  /** A server that lists anew makes new objects; what counts is what they say. */
  #isAnother(before: Tool | undefined, after: Tool | undefined): boolean {
    const { pins } = this.#options;
    return before !== after && !(before && after && pins.pinOf(before) === pins.pinOf(after));
  }

  #check(definition: Tool, args: JsonObject, call: ResolvedCall): Promise<void> | undefined {
    const verdict = this.#options.checks.arguments(definition, args);
    if (verdict instanceof Promise) return verdict.then((late) => refuse(late, call));
    refuse(verdict, call);
    return undefined;
  }

  /** To its end, however many questions it takes: there the result is checked, and the call is over. */
  #followed(outcome: Outcome, call: ResolvedCall, record: CallRecord): Outcome | Promise<Outcome> {
    switch (outcome.type) {
      case "asks": {
        const { records } = this.#options;
        const { portable } = outcome;
        if (portable) records.letGo(record);
        return {
          ...outcome,
          ...(portable && { portable: { ...portable, call: record.id } }),
          resume: async (answers, ctx) => {
            records.goOn(record.id);
            return this.#followed(await outcome.resume(answers, ctx), call, record);
          },
          abandon: (reason) => {
            records.goOn(record.id);
            outcome.abandon(reason);
            record.ended({ type: "failed", error: new HostError("CANCELLED", { reason }) });
          },
        };
      }
      case "task":
        return { ...outcome, follow: async (ctx) => this.#followed(await outcome.follow(ctx), call, record) };
      case "complete": {
        const { server, tool } = call;
        if (!readToolResult(outcome.result)) {
          return over(unexpected(server, `the result of "${tool}" has no content`), record);
        }
        const definition = call.find()?.definition;
        if (!definition?.outputSchema || outcome.result["isError"] === true) return over(outcome, record);
        return this.#checked(outcome, definition, call).then((checked) => over(checked, record));
      }
      case "failed":
        return over({ type: "failed", error: relabel(outcome.error, call.server) }, record);
    }
  }

  /** A result that is not what the tool promised is a defect of the server. */
  async #checked(outcome: Complete, definition: Tool, call: ResolvedCall): Promise<Complete | Failed> {
    const verdict = await this.#options.checks.result(definition, outcome.result["structuredContent"]);
    if (verdict.ok) return outcome;
    const what = `the result of "${call.tool}" does not fit its output schema: ${sentence(verdict.problems)}`;
    return unexpected(call.server, what);
  }
}

interface Readied {
  readonly definition: Tool;
  readonly arguments: JsonObject;
  readonly endTurn: () => void;
}

type Complete = Extract<Outcome, { type: "complete" }>;
type Failed = Extract<Outcome, { type: "failed" }>;

function over(ended: Complete | Failed, record: CallRecord): Complete | Failed {
  record.ended(ended);
  return ended;
}

function refuse(verdict: Verdict, { server, tool }: ResolvedCall): void {
  if (verdict.ok) return;
  throw new HostError("INVALID_ARGUMENTS", { what: sentence(verdict.problems), tool: `${server}:${tool}` });
}

function sentence(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path === "" ? message : `"${path}" ${message}`)).join("; ");
}

function unexpected(server: string, what: string): Failed {
  return { type: "failed", error: new HostError("UNEXPECTED_RESPONSE", { server, what }) };
}

function notFound({ server, tool }: ResolvedCall): HostError {
  return new HostError("TOOL_NOT_FOUND", { tool: `${server}:${tool}` });
}

/** By the server's word, which counts only where the user says so. */
function isRepeatable({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
