/** Tests that a closed host or workspace starts no servers, and that every waiting call ends. */
import { createHost } from "#lazy.js";
import type { CreateHostOptions } from "#library/create-host-options.js";
import { isAlive } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";

async function open(options: Partial<CreateHostOptions> = {}) {
  const env = { PATH: process.env["PATH"], XDG_CONFIG_HOME: "/nonexistent" };
  const host = await createHost({ servers: { s: scriptedLegacy() }, permissions: { allow: ["*"] }, env, ...options });
  onTestFinished(() => host.close());
  return host;
}

describe("a closed host", () => {
  it("starts no server", async () => {
    const host = await open();
    await host.ready();
    const [{ pid } = { pid: 0 }] = host.status();
    await host.close();
    await expect(host.servers.connect("s")).rejects.toMatchObject({ code: "HOST_CLOSED" });
    await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "HOST_CLOSED" });
    expect(isAlive(pid!)).toBe(false);
  });

  it("fails a call that is still running, and leaves no process", async () => {
    const host = await open();
    await host.ready();
    const [{ pid } = { pid: 0 }] = host.status();
    const call = host.tools.call("s:hold", {});
    const failed = expect(call).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await host.close();
    await failed;
    expect(isAlive(pid!)).toBe(false);
  });

  it("does not wait for servers that are still starting", async () => {
    const host = await open({ servers: { s: scriptedLegacy("--never-start") } });
    const closed = host.close();
    const { errors } = await host.ready();
    await closed;
    expect(errors).toMatchObject({ s: { code: "CONNECTION_CLOSED" } });
  });

  it("withdraws its open questions", async () => {
    let questionSignal: AbortSignal | undefined;
    const host = await open({
      permissions: {},
      ports: { answer: (_, signal) => ((questionSignal = signal), new Promise(() => {})) },
    });
    await host.ready();
    const call = host.tools.call("s:echo", { text: "hi" });
    const failed = expect(call).rejects.toMatchObject({ code: "HOST_CLOSED" });
    await host.close();
    await failed;
    expect(questionSignal?.aborted).toBe(true);
  });

  it("emits server.changed for the servers that it has stopped", async () => {
    const host = await open();
    await host.ready();
    const events = host.events();
    await host.close();
    const states: string[] = [];
    for await (const event of events) if (event.type === "server.changed") states.push(event.state);
    expect(states).toEqual(["idle"]);
  });
});

describe("a released workspace", () => {
  it("cancels the calls that wait for an answer, and rejects answers and calls that come later", async () => {
    const host = await open();
    const api = host.as("chat", { attended: true });
    const workspace = await api.workspace({ cwd: ".", servers: { mine: scriptedLegacy("--pages=2") } });
    await workspace.servers.connect("mine");
    const call = workspace.tools.call("mine:echo", { text: "hi" });
    const failed = expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    const [question] = await workspace.inbox.list();
    await workspace.release();
    await failed;
    const answer = workspace.inbox.answer(question!.id, { type: "permission", decision: "once" });
    await expect(answer).rejects.toMatchObject({ code: "QUESTION_GONE" });
    await expect(workspace.tools.call("mine:echo", {})).rejects.toMatchObject({ code: "HOST_CLOSED" });
  });
});

it("an error about a shared server names the server by its id in the workspace of the caller", async () => {
  const host = await open({ servers: { first: scriptedLegacy() } });
  await host.ready();
  const cli = await host.as("cli").workspace({ cwd: process.cwd(), servers: { second: scriptedLegacy() } });
  await cli.servers.connect("second");
  await expect(cli.tools.call("second:crash", {})).rejects.toMatchObject({
    code: "SERVER_CRASHED",
    message: expect.stringContaining('"second" exited') as string,
  });
  expect(await cli.status()).toMatchObject([{ lastError: { details: { server: "second" } } }]);
  expect(host.status()).toMatchObject([{ lastError: { details: { server: "first" } } }]);
});

it("a conversation gets no events about the calls, questions and answers of another conversation", async () => {
  const host = await open();
  const [ann, bob] = [host.as("chat", { attended: true }), host.as("chat", { attended: true })];
  const workspace = await ann.workspace({ cwd: ".", servers: { s: scriptedLegacy() }, permissions: { allow: ["*"] } });
  const seenByBob: string[] = [];
  const cli = host.as("cli");
  const stop = new AbortController();
  const listening = (async () => {
    for await (const event of bob.events(0, stop.signal)) seenByBob.push(event.type);
  })();
  const call = workspace.tools.call("s:ask", {});
  for await (const event of ann.events(0)) {
    if (event.type !== "question.asked") continue;
    const content = { name: "Ann's secret" };
    await workspace.inbox.answer(event.question.id, { type: "elicitation", action: "accept", content });
    break;
  }
  await call;
  // The command line sees the calls of all callers, and so the end of this one.
  for await (const event of cli.events(0)) if (event.type === "call.ended") break;
  stop.abort();
  await listening;
  expect(seenByBob).toContain("server.changed");
  expect(seenByBob.filter((type) => /^(call|question|decision)\./.test(type))).toEqual([]);
});

describe("an answer port of the program", () => {
  it("dismisses the question if it throws, and the host emits port.failed", async () => {
    const host = await open({ permissions: {}, ports: { answer: () => Promise.reject(new Error("port broke")) } });
    await host.ready();
    await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "TOOL_DENIED" });
    for await (const event of host.events(0)) {
      if (event.type !== "port.failed") continue;
      expect(event.error).toMatchObject({ code: "PORT_FAILED", details: { reason: "port broke" } });
      return;
    }
  });

  it("may throw when the call is cancelled, and the call still ends with CANCELLED", async () => {
    const abort = new AbortController();
    const host = await open({
      permissions: {},
      ports: {
        answer: () =>
          new Promise((_, reject) => abort.signal.addEventListener("abort", () => reject(new Error("closed")))),
      },
    });
    await host.ready();
    const call = host.tools.call("s:echo", { text: "hi" }, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
  });
});
