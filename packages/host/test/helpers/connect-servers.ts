/** Connects test servers and returns their resources, prompts and completions, as a workspace would. */
import { makeTelemetry } from "./make-telemetry.ts";
import { QuestionInbox } from "#inbox/question-inbox.js";
import { ServerRequests } from "#calls/server-requests.js";
import type { RequestTarget } from "#calls/server-requests.js";
import { SAMPLING_WITH_TOOLS, Sampling } from "#calls/sampling.js";
import type { ModelPort } from "#calls/sampling.js";
import { CallerQueue } from "#calls/caller-queue.js";
import { ServerCompletions } from "#catalog/server-completions.js";
import { ServerPrompts } from "#catalog/server-prompts.js";
import type { RequestTargets } from "#catalog/list-across-servers.js";
import { ServerResources } from "#catalog/server-resources.js";
import { HostError, systemClock } from "@plugboard/contracts";
import type { Answer, Caller, HostEventData, Question, Clock } from "@plugboard/contracts";
import { Connection, serveInProcess } from "@plugboard/mcp";
import { Processes } from "@plugboard/mcp/process";
import type { ConnectionOptions, ServerObject, Target } from "@plugboard/mcp";
import { resourcePromptServer } from "@plugboard/testkit/resource-prompt-server";
import type { ResourcePromptOptions } from "@plugboard/testkit/resource-prompt-server";
import { startModernHttp } from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, onTestFinished } from "vitest";

export const ann: Caller = { kind: "program", id: "ann" };
export const bob: Caller = { kind: "chat", id: "bob" };

export interface TestServer {
  readonly target: Target;
  /** Replaces options of the connection. */
  readonly overrides?: Partial<ConnectionOptions>;
  readonly sampling?: boolean;
  readonly disabled?: boolean;
}

export interface ConnectServersOptions {
  readonly clock?: Clock;
  /** Answers every question. Without it, the callers are unattended. */
  readonly answer?: (question: Question) => Answer | undefined | Promise<Answer | undefined>;
  readonly model?: ModelPort;
}

export function inProcessServer(object: ServerObject): TestServer {
  return { target: { transport: "in-process", id: crypto.randomUUID(), connect: () => serveInProcess(object) } };
}

export function resourcePromptTestServer(
  offers: ResourcePromptOptions,
): TestServer & { readonly receivedMethods: string[] } {
  const { server, methods } = resourcePromptServer(offers);
  return { ...inProcessServer(server), receivedMethods: methods };
}

export function stdioServer(command: { readonly command: string; readonly args: readonly string[] }): TestServer {
  return { target: { transport: "stdio", ...command, cwd: process.cwd(), env: {} } };
}

/** Starts the modern fixture over HTTP once for all tests of a file. */
export function sharedModernServer(): () => TestServer {
  let running: RunningServer;
  beforeAll(async () => void (running = await startModernHttp()));
  afterAll(() => running.close());
  return () => ({ target: { transport: "http", url: running.url, headers: {} } });
}

export function connectServers(servers: { readonly [id: string]: TestServer }, options: ConnectServersOptions = {}) {
  const events: HostEventData[] = [];
  const emit = (event: HostEventData) => void events.push(event);
  const inbox = new QuestionInbox({ clock: systemClock, newId: () => crypto.randomUUID(), emit });
  const { answer, model, clock = systemClock } = options;
  if (answer) {
    inbox.onQuestion((question) => {
      const owner = question.owner === "workspace" ? ann : question.owner;
      void Promise.resolve(answer(question)).then((reply) => reply && inbox.answer(question.id, reply, owner));
    });
  }
  const attended = () => answer !== undefined;
  const sampling = model && new Sampling({ inbox, emit, attended, modelFor: () => model });
  const ports = { inbox, emit, attended, sampling };
  const requests = new ServerRequests({ ...ports, telemetry: makeTelemetry(), queue: new CallerQueue(systemClock) });
  const connections = new Map(Object.entries(servers).map(([id, server]) => [id, createConnection(server)]));
  const toTarget = (id: string): RequestTarget => ({
    server: id,
    timeoutMs: 15_000,
    maxMs: 60_000,
    sampling: servers[id]?.sampling ?? false,
    lease: () => {
      const connection = connections.get(id);
      if (!connection || servers[id]?.disabled) throw new HostError("SERVER_DISABLED", { server: id });
      return connection;
    },
  });
  const targets: RequestTargets = {
    all: () => Object.keys(servers).map(toTarget),
    get: (id) => {
      if (!(id in servers)) throw new HostError("SERVER_UNKNOWN", { server: id, known: Object.keys(servers) });
      return toTarget(id);
    },
  };
  const catalogPorts = { targets, requests, clock };
  return {
    events,
    ports,
    requests,
    targets,
    connection: (id: string) => toTarget(id).lease() as Connection,
    resources: new ServerResources(catalogPorts),
    prompts: new ServerPrompts(catalogPorts),
    completions: new ServerCompletions(catalogPorts),
  };
}

/** Creates a connection as if another workspace had opened it first, under a different server id. */
function createConnection({ target, overrides, sampling = false }: TestServer): Connection {
  const connection = new Connection({
    server: "id-in-first-workspace",
    target,
    processes: new Processes(systemClock),
    clock: systemClock,
    identity: { name: "plugboard-test", version: "0.0.0" },
    startupTimeoutMs: 15_000,
    requestTimeoutMs: 15_000,
    eraStore: { get: () => undefined, set: () => {} },
    onUnattributedRequest: () => Promise.resolve({ action: "cancel" }),
    onChanged: () => {},
    clientCapabilities: { sampling: sampling && SAMPLING_WITH_TOOLS },
    ...overrides,
  });
  onTestFinished(() => connection.stop());
  return connection;
}
