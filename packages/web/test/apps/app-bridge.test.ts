import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { AppBridge } from "#apps/app-bridge.js";
import type { AppPorts } from "#apps/app-ports.js";
import { describe, expect, it, vi } from "vitest";

function setUp(change: Partial<AppPorts> = {}) {
  const posted: JsonObject[] = [];
  const stopped: string[] = [];
  let now = 0;
  const ports: AppPorts = {
    post: (message) => void posted.push(message),
    now: () => now,
    hostInfo: { name: "plugboard", version: "1" },
    hostContext: () => ({ theme: "dark" }),
    sandbox: {},
    callTool: async () => ({ content: [{ type: "text", text: "called" }] }),
    readResource: async () => [],
    listResources: async () => [],
    inChat: false,
    ask: async () => true,
    carryOut: async () => {},
    setModelContext: () => {},
    onHeight: () => {},
    setDisplayMode: () => "inline",
    onLog: () => {},
    onClose: () => {},
    onStopped: (reason) => void stopped.push(reason),
    ...change,
  };
  const bridge = new AppBridge(ports);
  const request = (id: number, method: string, params: JsonObject = {}) =>
    bridge.receive({ jsonrpc: "2.0", id, method, params });
  const initialize = () => bridge.receive({ jsonrpc: "2.0", method: "ui/notifications/initialized" });
  return { bridge, posted, stopped, request, initialize, passSeconds: (seconds: number) => (now += seconds * 1000) };
}

