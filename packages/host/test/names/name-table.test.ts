import { NameTable } from "#names/name-table.js";
import { toolName } from "#names/tool-name.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

it(
  "NameTable resolves each name to its tool, and each tool to its name",
  { meta: { covers: ["R2.126", "R4.8"] } },
  () => {
    const table = tableOf({ files: ["read", "write file"], notes: ["read"] });
    expect([...table.names()]).toHaveLength(3);
    for (const [server, tool] of [
      ["files", "read"],
      ["files", "write file"],
      ["notes", "read"],
    ] as const) {
      const name = table.nameOf(server, tool)!;
      expect(name).toBe(toolName(server, tool));
      expect(table.resolve(name)).toEqual({ server, tool });
    }
  },
);

it("NameTable returns undefined for unknown tools and servers", () => {
  const table = tableOf({ files: ["read"] });
  expect(table.resolve("mcp__files__write")).toBeUndefined();
  expect(table.resolve("read")).toBeUndefined();
  expect(table.nameOf("files", "write")).toBeUndefined();
  expect(table.nameOf("notes", "read")).toBeUndefined();
});

it(
  "NameTable resolves similar names to different tools, because it does not parse names",
  { meta: { covers: ["A6"] } },
  () => {
    const table = tableOf({ a: ["b__c", "_d"], a__b: ["c"], a_: ["d"] });
    const resolved = [...table.names()].map((name) => table.resolve(name));
    expect(resolved).toEqual([
      { server: "a", tool: "b__c" },
      { server: "a", tool: "_d" },
      { server: "a__b", tool: "c" },
      { server: "a_", tool: "d" },
    ]);
  },
);

it("NameTable updates the names of one server, and leaves those of other servers unchanged", () => {
  const table = tableOf({ files: ["read", "write"], notes: ["read"] });
  table.update("files", items(["write", "move"]));
  expect([...table.names()].toSorted()).toEqual(["mcp__files__move", "mcp__files__write", "mcp__notes__read"]);
  expect(table.resolve("mcp__files__read")).toBeUndefined();
  expect(table.nameOf("files", "read")).toBeUndefined();
  table.update("files", items([]));
  expect([...table.names()]).toEqual(["mcp__notes__read"]);
});

it("NameTable gives tools the same names, in whatever order servers come and go", () => {
  const servers = ["a", "a_", "a__b", "b"];
  const tools = ["b__c", "c", "_b", "b"];
  const expected = tableOf(Object.fromEntries(servers.map((server) => [server, tools])));
  const change = fc.tuple(fc.constantFrom(...servers), fc.subarray(tools));
  fc.assert(
    fc.property(fc.array(change), fc.shuffledSubarray(servers, { minLength: servers.length }), (changes, order) => {
      const table = new NameTable();
      for (const [server, offered] of changes) table.update(server, items(offered));
      for (const server of order) table.update(server, items(tools));
      expect([...table.names()].toSorted()).toEqual([...expected.names()].toSorted());
      for (const name of table.names()) expect(table.resolve(name)).toEqual(expected.resolve(name));
    }),
  );
});

describe("NameTable with two tools whose names collide", { meta: { covers: ["A6"] } }, () => {
  const first = { server: "a", tool: "_x%%~ !" };
  const second = { server: "a_", tool: "x~!;%." };
  const name = "mcp__a___x______bad874fc";

  it("does not offer the later tool, and reports the reason", () => {
    const table = tableOf({ a: [first.tool], a_: [second.tool, "y"] });
    expect(table.resolve(name)).toEqual(first);
    expect(table.nameOf("a", first.tool)).toBe(name);
    expect(table.nameOf("a_", second.tool)).toBeUndefined();
    expect(table.nameOf("a_", "y")).toBe(toolName("a_", "y"));
    expect(table.collisions()).toEqual([{ ...second, reason: `its name ${name} belongs to "a:_x%%~ !"` }]);
  });

  it("detects a collision within one server", () => {
    const table = tableOf({ a: ["t$%~&.", "t?#=,."] });
    expect([...table.names()]).toHaveLength(1);
    expect(table.collisions()).toMatchObject([{ server: "a", tool: "t?#=,." }]);
  });

  it("leaves the name with its owner even if a server that connected earlier adds a tool with that name", () => {
    const table = tableOf({ a_: [], a: [first.tool] });
    table.update("a_", items([second.tool]));
    expect(table.resolve(name)).toEqual(first);
  });

  it("gives the name to the later tool when the first tool is removed", () => {
    const table = tableOf({ a: [first.tool], a_: [second.tool] });
    table.update("a", items([]));
    expect(table.resolve(name)).toEqual(second);
    expect(table.nameOf("a_", second.tool)).toBe(name);
    expect(table.collisions()).toEqual([]);
  });

  it("finds no collision among ordinary names", () => {
    expect(tableOf({ a: ["b__c", "_d"], a__b: ["c"], a_: ["d"] }).collisions()).toEqual([]);
  });
});

describe("NameTable with a name that is reserved for a native tool", () => {
  it("does not give the name to a tool of a server, and reports the collision", { meta: { covers: ["A6"] } }, () => {
    const table = new NameTable("{tool}");
    expect(table.reserve("read")).toBeUndefined();
    table.update("files", items(["read", "write"]));
    expect(table.resolve("read")).toEqual({ server: "native", tool: "read" });
    expect(table.nameOf("files", "read")).toBeUndefined();
    expect(table.nameOf("files", "write")).toBe("write");
    expect(table.collisions()).toEqual([
      { server: "files", tool: "read", reason: 'its name read belongs to "native:read"' },
    ]);
  });

  it("returns the owner instead of reserving a name that a server's tool owns", () => {
    const table = tableOf({ files: ["read"] });
    expect(table.reserve("mcp__files__read")).toEqual({ server: "files", tool: "read" });
    expect(table.resolve("mcp__files__read")).toEqual({ server: "files", tool: "read" });
  });

  it("gives a released name to the server's tool that could not have it before", () => {
    const table = new NameTable("{tool}");
    table.reserve("read");
    table.update("files", items(["read"]));
    expect(table.release("read")).toEqual([{ server: "files", tool: "read" }]);
    expect(table.nameOf("files", "read")).toBe("read");
    expect(table.collisions()).toEqual([]);
  });
});

describe("NameTable.remove", () => {
  it("gives a name of the server to the next tool that could not have it before", () => {
    const table = new NameTable("{tool}");
    for (const server of ["a", "b", "c"]) table.update(server, items(["read"]));
    expect(table.remove("b")).toEqual([]);
    expect(table.remove("a")).toEqual([{ server: "c", tool: "read" }]);
    expect(table.resolve("read")).toEqual({ server: "c", tool: "read" });
    expect(table.remove("c")).toEqual([]);
    expect([...table.names()]).toEqual([]);
  });

  it("releases all names of the server, even if two of its tools collide", () => {
    const table = tableOf({ a: ["t$%~&.", "t?#=,."] });
    expect(table.remove("a")).toEqual([]);
    expect([...table.names()]).toEqual([]);
    expect(table.collisions()).toEqual([]);
  });
});

function tableOf(servers: { readonly [server: string]: readonly string[] }): NameTable {
  const table = new NameTable();
  for (const [server, tools] of Object.entries(servers)) table.update(server, items(tools));
  return table;
}

function items(tools: readonly string[]): { readonly name: string }[] {
  return tools.map((name) => ({ name }));
}
