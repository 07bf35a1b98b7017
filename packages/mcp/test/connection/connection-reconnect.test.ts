/** Tests that a connection reconnects and refreshes its catalog on demand. */
import { describe, expect, it, vi } from "vitest";
import { ann, expectFailure, makeConnection, expectText } from "../helpers/connect.ts";
import { startRestartableHttp } from "../helpers/restartable-http.ts";
import { journalingServer } from "../helpers/journaling-server.ts";

const ctx = { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: false };
const call = (name: string) => ({ method: "tools/call", params: { name, arguments: {} } }) as const;
const calls = (server: { journal(): string[] }) => server.journal().filter((line) => line.startsWith("tools/call"));

describe("Connection.reconnect", () => {
  it("stops the process and starts another", async () => {
    const server = journalingServer();
    const { connection } = makeConnection(server);
    await connection.ready();
    const before = connection.pid;
    await connection.reconnect();
    expect(connection.pid).not.toBe(before);
    expect(expectText(await connection.request(call("echo"), ctx))).toBe(String(connection.pid));
  });

  it("fails the pending calls, and sends none of them again", async () => {
    const server = journalingServer({ handle: 'return method === "tools/call" && params.name === "hang";' });
    const { connection } = makeConnection(server);
    await connection.ready();
    const hanging = connection.request(call("hang"), ctx);
    await vi.waitFor(() => expect(calls(server)).toEqual(["tools/call hang"]), { timeout: 10_000 });
    await connection.reconnect();
    expect(expectFailure(await hanging).code).toBe("CONNECTION_CLOSED");
    expect(calls(server)).toEqual(["tools/call hang"]);
  });

  it("opens a connection that was never open or has failed permanently", async () => {
    const server = journalingServer();
    server.break();
    const { connection } = makeConnection(server, { limits: { maxCrashes: 1 } });
    await expect(connection.reconnect()).rejects.toMatchObject({ code: "SERVER_CRASHED" });
    expect(connection.state.phase).toBe("error");
    server.repair();
    await connection.reconnect();
    expect(connection.state.phase).toBe("ready");
  });
});

describe("Connection.refresh", () => {
  it("lists the tools at once and reports a change", async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
    let tools = [tool("one")];
    const server = await startRestartableHttp({ "tools/list": () => ({ resultType: "complete", tools }) });
    const changed = vi.fn();
    const { connection } = makeConnection({ url: server.url }, { overrides: { onChanged: changed } });
    await connection.ready();
    changed.mockClear();
    await connection.refresh();
    expect(changed).not.toHaveBeenCalled();
    tools = [tool("one"), tool("two")];
    await connection.refresh();
    expect(changed.mock.calls).toEqual([["tools"]]);
    expect(connection.catalog.tools.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  it("requests the other lists on their next use", async () => {
    const resources = () => ({ resultType: "complete", resources: [{ uri: "a:1", name: "one" }] });
    const server = await startRestartableHttp({ "resources/list": resources }, { capabilities: { resources: {} } });
    const { connection } = makeConnection({ url: server.url });
    await connection.resources();
    await connection.refresh();
    expect(server.count("resources/list")).toBe(1);
    await connection.resources();
    expect(server.count("resources/list")).toBe(2);
  });
});

describe("call that the server rejects temporarily", () => {
  it.each([
    { retryable: false, sent: 1, type: "failed" },
    { retryable: true, sent: 2, type: "complete" },
  ])(
    "is sent again only if it is retryable (retryable: $retryable, sent: $sent)",
    async ({ retryable, sent, type }) => {
      let refusals = 1;
      const done = { resultType: "complete", content: [] };
      const server = await startRestartableHttp({ "tools/call": () => (refusals-- > 0 ? { status: 503 } : done) });
      const { connection } = makeConnection({ url: server.url }, { limits: { firstRetryMs: 1, maxRetryMs: 1 } });
      const outcome = await connection.request(call("echo"), { ...ctx, retryable });
      expect(outcome.type).toBe(type);
      expect(server.count("tools/call echo")).toBe(sent);
    },
  );
});
