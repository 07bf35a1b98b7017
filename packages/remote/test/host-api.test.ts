/** Contract tests of `HostApi`: the same tests run against a host in this process and a running host over its socket. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { Answer, HostEvent, Progress } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  firstEventOf,
  HOSTS,
  makeWorkFolder,
  openWorkspace,
  startForProgram,
  startRunningHost,
} from "./helpers/contract-hosts.ts";

const accept: Answer = { type: "elicitation", action: "accept", content: { name: "Ann" } };

describe.each(HOSTS)("HostApi %s", (_, start) => {
  it(
    "opens a workspace without starting a server",
    { meta: { covers: ["R1.9", "R1.10", "R1.24", "R1.32", "R2.104"] } },
    async () => {
      const workspace = await openWorkspace(await startForProgram(start));
      expect(await workspace.status()).toMatchObject([{ id: "s", state: "idle", enabled: true, tools: 0 }]);
      expect(await workspace.tools.list()).toEqual([]);
    },
  );

  it(
    "starts the servers and reports those that failed",
    { meta: { covers: ["R0.30", "R0.34", "R1.49", "R1.56", "R3.1", "R3.32", "R4.10", "R4.24"] } },
    async () => {
      const api = await startForProgram(start);
      const workspace = await openWorkspace(api, {
        servers: { s: scriptedLegacy(), bad: { command: "no-such-command" } },
      });
      expect(await workspace.start()).toMatchObject({ ready: ["s"], errors: { bad: { code: "SERVER_SPAWN_FAILED" } } });
      const offered = await workspace.tools.list();
      expect(offered.find(({ tool }) => tool === "echo")).toMatchObject({ name: "mcp__s__echo", server: "s" });
    },
  );

  it(
    "starts a tool's server when the tool is called by any of its names",
    { meta: { covers: ["R0.24", "R2.17", "R3.13", "R4.9"] } },
    async () => {
      const workspace = await openWorkspace(await startForProgram(start));
      const hi = { content: [{ type: "text", text: "hi" }] };
      for (const ref of ["s:echo", { server: "s", tool: "echo" }, "mcp__s__echo"]) {
        expect(await workspace.tools.call(ref, { text: "hi" })).toEqual(hi);
      }
    },
  );

  it.each([undefined, null])("calls a tool with an empty object if the arguments are %s", async (absent) => {
    const workspace = await openWorkspace(await startForProgram(start));
    expect(await workspace.tools.call("s:release", absent)).toMatchObject({ content: [{ text: "released" }] });
  });

  it("reports the progress of a call", async () => {
    const workspace = await openWorkspace(await startForProgram(start));
    const seen: Progress[] = [];
    await workspace.tools.call("s:progress", { steps: 2 }, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
  });

  it("cancels a call when its signal is aborted, and withdraws the question of the call", async () => {
    const api = await startForProgram(start, { attended: true });
    const workspace = await openWorkspace(api);
    const abort = new AbortController();
    const call = workspace.tools.call("s:ask", {}, { signal: abort.signal });
    await firstEventOf(api, "question.asked");
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    expect(await firstEventOf(api, "question.settled")).toMatchObject({ settlement: { by: "withdrawn" } });
    expect(await workspace.inbox.list()).toEqual([]);
  });

  it("cancels a call that waits for a permission when its caller leaves", async () => {
    const connect = await start();
    const [api, observer] = [await connect("program", { attended: true }), await connect("program")];
    const workspace = await openWorkspace(api, { permissions: {} });
    const call = workspace.tools.call("s:echo", { text: "hi" });
    const failed = expect(call).rejects.toMatchObject({ code: "CANCELLED" });
    await firstEventOf(api, "question.asked");
    await api.close();
    await failed;
    expect(await firstEventOf(observer, "call.ended")).toMatchObject({ tool: "echo", code: "CANCELLED" });
  });

  it(
    "throws errors with code, details and the server's message",
    { meta: { covers: ["R0.38", "R0.63", "R0.67"] } },
    async () => {
      const workspace = await openWorkspace(await startForProgram(start));
      const failure = async (call: Promise<unknown>) => (await call.catch((error: unknown) => error)) as HostError;
      const unknown = await failure(workspace.tools.call("t:x", {}));
      expect(unknown).toBeInstanceOf(HostError);
      expect(unknown).toMatchObject({ code: "SERVER_UNKNOWN", details: { server: "t", known: ["s"] } });
      expect(await failure(workspace.tools.call("s:nope", {}))).toMatchObject({ code: "TOOL_NOT_FOUND" });
      expect(await failure(workspace.tools.call("s:crash", {}))).toMatchObject({
        code: "SERVER_CRASHED",
        details: { exit: "exit code 3", stderr: "boom" },
      });
      expect(await failure(workspace.servers.connect("t"))).toMatchObject({ code: "SERVER_UNKNOWN" });
    },
  );

  it("puts a question only into the inbox of the caller that caused it", async () => {
    const connect = await start();
    const api = await connect("program", { attended: true });
    const other = await connect("program", { attended: true });
    const [workspace, otherWorkspace] = [await openWorkspace(api), await openWorkspace(other)];
    const call = workspace.tools.call("s:ask", {});
    const { question } = await firstEventOf(api, "question.asked");
    expect(question).toMatchObject({ type: "elicitation", owner: api.caller, server: "s", tool: "ask" });
    expect(await workspace.inbox.list()).toEqual([question]);
    expect(await otherWorkspace.inbox.list()).toEqual([]);
    await expect(otherWorkspace.inbox.answer(question.id, accept)).rejects.toMatchObject({
      code: "QUESTION_NOT_YOURS",
    });
    const incomplete: Answer = { type: "elicitation", action: "accept", content: {} };
    await expect(workspace.inbox.answer(question.id, incomplete)).rejects.toMatchObject({ code: "ANSWER_INVALID" });
    await workspace.inbox.answer(question.id, accept);
    expect(JSON.stringify(await call)).toContain("Ann");
    await expect(workspace.inbox.answer(question.id, accept)).rejects.toMatchObject({ code: "QUESTION_GONE" });
  });

  it(
    "throws NOBODY_TO_ASK if a call needs permission and the caller has no user",
    { meta: { covers: ["R2.137"] } },
    async () => {
      const workspace = await openWorkspace(await startForProgram(start), { permissions: {} });
      await expect(workspace.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    },
  );

  it(
    "yields all events after a snapshot, without a gap",
    { meta: { covers: ["R1.21", "R2.10", "R3.14", "R3.57", "R4.16"] } },
    async () => {
      const api = await startForProgram(start);
      const workspace = await openWorkspace(api);
      await workspace.start();
      const { seq, servers, questions } = await workspace.snapshot();
      expect(servers).toMatchObject([{ id: "s", state: "ready" }]);
      expect(questions).toEqual([]);
      await workspace.tools.call("s:echo", { text: "hi" });
      const after: HostEvent[] = [];
      for await (const event of api.events(seq)) {
        after.push(event);
        if (event.type === "call.ended") break;
      }
      expect(after.map(({ seq: number }) => number)).toEqual(after.map((__, index) => seq + 1 + index));
      expect(after.map(({ type }) => type)).toEqual(["call.started", "call.ended"]);
    },
  );

  it(
    "runs two processes for a server id that two folders define differently",
    { meta: { covers: ["R3.10"] } },
    async () => {
      const api = await startForProgram(start);
      const one = await openWorkspace(api, { servers: { s: scriptedLegacy() } });
      const two = await openWorkspace(api, { servers: { s: scriptedLegacy("--pages=2") } });
      const [first, second] = await Promise.all([one.servers.connect("s"), two.servers.connect("s")]);
      expect(first.pid).not.toBe(second.pid);
    },
  );

  it(
    "shares one process between folders with the same definition until the last workspace is released",
    { meta: { covers: ["R0.46", "R2.27", "R1.61"] } },
    async () => {
      const connect = await start();
      const [first, second] = [await connect("program"), await connect("cli")];
      const definition = { ...scriptedLegacy(), cwd: await makeWorkFolder() };
      const specWithUserConfig = async (id: string) => {
        const file = join(await makeWorkFolder(), "config.json");
        await writeFile(file, JSON.stringify({ mcp: { servers: { [id]: definition } } }));
        return { servers: {}, env: { PLUGBOARD_CONFIG_PATH: file } };
      };
      const one = await openWorkspace(first, await specWithUserConfig("s"));
      const two = await openWorkspace(second, await specWithUserConfig("other"));
      const { pid } = await one.servers.connect("s");
      expect(await two.status()).toMatchObject([{ id: "other", state: "ready", pid }]);
      expect(await two.servers.connect("other")).toMatchObject({ pid });
      await one.release();
      expect(isAlive(pid!)).toBe(true);
      await second.close();
      await waitUntilDead(pid!, 10_000);
    },
  );

  it("releases the caller's workspaces at the end of an `await using` block", async () => {
    const connect = await start();
    let pid: number | undefined;
    {
      await using api = await connect("program");
      const workspace = await openWorkspace(api);
      ({ pid } = await workspace.servers.connect("s"));
      expect(isAlive(pid!)).toBe(true);
    }
    await waitUntilDead(pid!, 10_000);
  });

  it.each([
    ['{"text":"hi"}', "string"],
    [["hi"], "list"],
    [7, "number"],
  ])("rejects the arguments %j of a model, which are a %s and not an object", async (args: unknown, kind) => {
    const workspace = await openWorkspace(await startForProgram(start));
    await expect(workspace.tools.call("s:echo", args)).rejects.toMatchObject({
      code: "INVALID_ARGUMENTS",
      details: { reason: `they must be an object, not a ${kind}` },
    });
  });

  it("runs one process for each folder if the server gets the folder as a root", async () => {
    const api = await startForProgram(start);
    const servers = { s: { ...scriptedLegacy(), cwd: await makeWorkFolder(), roots: true } };
    const [one, two] = [await openWorkspace(api, { servers }), await openWorkspace(api, { servers })];
    const { pid } = await one.servers.connect("s");
    expect((await two.servers.connect("s")).pid).not.toBe(pid);
  });

  it("reports problems of the config", async () => {
    const servers = { s: { command: "x", agrs: [] } as never };
    const workspace = await openWorkspace(await startForProgram(start), { servers });
    expect(await workspace.config.problems()).toMatchObject([{ severity: "warning", server: "s" }]);
  });

  it(
    "expands definitions with the environment of the workspace",
    { meta: { covers: ["R2.61", "R3.81"] } },
    async () => {
      const api = await startForProgram(start);
      const servers = { s: { ...scriptedLegacy(), env: { GIVEN: "${ONLY_THERE}" } } };
      const unset = await openWorkspace(api, { servers });
      await expect(unset.servers.connect("s")).rejects.toMatchObject({ code: "SERVER_INVALID" });
      const set = await openWorkspace(api, { servers, env: { ONLY_THERE: "yes" } });
      expect(await set.servers.connect("s")).toMatchObject({ state: "ready" });
    },
  );
});

describe("connectRemote", () => {
  it("throws VERSION_SKEW if the host has another version", async () => {
    const running = await startRunningHost({});
    onTestFinished(running.close);
    const fetch = nodeHttpFetch({ socketPath: socketPath(running.env) });
    await expect(connectRemote({ fetch, version: "9.9.9", kind: "cli" })).rejects.toMatchObject({
      code: "VERSION_SKEW",
      details: { host: VERSION, client: "9.9.9" },
    });
  });

  it("throws HOST_UNREACHABLE after the host has stopped", async () => {
    const running = await startRunningHost({});
    const fetch = nodeHttpFetch({ socketPath: socketPath(running.env) });
    const api = await connectRemote({ fetch, version: VERSION, kind: "cli" });
    await running.close();
    await expect(api.workspace({ cwd: "/" })).rejects.toMatchObject({ code: "HOST_UNREACHABLE" });
  });
});
