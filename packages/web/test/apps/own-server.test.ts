/** Tests what an App may do at its own server, and that it reaches no other. */
import type { JsonObject, OfferedTool, ToolResult, Workspace } from "@plugboard/contracts";
import { ownServerPorts } from "#apps/own-server.js";
import { describe, expect, it, vi } from "vitest";

const RESULT: ToolResult = { content: [] };

function setUp(call: () => Promise<ToolResult> = () => Promise.resolve(RESULT)) {
  const tool = (server: string, name: string, ui?: object) => ({ server, tool: name, ui }) as OfferedTool;
  const tools = {
    list: () =>
      Promise.resolve([
        tool("other", "secret"),
        tool("other", "shared", { forApps: false }),
        tool("apps", "shared"),
        tool("apps", "count", { forModel: false, forApps: true }),
        tool("apps", "plan", { forModel: true, forApps: false }),
      ]),
    call: vi.fn<(ref: object, args: JsonObject, options: object) => Promise<ToolResult>>(call),
  };
  const resources = {
    read: vi.fn<(server: string, uri: string, options: object) => Promise<unknown>>(async () => [{ uri: "a:b" }]),
    list: vi.fn<(options: object) => Promise<unknown>>(async () => ({
      resources: [{ server: "apps", uri: "a:b", name: "b" }],
    })),
  };
  let calls: readonly string[] = [];
  const stopped = new AbortController();
  const ports = ownServerPorts(
    "apps",
    () => ({ tools, resources }) as unknown as Workspace,
    (change) => (calls = change(calls)),
    stopped.signal,
  );
  return { ports, tools, resources, calls: () => calls, signal: { signal: stopped.signal } };
}

describe("the own server of an App", () => {
  it("is the only server whose tools the App can call", async () => {
    const { ports, tools, signal } = setUp();
    expect(await ports.callTool("count", { n: 1 })).toBe(RESULT);
    await ports.callTool("shared", {});
    expect(tools.call.mock.calls).toEqual([
      [{ server: "apps", tool: "count" }, { n: 1 }, { id: expect.any(String), ...signal }],
      [{ server: "apps", tool: "shared" }, {}, { id: expect.any(String), ...signal }],
    ]);
  });

  it.each(["secret", "other:secret", "plan", "missing"])("does not offer the tool %s to the App", async (name) => {
    const { ports, tools, calls } = setUp();
    await expect(ports.callTool(name, {})).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    expect(tools.call).not.toHaveBeenCalled();
    expect(calls()).toEqual([]);
  });

  it("has the id of each open call in the list of calls until the call ends, also if it fails", async () => {
    const ends: (() => void)[] = [];
    const { ports, tools, calls } = setUp(
      () =>
        new Promise((resolve, reject) =>
          ends.push(() => (ends.length > 2 ? reject(new Error("no")) : resolve(RESULT))),
        ),
    );
    const first = ports.callTool("count", {});
    const second = ports.callTool("shared", {});
    const third = ports.callTool("count", {});
    await vi.waitFor(() => expect(calls()).toHaveLength(3));
    const ids = tools.call.mock.calls.map(([, , options]) => (options as { id: string }).id);
    expect(new Set(ids).size).toBe(3);
    expect(calls()).toEqual(ids);
    ends[0]!();
    await expect(first).rejects.toThrow("no");
    expect(calls()).toEqual(ids.slice(1));
    ends[1]!();
    await expect(second).rejects.toThrow("no");
    expect(calls()).toEqual(ids.slice(2));
    ends[2]!();
    await expect(third).rejects.toThrow("no");
    expect(calls()).toEqual([]);
  });

  it("is the only server whose resources the App can read and list", async () => {
    const { ports, resources, signal } = setUp();
    expect(await ports.readResource("a:b")).toEqual([{ uri: "a:b" }]);
    expect(resources.read.mock.calls).toEqual([["apps", "a:b", signal]]);
    expect(await ports.listResources()).toEqual([{ uri: "a:b", name: "b" }]);
    expect(resources.list.mock.calls).toEqual([[{ server: "apps", ...signal }]]);
  });
});
