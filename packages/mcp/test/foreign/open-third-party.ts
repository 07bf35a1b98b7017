/** Opens one connection to a third-party server, for all tests of a describe. */
import { Connection } from "@plugboard/mcp";
import { systemClock } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";
import type { Ask, AskAnswer, CallContext, ConnectionOptions, Op, Outcome, Session, Target } from "@plugboard/mcp";
import type { Era, JsonObject, LogEntry, Root } from "@plugboard/contracts";
import { ann, expectSuspended, expectFailure } from "../helpers/connect.ts";

export interface ThirdPartyServer {
  readonly connection: Connection;
  readonly session: Session;
  /** All log entries of the server, with or without a known call. */
  readonly logs: LogEntry[];
  /** The questions outside of calls, which are declined. */
  readonly unattributed: Ask[];
  request(op: Op, ctx?: Partial<CallContext>): Promise<Outcome>;
  /** Returns the result. Throws if the request does not complete. */
  result(op: Op, ctx?: Partial<CallContext>): Promise<JsonObject>;
  /** Returns the error. Throws if the request does not fail. */
  failure(op: Op, ctx?: Partial<CallContext>): Promise<ReturnType<typeof expectFailure>>;
  close(): Promise<void>;
}

interface Options {
  readonly roots?: () => readonly Root[];
  readonly sampling?: boolean;
  /** The remembered era. */
  readonly era?: Era;
}

export async function openThirdParty(
  target: Target,
  { era, roots, sampling }: Options = {},
): Promise<ThirdPartyServer> {
  const logs: LogEntry[] = [];
  const unattributed: Ask[] = [];
  const onLog = (entry: LogEntry) => void logs.push(entry);
  const options: ConnectionOptions = {
    server: "foreign",
    target,
    processes: new Processes(systemClock),
    clock: systemClock,
    identity: { name: "plugboard-test", version: "0.0.0" },
    startupTimeoutMs: 15_000,
    requestTimeoutMs: 15_000,
    eraStore: { get: () => era, set: (learnt) => void (era = learnt) },
    onUnattributedRequest: (ask, inFlight) => {
      // There is only one caller, so a question belongs to an active call of that caller.
      const waiting = inFlight.find(({ active }) => active);
      if (waiting) return waiting;
      unattributed.push(ask);
      return Promise.resolve({ action: "decline" });
    },
    onChanged: () => {},
    clientCapabilities: { roots, sampling, onLog },
  };
  const connection = new Connection(options);
  const session = await connection.ready();
  const request = (op: Op, ctx: Partial<CallContext> = {}) =>
    session.request(op, { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: true, onLog, ...ctx });
  return {
    connection,
    session,
    logs,
    unattributed,
    request,
    result: async (op, ctx) => completed(await request(op, ctx)),
    failure: async (op, ctx) => expectFailure(await request(op, ctx)),
    close: () => connection.stop(),
  };
}

export function toolCallOp(name: string, args: JsonObject = {}): Op {
  return { method: "tools/call", params: { name, arguments: args } };
}

export function completed(outcome: Outcome): JsonObject {
  if (outcome.type !== "complete") throw new Error(`expected a result, got ${JSON.stringify(outcome)}`);
  return outcome.result;
}

/** Joins the text blocks of a result. */
export function contentText(result: JsonObject): string {
  const blocks = result["content"] as { readonly text?: string }[];
  return blocks.map(({ text = "" }) => text).join("\n");
}

/** Returns the only question of a suspended call. Throws if there is another number of questions. */
export function expectOneRequest(outcome: Outcome): { readonly ask: Ask; answer(answer: AskAnswer): Promise<Outcome> } {
  const suspended = expectSuspended(outcome);
  const [[key, ask] = [], ...others] = Object.entries(suspended.asks);
  if (key === undefined || ask === undefined || others.length > 0) throw new Error("expected one question");
  return { ask, answer: (answer) => suspended.resume({ [key]: answer }, {}) };
}
