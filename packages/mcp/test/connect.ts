/** Opens a real connection for a test, and closes it when the test is over. */
import { Connection, Processes, systemClock } from "@plugboard/mcp";
import type {
  Ask,
  AskAnswer,
  CallContext,
  ConnectionLimits,
  ConnectionOptions,
  InFlight,
  Outcome,
  Session,
  Target,
} from "@plugboard/mcp";
import type { Caller, Era } from "@plugboard/contracts";
import { onTestFinished, vi } from "vitest";
import { tenTimesAsFast } from "./fast-clock.ts";

interface Stray {
  readonly ask: Ask;
  readonly inFlight: readonly InFlight[];
  readonly signal: AbortSignal;
}

export interface TestConnection {
  readonly connection: Connection;
  readonly session: Session;
  readonly strays: Stray[];
  readonly starts: () => number;
  readonly remembered: () => Era | undefined;
  /** Waits until the server has written that to stderr. */
  stderr(text: string): Promise<void>;
}

interface Options {
  readonly remembered?: Era;
  readonly limits?: Partial<ConnectionLimits>;
  readonly startupTimeoutMs?: number;
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly strayAnswer?: Promise<AskAnswer>;
  readonly headers?: { readonly [name: string]: string };
  /** Whatever else the test wants of the connection. */
  readonly also?: Partial<ConnectionOptions>;
  /** Registers the close: after the test by default, or after a group of tests. */
  readonly atEnd?: (close: () => Promise<void>) => void;
}

type Where = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

export function makeConnection(where: Where, options: Options = {}) {
  let era = options.remembered;
  const strays: Stray[] = [];
  const processes = new Processes(tenTimesAsFast);
  const start = vi.spyOn(processes, "start");
  const target: Target =
    "url" in where
      ? { transport: "http", url: where.url, headers: options.headers ?? {} }
      : { transport: "stdio", ...where, cwd: options.cwd ?? process.cwd(), env: options.env ?? {} };
  const connection = new Connection(
    {
      server: "tested",
      target,
      processes,
      clock: systemClock,
      identity: { name: "plugboard-test", version: "0.0.0" },
      startupTimeoutMs: options.startupTimeoutMs ?? 15_000,
      requestTimeoutMs: 15_000,
      eras: { get: () => era, set: (learnt) => void (era = learnt) },
      onStrayAsk: (ask, inFlight, signal) => {
        strays.push({ ask, inFlight, signal });
        return options.strayAnswer ?? Promise.resolve({ action: "decline" });
      },
      onChanged: () => {},
      ...options.also,
    },
    options.limits,
  );
  (options.atEnd ?? onTestFinished)(() => connection.stop());
  return { connection, strays, starts: () => start.mock.calls.length, remembered: () => era };
}

export async function connect(where: Where, options: Options = {}): Promise<TestConnection> {
  const made = makeConnection(where, options);
  const session = await made.connection.ready();
  return {
    ...made,
    session,
    stderr: (text) => vi.waitFor(() => assertIncludes(made.connection.stderrTail, text), { timeout: 10_000 }),
  };
}

export const ann: Caller = { kind: "program", id: "ann" };
export const bob: Caller = { kind: "program", id: "bob" };

export function call(session: Session, name: string, args = {}, ctx: Partial<CallContext> = {}): Promise<Outcome> {
  return session.request(
    { method: "tools/call", params: { name, arguments: args } },
    { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: true, ...ctx },
  );
}

export function asks(outcome: Outcome): Extract<Outcome, { type: "asks" }> {
  if (outcome.type !== "asks") throw new Error(`expected a question, got ${JSON.stringify(outcome)}`);
  return outcome;
}

/** The text of a complete outcome. */
export function text(outcome: Outcome): string {
  if (outcome.type !== "complete") throw new Error(`expected a result, got ${JSON.stringify(outcome)}`);
  const [block] = outcome.result["content"] as { text: string }[];
  return block?.text ?? "";
}

export function error(outcome: Outcome) {
  if (outcome.type !== "failed") throw new Error(`expected a failure, got ${JSON.stringify(outcome)}`);
  return outcome.error;
}

function assertIncludes(whole: string, part: string): void {
  if (!whole.includes(part)) throw new Error(`"${part}" is not in: ${whole}`);
}
