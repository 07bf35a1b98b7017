/** Servers of a workspace for a test, over real connections, with everything that asks something of them. */
import { Inbox } from "#inbox/inbox.js";
import { Ops } from "#calls/ops.js";
import { LENT, Sampling } from "#calls/sampling.js";
import type { ModelPort } from "#calls/sampling.js";
import { Turns } from "#calls/turns.js";
import { Completions } from "#workspace/completion.js";
import { OverAllServers } from "#workspace/over-all-servers.js";
import { Prompts } from "#workspace/prompts.js";
import type { Reach, ReachedServer } from "#workspace/reach.js";
import { Resources } from "#workspace/resources.js";
import { HostError } from "@plugboard/contracts";
import type { Answer, Caller, HostFact, Question } from "@plugboard/contracts";
import { Connection, Processes, serveInProcess, systemClock } from "@plugboard/mcp";
import type { Clock, ConnectionOptions, ServerObject, Target } from "@plugboard/mcp";
import { offeringServer } from "@plugboard/testkit/offering-server";
import type { Offers } from "@plugboard/testkit/offering-server";
import { startModernHttp } from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, onTestFinished } from "vitest";

export const ann: Caller = { kind: "program", id: "ann" };
export const bob: Caller = { kind: "chat", id: "bob" };

export interface TestServer {
  readonly target: Target;
  readonly also?: Partial<ConnectionOptions>;
  readonly sampling?: boolean;
  readonly disabled?: boolean;
}

export interface Options {
  readonly clock?: Clock;
  /** Answers every question; without it nobody is there. */
  readonly answer?: (question: Question) => Answer | undefined | Promise<Answer | undefined>;
  readonly model?: ModelPort;
}

export function inProcess(object: ServerObject): TestServer {
  return { target: { transport: "in-process", id: crypto.randomUUID(), connect: () => serveInProcess(object) } };
}

export function offering(offers: Offers): TestServer & { readonly asked: string[] } {
  const { server, asked } = offeringServer(offers);
  return { ...inProcess(server), asked };
}

export function stdio(command: { readonly command: string; readonly args: readonly string[] }): TestServer {
  return { target: { transport: "stdio", ...command, cwd: process.cwd(), env: {} } };
}

/** Starts the modern fixture over HTTP once for all tests of a file. */
export function sharedModern(): () => TestServer {
  let running: RunningServer;
  beforeAll(async () => void (running = await startModernHttp()));
  afterAll(() => running.close());
  return () => ({ target: { transport: "http", url: running.url, headers: {} } });
}

export function reachServers(servers: { readonly [id: string]: TestServer }, options: Options = {}) {
  const facts: HostFact[] = [];
  const state = (fact: HostFact) => void facts.push(fact);
  const inbox = new Inbox({ clock: systemClock, newId: () => crypto.randomUUID(), state });
  const { answer, model, clock = systemClock } = options;
  if (answer) {
    inbox.watch((question) => {
      const owner = question.owner === "workspace" ? ann : question.owner;
      void Promise.resolve(answer(question)).then((given) => given && inbox.answer(question.id, given, owner));
    });
  }
  const attended = () => answer !== undefined;
  const sampling = model && new Sampling({ inbox, state, attended, model });
  const ports = { inbox, state, attended, sampling };
  const ops = new Ops({ ...ports, turns: new Turns(systemClock) });
  const connections = new Map(Object.entries(servers).map(([id, server]) => [id, connectionTo(server)]));
  const reached = (id: string): ReachedServer => ({
    id,
    timeouts: { timeoutMs: 15_000, maxMs: 60_000 },
    sampling: servers[id]?.sampling ?? false,
    connection: () => {
      const connection = connections.get(id);
      if (!connection || servers[id]?.disabled) throw new HostError("SERVER_DISABLED", { server: id });
      return connection;
    },
  });
  const reach: Reach = {
    servers: () => Object.keys(servers).map(reached),
    one: (id) => {
      if (!(id in servers)) throw new HostError("SERVER_UNKNOWN", { server: id, known: Object.keys(servers) });
      return reached(id);
    },
  };
  const over = new OverAllServers({ reach, clock });
  return {
    facts,
    ports,
    ops,
    reach,
    connection: (id: string) => reached(id).connection() as Connection,
    resources: new Resources({ reach, over, ops }),
    prompts: new Prompts({ reach, over, ops }),
    completions: new Completions({ reach, ops }),
  };
}

/** Known to itself by another name than its workspace has for it. */
function connectionTo({ target, also, sampling = false }: TestServer): Connection {
  const connection = new Connection({
    server: "as-first-opened",
    target,
    processes: new Processes(systemClock),
    clock: systemClock,
    identity: { name: "plugboard-test", version: "0.0.0" },
    startupTimeoutMs: 15_000,
    requestTimeoutMs: 15_000,
    eras: { get: () => undefined, set: () => {} },
    onStrayAsk: () => Promise.resolve({ action: "cancel" }),
    onChanged: () => {},
    lends: { sampling: sampling && LENT },
    ...also,
  });
  onTestFinished(() => connection.stop());
  return connection;
}
