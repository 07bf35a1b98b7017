/** Tests the sessions of legacy HTTP clients. */
import type { Caller } from "@plugboard/contracts";
import type { McpRequestHandler } from "@plugboard/mcp";
import { HttpSessions } from "#front/http-sessions.js";
import { expect, it } from "vitest";

const ann: Caller = { kind: "front", id: "ann" };
const bob: Caller = { kind: "front", id: "bob" };
const silent = { send: () => {}, end: () => {} };

/** A handler that never answers. */
const handler: McpRequestHandler = {
  identity: { name: "test", version: "0" },
  capabilities: () => ({
    tools: true,
    resources: false,
    prompts: false,
    completion: false,
    logging: false,
    tasks: false,
    subscribe: false,
    listChanged: { tools: false, resources: false, prompts: false },
  }),
  request: () => new Promise(() => {}),
  resume: () => new Promise(() => {}),
  storeSuspended: () => "",
  listen: () => ({ stop: () => {} }),
};

const call = {
  type: "request",
  message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } },
} as const;

it("HttpSessions finds a session only for the caller that opened it", { meta: { covers: ["S18"] } }, () => {
  const sessions = new HttpSessions(2);
  const { id } = sessions.open(handler, ann)!;
  expect(sessions.find(id, ann)?.id).toBe(id);
  expect(sessions.find(id, bob)).toBeUndefined();
});

it("HttpSessions replaces the least recently used idle session", { meta: { covers: ["S18"] } }, () => {
  const sessions = new HttpSessions(3);
  const [busy, idle, recent] = [
    sessions.open(handler, ann)!,
    sessions.open(handler, ann)!,
    sessions.open(handler, ann)!,
  ];
  busy.server.receive(call, silent);
  expect(sessions.open(handler, bob)).toBeDefined();
  expect(sessions.find(idle.id, ann)).toBeUndefined();
  for (const { id } of [busy, recent]) expect(sessions.find(id, ann)).toBeDefined();
});

it("HttpSessions rejects a new session when all are in use", { meta: { covers: ["S18"] } }, () => {
  const sessions = new HttpSessions(2);
  sessions.open(handler, ann)!.server.receive(call, silent);
  sessions.open(handler, ann)!.push = silent;
  expect(sessions.open(handler, bob)).toBeUndefined();
});
