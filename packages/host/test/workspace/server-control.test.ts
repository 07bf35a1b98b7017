/** Tests connecting, disconnecting, hiding and replacing servers while a host runs. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { toAgentStatus } from "@plugboard/host";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { everythingStdio, modernStdio, scriptedLegacy, startScriptedHttp } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddedHost, waitForEvent, eventsOf, makeTestHome, pidOf, toolNamesOf } from "../helpers/embedded-host.ts";

async function startHost() {
  const host = await embeddedHost({ servers: { s: scriptedLegacy(), other: scriptedLegacy("--pages=2") } });
  await host.ready();
  return host;
}

/** Creates a server that sends no notification when its tools change. */
function quietServer(tools: string[]) {
  const server = new Server({ name: "quiet", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map((name) => ({ name, inputSchema: { type: "object" as const } })),
  }));
  return server;
}

/** Starts a server that answers every request with 401. */
async function startUnauthorizedServer() {
  const server = await startScriptedHttp((_, response) => {
    response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  });
  onTestFinished(() => server.close());
  const login = "https://login.invalid";
  const auth = { type: "oauth", client_id: "c", authorization_url: `${login}/a`, token_url: `${login}/t` } as const;
  return { url: server.url, auth };
}

describe("servers.connect", () => {
  it("adds the definition that the program passes", { meta: { covers: ["R1.27"] } }, async () => {
    const host = await embeddedHost();
    expect(await host.servers.connect("new", { definition: scriptedLegacy() })).toMatchObject({
      id: "new",
      state: "ready",
      source: "invocation",
    });
    expect(toolNamesOf(host, "new")).toContain("echo");
    expect(await host.servers.set({})).toMatchObject({ removed: ["new"] });
  });

  it("replaces the definition of a running server", async () => {
    const host = await startHost();
    const before = pidOf(host, "s")!;
    await host.servers.connect("s", { definition: scriptedLegacy("--pages=3") });
    expect(pidOf(host, "s")).not.toBe(before);
    await waitUntilDead(before, 10_000);
    expect(toolNamesOf(host, "s")).toContain("echo");
  });

  it("keeps the process of a server that is already running", async () => {
    const host = await startHost();
    const before = pidOf(host, "s");
    expect(await host.servers.connect("s")).toMatchObject({ pid: before });
  });

  it.each<[string, string, object, string]>([
    ["an invalid definition", "s", { command: 7 }, "SERVER_INVALID"],
    ["a disabled definition", "s", { ...scriptedLegacy(), enabled: false }, "SERVER_DISABLED"],
    ["an invalid id", "not an id", scriptedLegacy(), "SERVER_INVALID"],
  ])("rejects %s", async (_, id, definition, code) => {
    const host = await embeddedHost();
    await expect(host.servers.connect(id, { definition })).rejects.toMatchObject({ code });
  });

  it("suggests a similar id if the server is unknown", async () => {
    const host = await startHost();
    await expect(host.servers.connect("othr")).rejects.toMatchObject({
      code: "SERVER_UNKNOWN",
      details: { suggestion: "other" },
    });
  });
});

