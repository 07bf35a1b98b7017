/** An official client that makes random calls in several parallel loops (lanes) and checks every answer. */
import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "@plugboard/testkit/seeded-random";
import { CRASHING } from "./load-servers.ts";
import type { LoadCall, LoadServers } from "./load-servers.ts";
import { openClient } from "./official-clients.ts";
import type { ClientKind } from "./official-clients.ts";

/** The counts of all clients together. */
export interface Tally {
  calls: number;
  answeredQuestions: number;
  /** Calls that a crash interrupted. */
  interrupted: number;
  /** How often each kind of failure happened. The test expects none. */
  readonly failures: { [kind: string]: number };
  /** The times at which the test has crashed the server. */
  readonly crashes: number[];
}

const LANES = 3;
const LONGEST_PAUSE_MS = 200;
/** A host that closes idle connections after 5 s, Node's default, would lose a request after this pause. */
const IDLE_PAUSE_MS = 5000;
/** A call that takes longer fails the test, even if it waits for the questions of other clients. */
const CALL_LIMIT_MS = 30_000;
/** A call that starts within this time after a crash may still be sent to the dead process. */
const NOTICE_MS = 500;

export async function openLoadClient(
  id: number,
  kind: ClientKind,
  { host, calls }: LoadServers,
  tally: Tally,
): Promise<{ run(until: number): Promise<void>; close(): Promise<void> }> {
  /** The names that this client gave as answers, and that no result has returned yet. */
  const given = new Set<string>();
  let questions = 0;
  const client = await openClient(kind, host, () => {
    const name = `client ${id}, answer ${questions++}`;
    given.add(name);
    return { action: "accept", content: { name } };
  });

  async function lane(index: number, until: number): Promise<void> {
    const random = seededRandom(id * LANES + index);
    while (Date.now() < until) {
      const number = Math.floor(random() * 1e9);
      const call = calls[Math.floor(random() * calls.length)]!(number);
      await make(call);
      const idle = random() < 0.01 ? IDLE_PAUSE_MS : 0;
      await delay(idle + random() * LONGEST_PAUSE_MS);
    }
  }

  async function make({ server, tool, args, expected }: LoadCall): Promise<void> {
    const startedAt = Date.now();
    tally.calls++;
    const signal = AbortSignal.timeout(CALL_LIMIT_MS);
    try {
      const text = await client.call(`${server}__${tool}`, args, signal);
      if (typeof expected === "string" ? text !== expected : !matches(text, expected))
        fail(`${server} ${tool}: ${text}`);
    } catch (error) {
      if (wasInterrupted(server, error, startedAt)) tally.interrupted++;
      else fail(`${server} ${tool}: ${describe(error)}`);
    }
  }

  function matches(text: string, expected: RegExp): boolean {
    const [match, name] = expected.exec(text) ?? [];
    if (name === undefined) return match !== undefined;
    // A name of another client, or one that came back already, is a wrong result.
    if (!given.delete(name)) return false;
    tally.answeredQuestions++;
    return true;
  }

  function wasInterrupted(server: string, error: unknown, startedAt: number): boolean {
    const { data } = error as { data?: { plugboard?: string } };
    return (
      server === CRASHING &&
      data?.plugboard === "SERVER_CRASHED" &&
      tally.crashes.some((at) => startedAt < at + NOTICE_MS && Date.now() > at)
    );
  }

  function fail(reason: string): void {
    const failure = `${kind}: ${reason}`;
    tally.failures[failure] = (tally.failures[failure] ?? 0) + 1;
  }

  return {
    run: async (until) => void (await Promise.all(Array.from({ length: LANES }, (_, index) => lane(index, until)))),
    close: () => client.close(),
  };
}

function describe(error: unknown): string {
  const { code, data, message, cause } = error as Error & { code?: unknown; data?: { plugboard?: string } };
  return [code, data?.plugboard, message, (cause as Error | undefined)?.message].filter(Boolean).join(" ");
}
