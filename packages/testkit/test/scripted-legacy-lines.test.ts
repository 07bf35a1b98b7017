/** Tests the start, the exit and the raw lines of the scripted legacy fixture. The official client would hide them. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterEach, expect, it } from "vitest";

const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(...flags: readonly string[]) {
  const { command, args } = scriptedLegacy(...flags);
  const child = spawn(command, args);
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    exited: once(child, "exit"),
    send: (...messages: object[]) => messages.forEach((message) => child.stdin.write(`${JSON.stringify(message)}\n`)),
    next: async (): Promise<unknown> => JSON.parse((await lines.next()).value as string),
  };
}

const discover = { jsonrpc: "2.0", id: "d", method: "server/discover" };
const initialize = { jsonrpc: "2.0", id: "i", method: "initialize", params: {} };
const ping = { jsonrpc: "2.0", id: "p", method: "ping" };

it("The scripted server answers an unknown method with -32601 and then initializes in the same process", async () => {
  const { send, next } = start();
  send(discover, initialize);
  expect(await next()).toMatchObject({ id: "d", error: { code: -32601 } });
  expect(await next()).toMatchObject({ id: "i", result: { protocolVersion: "2025-11-25" } });
});

it("The scripted server does not answer server/discover with --silent-on-discover", async () => {
  const { send, next } = start("--silent-on-discover", "--revision=2025-06-18");
  send(discover, initialize);
  expect(await next()).toMatchObject({ id: "i", result: { protocolVersion: "2025-06-18" } });
});

it("The scripted server exits with --exit-on-discover, but only if discover is the first message", async () => {
  const strict = start("--exit-on-discover");
  strict.send(discover);
  expect(await strict.exited).toEqual([1, null]);

  const { send, next } = start("--exit-on-discover");
  send(initialize, discover);
  await next();
  expect(await next()).toMatchObject({ id: "d", error: { code: -32601 } });
});

it("The scripted server loses no message during a slow start", async () => {
  const before = Date.now();
  const { send, next } = start("--slow-start=500");
  send(ping);
  expect(await next()).toEqual({ jsonrpc: "2.0", id: "p", result: {} });
  expect(Date.now() - before).toBeGreaterThanOrEqual(500);
});

it("The scripted server never answers with --never-start", async () => {
  const { child, send, exited } = start("--never-start");
  const output: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => output.push(piece));
  send(initialize, ping);
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  expect(output).toEqual([]);
});

it("The scripted server survives SIGTERM and the end of stdin with --ignore-term", async () => {
  const { child, send, next, exited } = start("--ignore-term");
  send(ping);
  await next();
  child.kill("SIGTERM");
  send(ping);
  expect(await next()).toMatchObject({ id: "p" });
  child.stdin.end();
  const [note] = (await once(child.stderr, "data")) as [Buffer];
  expect(note.toString()).toBe("ignoring the end of input\n");
  child.kill("SIGKILL");
  expect(await exited).toEqual([null, "SIGKILL"]);
});

it("The scripted server reports progress right before its result", async () => {
  const { send, next } = start();
  const params = { name: "progress", arguments: { steps: 2 }, _meta: { progressToken: "t" } };
  send({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  expect(await next()).toMatchObject({ params: { progressToken: "t", progress: 1, total: 2 } });
  expect(await next()).toMatchObject({ params: { progressToken: "t", progress: 2, total: 2 } });
  expect(await next()).toMatchObject({ id: 1, result: { content: [{ text: "done in 2 steps" }] } });
});

it("The scripted server can send a result and an error together", async () => {
  const { send, next } = start();
  send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "bad_envelope" } });
  expect(await next()).toMatchObject({ id: 1, result: {}, error: {} });
});

it.each([
  ["crash", 3],
  ["ask_and_die", 7],
])("The tool %s of the scripted server exits with code %i", async (name, code) => {
  const { send, exited } = start();
  send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } });
  expect(await exited).toEqual([code, null]);
});
