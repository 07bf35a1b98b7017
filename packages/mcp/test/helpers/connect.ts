/** Opens a real connection for a test and closes it after the test. */
import { Connection } from "@plugboard/mcp";
import { systemClock } from "@plugboard/contracts";
import { Processes } from "@plugboard/mcp/process";
import type {
  Ask,
  AskAnswer,
  CallContext,
  ConnectionLimits,
  ConnectionOptions,
  CallInFlight,
  Outcome,
  Session,
  Target,
} from "@plugboard/mcp";
import type { Caller, Era } from "@plugboard/contracts";
import { onTestFinished, vi } from "vitest";
import { fastClock } from "./fast-clock.ts";

interface UnattributedRequest {
  readonly ask: Ask;
  readonly inFlight: readonly CallInFlight[];
  readonly signal: AbortSignal;
}

export interface TestConnection {
  readonly connection: Connection;
  readonly session: Session;
  readonly unattributed: UnattributedRequest[];
  readonly startCount: () => number;
  readonly knownEra: () => Era | undefined;
  /** Waits until the server has written the text to stderr. */
  waitForStderr(text: string): Promise<void>;
}

interface Options {
  readonly knownEra?: Era;
  readonly limits?: Partial<ConnectionLimits>;
  readonly startupTimeoutMs?: number;
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly unattributedAnswer?: Promise<AskAnswer>;
  readonly headers?: { readonly [name: string]: string };
  /** Further options of the connection. */
  readonly overrides?: Partial<ConnectionOptions>;
  /** Registers the function that closes the connection: after the test by default, or after a group of tests. */
  readonly atEnd?: (close: () => Promise<void>) => void;
}

type TestTarget = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

export function makeConnection(testTarget: TestTarget, options: Options = {}) {
  let era = options.knownEra;
  const unattributed: UnattributedRequest[] = [];
  const processes = new Processes(fastClock);
  const start = vi.spyOn(processes, "start");
  const target: Target =
    "url" in testTarget
      ? { transport: "http", url: testTarget.url, headers: options.headers ?? {} }
      : { transport: "stdio", ...testTarget, cwd: options.cwd ?? process.cwd(), env: options.env ?? {} };
  const connection = new Connection(
    {
      server: "tested",
      target,
      processes,
      clock: systemClock,
      identity: { name: "plugboard-test", version: "0.0.0" },
      startupTimeoutMs: options.startupTimeoutMs ?? 15_000,
      requestTimeoutMs: 15_000,
      eraStore: { get: () => era, set: (stored) => void (era = stored) },
      onUnattributedRequest: (ask, inFlight, signal) => {
        unattributed.push({ ask, inFlight, signal });
        return options.unattributedAnswer ?? Promise.resolve({ action: "decline" });
      },
      onChanged: () => {},
      ...options.overrides,
    },
    options.limits,
  );
  (options.atEnd ?? onTestFinished)(() => connection.stop());
  return { connection, unattributed, startCount: () => start.mock.calls.length, knownEra: () => era };
}

export async function connect(testTarget: TestTarget, options: Options = {}): Promise<TestConnection> {
  const created = makeConnection(testTarget, options);
  const session = await created.connection.ready();
  return {
    ...created,
    session,
    waitForStderr: (text) => vi.waitFor(() => assertIncludes(created.connection.stderrTail, text), { timeout: 10_000 }),
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

export function expectSuspended(outcome: Outcome): Extract<Outcome, { type: "asks" }> {
  if (outcome.type !== "asks") throw new Error(`expected a question, got ${JSON.stringify(outcome)}`);
  return outcome;
}

/** Returns the text of a complete outcome. */
export function expectText(outcome: Outcome): string {
  if (outcome.type !== "complete") throw new Error(`expected a result, got ${JSON.stringify(outcome)}`);
  const [block] = outcome.result["content"] as { text: string }[];
  return block?.text ?? "";
}

export function expectFailure(outcome: Outcome) {
  if (outcome.type !== "failed") throw new Error(`expected a failure, got ${JSON.stringify(outcome)}`);
  return outcome.error;
}

function assertIncludes(whole: string, part: string): void {
  if (!whole.includes(part)) throw new Error(`"${part}" is not in: ${whole}`);
}
