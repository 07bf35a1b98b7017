import { ToolRegistry } from "#tools/tool-registry.js";
import type { NativeTool } from "#tools/native-tool.js";
import { NAMINGS } from "@plugboard/contracts";
import type { Tool } from "@plugboard/contracts";
import type { ToolCatalog } from "@plugboard/mcp";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";

describe("ToolRegistry", () => {
  describe("offered tools", () => {
    it("are native tools first, then servers in config order", () => {
      const registry = new ToolRegistry();
      registry.setOrder(["files", "notes"]);
      registry.update("other", offer(["x"]));
      registry.update("notes", offer(["b", "a"]));
      registry.update("files", offer(["read"]));
      registry.register(native("now"));
      expect(names(registry)).toEqual(["now", "mcp__files__read", "mcp__notes__b", "mcp__notes__a", "mcp__other__x"]);
      registry.setOrder(["other"]);
      expect(names(registry).slice(1, 3)).toEqual(["mcp__other__x", "mcp__notes__b"]);
    });

    it("have their server, names and origin", () => {
      const registry = new ToolRegistry();
      const tool: Tool = {
        name: "read",
        title: "Read",
        inputSchema: { type: "object" },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
        taskOnly: true,
      };
      registry.update("files", { catalog: { tools: [tool], dropped: [] }, version: "1.2", filter: {} });
      registry.register(native("now"));
      const [now, read] = registry.list();
      const { pin, ...others } = JSON.parse(JSON.stringify(read)) as { pin: string };
      expect(others).toEqual({
        name: "mcp__files__read",
        server: "files",
        tool: "read",
        title: "Read",
        description: "",
        inputSchema: { type: "object" },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
        origin: "mcp",
        version: "1.2",
      });
      expect(pin).toMatch(/^[0-9a-f]{64}$/);
      expect(read?.definition).toBe(tool);
      expect(now).toMatchObject({ name: "now", server: "native", tool: "now", origin: "native" });
    });

    it("are the same array until something changes, and then only changed servers have new arrays", () => {
      const registry = withServers({ files: ["read"], notes: ["read"] });
      const [list, byServer] = [registry.list(), registry.byServer()];
      expect(registry.list()).toBe(list);
      registry.update("notes", offer(["write"]));
      expect(registry.list()).not.toBe(list);
      expect(registry.byServer().get("files")).toBe(byServer.get("files"));
      expect(registry.byServer().get("native")).toBe(byServer.get("native"));
      expect(registry.byServer().get("notes")).not.toBe(byServer.get("notes"));
    });

    it("stay the same array, without a notification, when a server offers the same tools again", () => {
      const registry = new ToolRegistry();
      const listener = vi.fn();
      const one = offer(["read"]);
      registry.update("files", one);
      const { generation } = registry;
      const list = registry.list();
      registry.onChanged(listener);
      registry.update("files", { ...one });
      expect(registry.list()).toBe(list);
      expect(registry.generation).toBe(generation);
      expect(listener).not.toHaveBeenCalled();
    });
  });

  describe("an unavailable server", () => {
    it("offers no tools, but find still resolves their names", () => {
      const registry = withServers({ files: ["read"], notes: ["read"] });
      registry.update("files", undefined);
      expect(names(registry)).toEqual(["mcp__notes__read"]);
      expect(registry.find("mcp__files__read")).toMatchObject({ server: "files", tool: "read" });
    });

    it("offers its tools again when it is back", () => {
      const registry = new ToolRegistry();
      const one = offer(["read"]);
      registry.update("files", one);
      registry.update("files", undefined);
      registry.update("files", one);
      expect(names(registry)).toEqual(["mcp__files__read"]);
      registry.update("files", undefined);
      registry.update("files", offer(["write"]));
      expect(names(registry)).toEqual(["mcp__files__write"]);
      expect(registry.find("mcp__files__read")).toBeUndefined();
    });

    it("frees its names when it is removed", () => {
      const registry = withServers({ files: ["read"] });
      registry.update("files", undefined);
      registry.remove("files");
      expect(registry.find("mcp__files__read")).toBeUndefined();
      expect(registry.find("files:read")).toBeUndefined();
      registry.register(native("mcp__files__read"));
      expect(registry.find("mcp__files__read")?.native).toBeDefined();
    });
  });

  describe("find", () => {
    const registry = withServers({ files: ["read", "a:b"] });
    registry.register(native("now"));

    it.each(["mcp__files__read", "files:read", { server: "files", tool: "read" }])("finds a tool by %j", (ref) => {
      expect(registry.find(ref)).toMatchObject({
        server: "files",
        tool: "read",
        name: "mcp__files__read",
        definition: { name: "read" },
      });
      expect(registry.find(ref)).not.toHaveProperty("native");
    });

    it.each(["now", "native:now", { server: "native", tool: "now" }])("finds a native tool by %j", (ref) => {
      expect(registry.find(ref)).toMatchObject({ server: "native", tool: "now", name: "now", native: { name: "now" } });
    });

    it("finds a tool whose name has a colon", () => {
      expect(registry.find("files:a:b")).toMatchObject({ server: "files", tool: "a:b" });
    });

    it.each([
      "",
      ":",
      "read",
      "Files:read",
      "files:Read",
      "MCP__files__read",
      "mcp__files__read ",
      "now:now",
      "native:read",
      "__proto__",
      { server: "native", tool: "toString" },
    ])("finds a tool only by its exact names, not by %j", (ref) => {
      expect(registry.find(ref)).toBeUndefined();
    });

    it("finds no unknown tool, and suggest returns the most similar name", () => {
      expect(registry.suggest("mcp__file__read")).toBe("mcp__files__read");
      expect(registry.suggest("file:read")).toBe("files:read");
      expect(registry.suggest({ server: "files", tool: "raed" })).toBe("files:read");
      expect(registry.suggest("nwo")).toBe("now");
      expect(registry.suggest("something else entirely")).toBeUndefined();
    });
  });

  describe("excluded tool", () => {
    it("is not offered, and is found as excluded", () => {
      const registry = new ToolRegistry();
      const tools = ["read", "read_all", "write_a"];
      registry.update("files", offer(tools, { include: ["read*", "write_*"], exclude: ["write_*"] }));
      expect(names(registry)).toEqual(["mcp__files__read", "mcp__files__read_all"]);
      for (const ref of ["mcp__files__write_a", "files:write_a", { server: "files", tool: "write_a" }]) {
        expect(registry.find(ref)).toMatchObject({ server: "files", tool: "write_a", excluded: "tools.exclude" });
      }
      expect(registry.find("files:read")).not.toHaveProperty("excluded");
      expect(registry.find("files:gone")).toBeUndefined();
    });

    it("is every tool that `include` does not match", () => {
      const registry = new ToolRegistry();
      registry.update("files", offer(["read", "write"], { include: ["read"] }));
      expect(names(registry)).toEqual(["mcp__files__read"]);
      expect(registry.find("files:write")).toMatchObject({ excluded: "tools.include" });
      registry.update("files", offer(["read", "write"], { include: [] }));
      expect(names(registry)).toEqual([]);
    });

    it("does not occupy a name", () => {
      const registry = new ToolRegistry("{tool}");
      registry.update("a", offer(["read"], { exclude: ["read"] }));
      registry.update("b", offer(["read"]));
      expect(registry.find("read")).toMatchObject({ server: "b" });
      expect(registry.collisions()).toEqual([]);
    });

    it("is updated when the filter changes", () => {
      const registry = new ToolRegistry();
      const { catalog } = offer(["read", "write"]);
      registry.update("files", { catalog, filter: { exclude: ["write"] } });
      registry.update("files", { catalog, filter: {} });
      expect(names(registry)).toEqual(["mcp__files__read", "mcp__files__write"]);
    });
  });

  describe("disabled tool", () => {
    const write = { server: "files", tool: "write" };

    it("is not offered, and is found as disabled, until it is enabled", () => {
      const registry = withServers({ files: ["read", "write"] });
      registry.setEnabled(write, false);
      expect(names(registry)).toEqual(["mcp__files__read"]);
      expect(registry.find("mcp__files__write")).toMatchObject({ ...write, disabled: "tool_disabled" });
      expect(registry.find("mcp__files__read")).not.toHaveProperty("disabled");
      registry.setEnabled(write, true);
      expect(names(registry)).toEqual(["mcp__files__read", "mcp__files__write"]);
      expect(registry.find("mcp__files__write")).not.toHaveProperty("disabled");
    });

    it("stays disabled whatever its server does, even if it was not listed yet", () => {
      const registry = new ToolRegistry();
      registry.setEnabled(write, false);
      registry.update("files", offer(["read", "write"]));
      expect(names(registry)).toEqual(["mcp__files__read"]);
      registry.update("files", undefined);
      registry.update("files", offer(["write"]));
      expect(names(registry)).toEqual([]);
      registry.remove("files");
      registry.update("files", offer(["write"]));
      expect(names(registry)).toEqual([]);
    });

    it("can be a native tool", () => {
      const registry = new ToolRegistry();
      registry.register(native("now"));
      registry.setEnabled({ server: "native", tool: "now" }, false);
      expect(names(registry)).toEqual([]);
      expect(registry.find("now")).toMatchObject({ disabled: "tool_disabled" });
      registry.setEnabled({ server: "native", tool: "now" }, true);
      expect(names(registry)).toEqual(["now"]);
    });

    it("keeps its name, and so do all tools of a hidden server", () => {
      const registry = new ToolRegistry("{tool}");
      registry.update("files", offer(["write"]));
      registry.setEnabled(write, false);
      registry.update("notes", offer(["write"]));
      expect(registry.find("write")).toMatchObject({ server: "files", disabled: "tool_disabled" });
      registry.update("files", offer(["write"], { hidden: true }));
      registry.setEnabled(write, true);
      expect(registry.find("write")).toMatchObject({ server: "files", disabled: "server_disabled" });
      expect(names(registry)).toEqual([]);
    });
  });

  describe("native tool", () => {
    it("registered on demand is made once, when it is first listed or called, but reserves its name at once", () => {
      const registry = new ToolRegistry("{tool}");
      const make = vi.fn(() => native("own"));
      registry.registerOnDemand("own", make);
      registry.setEnabled({ server: "native", tool: "own" }, false);
      registry.update("a", offer(["own", "other"]));
      expect(names(registry)).toEqual(["other"]);
      expect(make).not.toHaveBeenCalled();
      registry.setEnabled({ server: "native", tool: "own" }, true);
      expect(names(registry)).toEqual(["own", "other"]);
      expect(registry.find("own")?.native).toBeDefined();
      expect(make).toHaveBeenCalledOnce();
    });

    it(
      "owns its name, so that a server's tool of the same name is found only as server:tool",
      { meta: { covers: ["A6"] } },
      () => {
        const registry = new ToolRegistry("{tool}");
        registry.register(native("read"));
        registry.update("files", offer(["read"]));
        expect(registry.list()).toMatchObject([{ name: "read", origin: "native" }]);
        expect(registry.find("read")?.native).toBeDefined();
        expect(registry.find("files:read")).toMatchObject({ server: "files" });
        expect(registry.find("files:read")).not.toHaveProperty("name");
        expect(registry.collisions()).toMatchObject([{ server: "files", tool: "read" }]);
        registry.unregister("read");
        expect(registry.list()).toMatchObject([{ name: "read", origin: "mcp", server: "files" }]);
      },
    );

    it.each(["now", "mcp__files__read"])("can't be registered under the taken name %s", (name) => {
      const registry = withServers({ files: ["read"] });
      registry.register(native("now"));
      expect(() => registry.register(native(name))).toThrow(expect.objectContaining({ code: "NAME_TAKEN" }));
      expect(registry.list()).toHaveLength(2);
    });

    it.each([
      ["no name", { name: undefined }, "name"],
      ["a name with a space", { name: "a b" }, "name"],
      ["a name that starts with a digit", { name: "1a" }, "name"],
      ["a name that is too long", { name: "a".repeat(65) }, "name"],
      ["no description", { description: undefined }, "description"],
      ["an invalid schema", { inputSchema: "string" }, "inputSchema"],
      ["no run function", { run: undefined }, "run"],
    ])("is rejected with a reason if it has %s", (_, wrong, what) => {
      const registry = new ToolRegistry();
      const tool = { ...native("now"), ...wrong } as unknown as NativeTool;
      expect(() => registry.register(tool)).toThrow(expect.objectContaining({ code: "TOOL_INVALID" }));
      expect(() => registry.register(tool)).toThrow(`its ${what} must be`);
      expect(registry.list()).toEqual([]);
    });

    it("is removed when it is unregistered, and frees its name", () => {
      const registry = new ToolRegistry();
      registry.register(native("now"));
      expect(registry.unregister("now")).toBe(true);
      expect(registry.unregister("now")).toBe(false);
      expect(registry.find("now")).toBeUndefined();
      registry.register(native("now"));
      expect(names(registry)).toEqual(["now"]);
    });

    it("can't be imitated by a server with the id `native`", { meta: { covers: ["A6"] } }, () => {
      const registry = new ToolRegistry();
      expect(() => registry.update("native", offer(["now"]))).toThrow(
        expect.objectContaining({ code: "SERVER_INVALID" }),
      );
      expect(registry.list()).toEqual([]);
    });
  });

  it("renames all tools when the naming changes", () => {
    const registry = withServers({ files: ["read"], notes: ["read"] });
    registry.register(native("now"));
    registry.setNaming("{tool}");
    expect(names(registry)).toEqual(["now", "read"]);
    expect(registry.find("mcp__files__read")).toBeUndefined();
    expect(registry.collisions()).toMatchObject([{ server: "notes" }]);
    registry.setNaming("{server}__{tool}");
    expect(names(registry)).toEqual(["now", "files__read", "notes__read"]);
  });

  it("offers a tool whose name was taken as soon as the name becomes free", () => {
    const registry = new ToolRegistry("{tool}");
    registry.update("a", offer(["read"]));
    registry.update("b", offer(["read"]));
    expect(registry.list()).toMatchObject([{ server: "a" }]);
    registry.update("a", offer([]));
    expect(registry.list()).toMatchObject([{ server: "b", name: "read" }]);
  });

  it("notifies its listeners of changes until they unsubscribe", () => {
    const registry = new ToolRegistry();
    const listener = vi.fn();
    const stop = registry.onChanged(listener);
    registry.update("files", undefined);
    expect(listener).toHaveBeenCalledTimes(0);
    registry.update("files", offer(["read"]));
    registry.register(native("now"));
    registry.setEnabled({ server: "files", tool: "read" }, false);
    registry.setEnabled({ server: "files", tool: "read" }, false);
    registry.update("files", undefined);
    registry.remove("files");
    expect(listener).toHaveBeenCalledTimes(5);
    stop();
    registry.unregister("now");
    expect(listener).toHaveBeenCalledTimes(5);
  });

  it(
    "resolves each offered name to its tool, and never has a name twice, after any changes",
    { meta: { covers: ["A6"] } },
    () => {
      const servers = ["a", "a_", "a__b"];
      const tools = ["b__c", "c", "_b", "b", "now"];
      const happening = fc.oneof(
        fc.record({
          do: fc.constant("update" as const),
          server: fc.constantFrom(...servers),
          tools: fc.subarray(tools),
        }),
        fc.record({ do: fc.constant("away" as const), server: fc.constantFrom(...servers) }),
        fc.record({ do: fc.constant("remove" as const), server: fc.constantFrom(...servers) }),
        fc.record({
          do: fc.constant("toggle" as const),
          server: fc.constantFrom(...servers),
          tool: fc.constantFrom(...tools),
          on: fc.boolean(),
        }),
        fc.record({ do: fc.constant("naming" as const), naming: fc.constantFrom(...NAMINGS) }),
        fc.record({ do: fc.constant("register" as const), name: fc.constantFrom("now", "b") }),
        fc.record({ do: fc.constant("unregister" as const), name: fc.constantFrom("now", "b") }),
      );
      fc.assert(
        fc.property(fc.array(happening, { maxLength: 20 }), (happenings) => {
          const registry = new ToolRegistry();
          for (const one of happenings) {
            if (one.do === "update") registry.update(one.server, offer(one.tools));
            else if (one.do === "away") registry.update(one.server, undefined);
            else if (one.do === "remove") registry.remove(one.server);
            else if (one.do === "toggle") registry.setEnabled(one, one.on);
            else if (one.do === "naming") registry.setNaming(one.naming);
            else if (one.do === "unregister") registry.unregister(one.name);
            else if (!registry.find(one.name)) registry.register(native(one.name));
            const listed = registry.list();
            expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
            for (const { name, server, tool, definition } of listed) {
              const found = registry.find(name)!;
              expect(found).toMatchObject({ server, tool, name });
              expect(found.definition).toBe(definition);
              expect(found.excluded ?? found.disabled).toBeUndefined();
            }
          }
        }),
      );
    },
  );
});

function withServers(servers: { readonly [id: string]: readonly string[] }): ToolRegistry {
  const registry = new ToolRegistry();
  for (const [id, tools] of Object.entries(servers)) registry.update(id, offer(tools));
  return registry;
}

function offer(tools: readonly string[], filter: { include?: string[]; exclude?: string[]; hidden?: boolean } = {}) {
  const catalog: ToolCatalog = {
    tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })),
    dropped: [],
  };
  return { catalog, filter };
}

function native(name: string): NativeTool {
  return { name, description: "Does it", inputSchema: { type: "object" }, run: () => ({ content: [] }) };
}

function names(registry: ToolRegistry): string[] {
  return registry.list().map(({ name }) => name);
}