describe("servers.disconnect", () => {
  it("stops the server and removes its tools", { meta: { covers: ["R1.57", "R4.21"] } }, async () => {
    const host = await startHost();
    const pid = pidOf(host, "s")!;
    await host.servers.disconnect("s");
    expect(isAlive(pid)).toBe(false);
    expect(toolNamesOf(host, "s")).toEqual([]);
    expect(toolNamesOf(host, "other")).toContain("echo");
    expect(host.status()).toMatchObject([{ id: "s", state: "idle", enabled: true, tools: 0 }, { state: "ready" }]);
    await expect(host.tools.call("mcp__s__echo", { text: "hi" })).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    expect(host.status()[0]).toMatchObject({ state: "idle" });
  });

  it("stays in effect until a request names the server", async () => {
    const host = await startHost();
    await host.servers.disconnect("s");
    await host.servers.set({ s: scriptedLegacy(), other: scriptedLegacy("--pages=2"), third: modernStdio() });
    expect(host.status()[0]).toMatchObject({ id: "s", state: "idle" });
    expect(await host.tools.call("s:echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
    expect(toolNamesOf(host, "s")).toContain("echo");
    expect(await host.tools.call("mcp__s__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
  });

  it("keeps the tools of a server that connects again before its old process has stopped", async () => {
    const slow = `process.on("exit", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000));
      import(${JSON.stringify(scriptedLegacy().args[0])});`;
    const host = await embeddedHost({ servers: { s: { command: process.execPath, args: ["-e", slow] } } });
    await host.ready();
    const disconnected = host.servers.disconnect("s");
    await host.servers.connect("s");
    await disconnected;
    expect(toolNamesOf(host, "s")).toContain("echo");
  });
});

describe("servers.reconnect", () => {
  it("closes the connection and opens a new one", { meta: { covers: ["R1.29", "R1.63"] } }, async () => {
    const host = await startHost();
    const before = pidOf(host, "s")!;
    const heldCall = host.tools.call("s:hold", {});
    await host.tools.call("s:echo", { text: "the held call has arrived" });
    const callFailed = expect(heldCall).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    const { pid, state } = await host.servers.reconnect("s");
    await callFailed;
    expect(state).toBe("ready");
    expect(pid).not.toBe(before);
    expect(isAlive(before)).toBe(false);
    expect(toolNamesOf(host, "s")).toContain("echo");
  });

  it("starts a server that is not running", async () => {
    const host = await startHost();
    await host.servers.disconnect("s");
    expect(await host.servers.reconnect("s")).toMatchObject({ state: "ready" });
  });
});

it("servers.refresh lists the tools again on the same connection", { meta: { covers: ["R3.58"] } }, async () => {
  const tools = ["one"];
  const host = await embeddedHost({ servers: { q: { type: "sdk", name: "q", instance: quietServer(tools) } } });
  await host.ready();
  const connectedAt = host.status()[0]?.lastConnectedAt;
  tools.push("two");
  expect(toolNamesOf(host, "q")).toEqual(["one"]);
  expect(await host.servers.refresh("q")).toMatchObject({ tools: 2, lastConnectedAt: connectedAt });
  expect(toolNamesOf(host, "q")).toEqual(["one", "two"]);
});

describe("servers.toggle", () => {
  it(
    "hides the tools and keeps the connection until the server is switched on again",
    { meta: { covers: ["R1.30", "R1.41", "R1.64", "R1.65"] } },
    async () => {
      const host = await startHost();
      const pid = pidOf(host, "s");
      expect(await host.servers.toggle("s", false)).toMatchObject({ enabled: true, hidden: true, state: "ready", pid });
      expect(toolNamesOf(host, "s")).toEqual([]);
      expect(host.tools.definitions("anthropic").map(({ name }) => name)).not.toContain("mcp__s__echo");
      await expect(host.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "TOOL_OFF" });
      const shown = await host.servers.toggle("s", true);
      expect(shown).toMatchObject({ state: "ready", pid });
      expect(shown.hidden).toBeUndefined();
      expect(toolNamesOf(host, "s")).toContain("echo");
    },
  );

  it("stays in effect with a new definition and a new connection", async () => {
    const host = await startHost();
    await host.servers.toggle("s", false);
    await host.servers.set({ s: scriptedLegacy("--pages=3") });
    expect(host.status()[0]).toMatchObject({ id: "s", hidden: true, state: "ready" });
    await host.servers.reconnect("s");
    expect(toolNamesOf(host, "s")).toEqual([]);
  });
});

describe("servers.set", { meta: { covers: ["R1.31"] } }, () => {
  it(
    "starts new servers, stops missing ones, and keeps unchanged ones running",
    { meta: { covers: ["R1.31", "R1.38", "R1.39", "R1.58", "R3.96"] } },
    async () => {
      const host = await embeddedHost({
        servers: { stays: scriptedLegacy(), goes: scriptedLegacy("--pages=2"), changes: scriptedLegacy("--pages=3") },
      });
      await host.ready();
      const [stays, goes, changes] = ["stays", "goes", "changes"].map((id) => pidOf(host, id)!);
      const set = { stays: scriptedLegacy(), changes: scriptedLegacy("--pages=4"), comes: modernStdio() };
      expect(await host.servers.set(set)).toEqual({
        added: ["comes"],
        removed: ["goes"],
        changed: ["changes"],
        errors: {},
      });
      expect(host.status().map(({ id, state }) => [id, state])).toEqual([
        ["stays", "ready"],
        ["changes", "ready"],
        ["comes", "ready"],
      ]);
      expect(pidOf(host, "stays")).toBe(stays);
      expect(pidOf(host, "changes")).not.toBe(changes);
      expect([isAlive(goes!), isAlive(changes!)]).toEqual([false, false]);
      expect(new Set(host.tools.list().map(({ server }) => server))).toEqual(new Set(["stays", "changes", "comes"]));
      expect(await waitForEvent(host, "config.changed")).toMatchObject({
        added: ["comes"],
        removed: ["goes"],
        changed: ["changes"],
      });
    },
  );

  it(
    "reports the error of each server that failed, and starts the others",
    { meta: { covers: ["R1.31", "R1.40"] } },
    async () => {
      const host = await startHost();
      const pid = pidOf(host, "s");
      const { added, errors } = await host.servers.set({
        s: scriptedLegacy(),
        gone: { command: "no-such-command" },
        wrong: { url: 7 } as never,
        "not an id": scriptedLegacy(),
        fine: modernStdio(),
      });
      expect(added).toEqual(expect.arrayContaining(["gone", "wrong", "fine"]));
      expect(errors).toMatchObject({
        gone: { code: "SERVER_SPAWN_FAILED" },
        wrong: { code: "SERVER_INVALID" },
        "not an id": { code: "SERVER_INVALID" },
      });
      expect(Object.keys(errors)).toHaveLength(3);
      expect(pidOf(host, "s")).toBe(pid);
      expect(host.status().find(({ id }) => id === "wrong")).toMatchObject({ state: "error", enabled: false });
      expect(toolNamesOf(host, "fine")).toContain("echo");
    },
  );

  it("keeps the servers of the config files", async () => {
    const { host: open, writeConfig } = await makeTestHome();
    await writeConfig({ servers: { mine: scriptedLegacy() } });
    const host = await open({ servers: { s: scriptedLegacy("--pages=2") } });
    await host.ready();
    const pid = pidOf(host, "mine");
    expect(await host.servers.set({})).toMatchObject({ added: [], removed: ["s"], changed: [] });
    expect(host.status()).toMatchObject([{ id: "mine", source: "user", pid }]);
  });

  it("keeps the process of a server if only its tool filter has changed", async () => {
    const host = await embeddedHost({ servers: { s: scriptedLegacy() } });
    await host.ready();
    const pid = pidOf(host, "s");
    const { changed } = await host.servers.set({ s: { ...scriptedLegacy(), tools: { include: ["e*"] } } });
    expect(changed).toEqual(["s"]);
    expect(toolNamesOf(host, "s")).toEqual(["echo", "env"]);
    expect(pidOf(host, "s")).toBe(pid);
  });

  it("rejects on a closed host", async () => {
    const host = await startHost();
    await host.close();
    await expect(host.servers.set({})).rejects.toMatchObject({ code: "HOST_CLOSED" });
    await expect(host.servers.connect("x", { definition: scriptedLegacy() })).rejects.toMatchObject({
      code: "HOST_CLOSED",
    });
  });
});

describe("the status of a server", () => {
  it(
    "contains all details in servers.detail",
    { meta: { covers: ["R0.6", "R1.11", "R1.33", "R2.112", "R2.114", "R3.56"] } },
    async () => {
      const host = await embeddedHost({ servers: { s: { ...everythingStdio(), request_timeout_ms: 5000 } } });
      const since = Date.now();
      await host.ready();
      const detail = host.servers.detail("s");
      expect(detail).toMatchObject({
        id: "s",
        transport: "stdio",
        source: "invocation",
        enabled: true,
        state: "ready",
        era: "legacy",
        serverInfo: { name: expect.stringContaining("everything") as string, version: expect.any(String) as string },
        instructions: expect.any(String) as string,
        config: { command: process.execPath, request_timeout_ms: 5000 },
        stderr: expect.stringContaining("Starting default (STDIO) server") as string,
      });
      expect(detail.lastConnectedAt).toBeGreaterThanOrEqual(since);
      expect(detail.offered).toHaveLength(detail.tools);
      expect(() => host.servers.detail("t")).toThrow(expect.objectContaining({ code: "SERVER_UNKNOWN" }));
    },
  );

  it("contains the last error of a failed server", { meta: { covers: ["R1.12", "R2.113"] } }, async () => {
    const host = await embeddedHost({ servers: { gone: { command: "no-such-command" } } });
    await host.ready();
    expect(host.servers.detail("gone")).toMatchObject({ state: "error", lastError: { code: "SERVER_SPAWN_FAILED" } });
  });

  it("shows the definition without its secrets", { meta: { covers: ["R1.13", "A12"] } }, async () => {
    const key = "sk-the-secret-key";
    const host = await embeddedHost({
      servers: {
        s: { ...scriptedLegacy(), env: { API_KEY: key } },
        h: { url: "http://127.0.0.1:1/mcp", headers: { Authorization: `Bearer ${key}` } },
      },
    });
    await host.ready();
    for (const id of ["s", "h"]) {
      expect(JSON.stringify(host.servers.detail(id))).not.toContain(key);
      expect(Object.keys(host.servers.detail(id).config)).toEqual(
        expect.arrayContaining([id === "s" ? "env" : "headers"]),
      );
    }
  });

  it("lists the server's tools with their descriptions and annotations", { meta: { covers: ["R1.15"] } }, async () => {
    const { server } = annotatedServer();
    const host = await embeddedHost({ servers: { a: { type: "sdk", name: "a", instance: server } } });
    await host.ready();
    expect(host.servers.detail("a").offered).toEqual([
      { name: "wipe", description: "Wipes", annotations: { destructiveHint: true, readOnlyHint: false } },
    ]);
  });

  it("can be read while calls are running", { meta: { covers: ["R2.116"] } }, async () => {
    const host = await startHost();
    const heldCall = host.tools.call("s:hold", {});
    await host.tools.call("s:echo", { text: "hi" });
    expect(host.status()).toMatchObject([{ id: "s", state: "ready" }, { state: "ready" }]);
    await host.tools.call("s:release", {});
    expect(await heldCall).toMatchObject({ content: [{ text: "let go" }] });
  });

  it("says that the server needs a login", { meta: { covers: ["R2.109"] } }, async () => {
    const host = await embeddedHost({ servers: { h: await startUnauthorizedServer() } });
    expect(await host.ready()).toMatchObject({ errors: { h: { code: "AUTH_REQUIRED" } } });
    expect(host.status()).toMatchObject([{ state: "auth_required", lastError: { code: "AUTH_REQUIRED" } }]);
    await expect(host.tools.call("h:x", {})).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
  });
});

it("a request times out after the request_timeout_ms of the definition", { meta: { covers: ["R2.41"] } }, async () => {
  const host = await embeddedHost({ servers: { s: { ...scriptedLegacy(), request_timeout_ms: 100 } } });
  await host.ready();
  await expect(host.tools.call("s:hold", {})).rejects.toMatchObject({
    code: "REQUEST_TIMEOUT",
    details: { afterMs: 100 },
  });
});

it(
  "toAgentStatus converts each state to a status of the Agent SDK",
  { meta: { covers: ["R1.21", "R1.22", "R1.23", "R1.24", "R1.25"] } },
  async () => {
    const host = await embeddedHost({
      servers: {
        connected: scriptedLegacy(),
        failed: { command: "no-such-command" },
        "needs-auth": await startUnauthorizedServer(),
        pending: scriptedLegacy("--never-start"),
        disabled: { ...scriptedLegacy(), enabled: false },
      },
    });
    await host.servers.connect("connected");
    for (const id of ["failed", "needs-auth"]) await host.servers.connect(id).catch(() => {});
    for (const { id } of host.status()) {
      const { name, status, scope, error } = toAgentStatus(host.servers.detail(id));
      expect({ name, status, scope }).toEqual({ name: id, status: id, scope: "invocation" });
      expect(typeof error).toBe(id === "failed" || id === "needs-auth" ? "string" : "undefined");
    }
    expect(toAgentStatus(host.servers.detail("connected"))).toMatchObject({
      serverInfo: { name: "scripted-legacy", version: "1.0.0" },
      config: { command: process.execPath },
    });
    await host.servers.toggle("connected", false);
    expect(toAgentStatus(host.servers.detail("connected"))).toMatchObject({ status: "disabled" });
    await host.servers.toggle("connected", true);
    expect(toAgentStatus(host.servers.detail("connected"))).toMatchObject({ status: "connected" });
  },
);

it("a host emits server.changed once for each change of a server's state", async () => {
  const host = await startHost();
  await host.servers.disconnect("s");
  const states = (await eventsOf(host, "server.changed")).filter(({ server }) => server === "s");
  expect(states.map(({ state }) => state)).toEqual(["connecting", "ready", "idle"]);
});

function annotatedServer() {
  const server = new Server({ name: "annotated", version: "1.0.0" }, { capabilities: { tools: {} } });
  const annotations = { destructiveHint: true, readOnlyHint: false };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [{ name: "wipe", description: "Wipes", inputSchema: { type: "object" as const }, annotations }],
  }));
  return { server };
}