describe("the bridge of an App", () => {
  it("tells the App the arguments and the result of its tool once it is initialized", async () => {
    const { bridge, posted, request, initialize } = setUp();
    bridge.toolInput({ path: "a" });
    bridge.toolResult({ content: [], structuredContent: { n: 1 } });
    request(1, "ui/initialize");
    await vi.waitFor(() => expect(posted).toHaveLength(1));
    expect(posted[0]).toMatchObject({
      id: 1,
      result: { protocolVersion: "2026-01-26", hostInfo: { name: "plugboard" }, hostContext: { theme: "dark" } },
    });
    initialize();
    expect(posted.slice(1).map(({ method, params }) => [method, params])).toEqual([
      ["ui/notifications/tool-input", { arguments: { path: "a" } }],
      ["ui/notifications/tool-result", { content: [], structuredContent: { n: 1 } }],
    ]);
  });

  it("offers messages to the model only if there is a chat", async () => {
    for (const inChat of [false, true]) {
      const { posted, request } = setUp({ inChat });
      request(1, "ui/initialize");
      await vi.waitFor(() => expect(posted).toHaveLength(1));
      const { hostCapabilities } = posted[0]!["result"] as { readonly hostCapabilities: JsonObject };
      expect(Object.keys(hostCapabilities).toSorted()).toEqual(
        [
          ...["downloadFile", "logging", "openLinks", "sandbox", "serverResources", "serverTools"],
          ...(inChat ? ["message", "updateModelContext"] : []),
        ].toSorted(),
      );
    }
  });

  it("answers with the code of the host's error", async () => {
    const { posted, request } = setUp({
      callTool: () => Promise.reject(new HostError("TOOL_DENIED", { server: "s", tool: "t", by: "a rule" })),
    });
    request(1, "tools/call", { name: "t" });
    request(2, "tools/call", {});
    await vi.waitFor(() => expect(posted).toHaveLength(2));
    expect(posted.find(({ id }) => id === 1)).toMatchObject({ error: { code: -32000, data: { code: "TOOL_DENIED" } } });
    expect(posted.find(({ id }) => id === 2)).toMatchObject({ error: { code: -32602 } });
  });

  it("ignores values that are no messages", async () => {
    const { bridge, posted, request } = setUp();
    for (const value of [undefined, null, "ping", 5, [], {}, { jsonrpc: "1.0", id: 1, method: "ping" }, 10n])
      bridge.receive(value);
    request(2, "ping");
    await vi.waitFor(() => expect(posted).not.toEqual([]));
    expect(posted).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
  });

  it("stops an App whose messages are so large that they would block the page", () => {
    const cycle: { jsonrpc: string; self?: unknown } = { jsonrpc: "2.0" };
    cycle.self = cycle;
    let nested: unknown = "text";
    for (let depth = 0; depth < 40; depth++) nested = [nested, nested];
    const huge = [cycle, nested, Array(1e9), new Uint8Array(1e8), { text: "a".repeat(5_000_000) }];
    for (const params of huge) {
      const { bridge, posted, stopped } = setUp();
      for (const id of [1, 2]) bridge.receive({ jsonrpc: "2.0", id, method: "ping", params });
      expect(stopped).toEqual([]);
      bridge.receive({ jsonrpc: "2.0", id: 3, method: "ping", params });
      expect(stopped).toEqual(["it sent more than 8 MB in a second"]);
      expect(posted).toEqual([]);
    }
    const { request, stopped, passSeconds } = setUp();
    for (const id of [1, 2, 3]) {
      request(id, "ping", { text: "a".repeat(3_000_000) });
      if (id === 1) passSeconds(1);
    }
    expect(stopped).toEqual([]);
    request(4, "ping", { text: "a".repeat(3_000_000) });
    expect(stopped).toEqual(["it sent more than 8 MB in a second"]);
  });

  it("cuts long log messages of an App, and accepts a log message without a text", () => {
    const logs: string[] = [];
    const { bridge } = setUp({ onLog: (level, text) => logs.push(`${level} ${text}`) });
    const log = (params: JsonObject) => bridge.receive({ jsonrpc: "2.0", method: "notifications/message", params });
    log({ level: `begin${"l".repeat(100_000)}`, data: `start${"d".repeat(1_000_000)}` });
    log({ data: "d".repeat(2000) });
    log({});
    expect(logs).toEqual([`begin${"l".repeat(15)} start${"d".repeat(1995)}…`, `info ${"d".repeat(2000)}`, "info null"]);
  });

  it("refuses more than 16 open requests", async () => {
    const { posted, request } = setUp({ callTool: () => new Promise(() => {}) });
    for (let id = 1; id <= 17; id++) request(id, "tools/call", { name: "t" });
    await vi.waitFor(() => expect(posted).toHaveLength(1));
    expect(posted[0]).toMatchObject({ id: 17, error: { code: -32000 } });
  });

  it("stops an App that sends more than 500 messages at once, but not one that sends 100 each second", async () => {
    const { bridge, stopped, posted, request, passSeconds } = setUp();
    const send = (count: number) => {
      for (let index = 0; index < count; index++) bridge.receive({ jsonrpc: "2.0", method: "x" });
    };
    for (let second = 0; second < 60; second++) {
      send(100);
      passSeconds(1);
    }
    send(500);
    expect(stopped).toEqual([]);
    send(1);
    expect(stopped).toEqual(["it sent too many messages"]);
    request(1, "ping");
    // Answers are posted in a later task.
    await new Promise((resolve) => setImmediate(resolve));
    expect(posted).toEqual([]);
  });

  it("stops an App that sends slightly too many messages each second for a minute", () => {
    const { bridge, stopped, passSeconds } = setUp();
    for (let second = 0; second < 60; second++) {
      for (let index = 0; index < 110; index++) bridge.receive({ jsonrpc: "2.0", method: "x" });
      passSeconds(1);
    }
    expect(stopped).toEqual(["it sent too many messages"]);
  });

  it("waits until the App has finished before it closes the App, but not longer than the deadline", async () => {
    const { bridge, posted, request, initialize } = setUp();
    initialize();
    const closed = bridge.teardown(new Promise(() => {}));
    expect(posted.at(-1)).toMatchObject({ id: "teardown", method: "ui/resource-teardown" });
    bridge.receive({ jsonrpc: "2.0", id: "teardown", result: {} });
    await closed;
    const { length } = posted;
    request(1, "ping");
    bridge.contextChanged({ theme: "dark" });
    // Answers are posted in a later task.
    await new Promise((resolve) => setImmediate(resolve));
    expect(posted).toHaveLength(length);

    const silent = setUp();
    silent.initialize();
    await silent.bridge.teardown(Promise.resolve());
  });
});
