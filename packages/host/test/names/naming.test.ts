import { NameTable } from "#names/name-table.js";
import { FRONT_NAMING, MAX_FRONT_NAME_LENGTH } from "#names/naming.js";
import { NAMINGS } from "@plugboard/contracts";
import { toolName } from "#names/tool-name.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const HASHED = /_[0-9a-f]{8}$/;
const PROVIDERS = {
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
};

/** Pieces of names that are easily confused: by separator, case, look or truncation. */
const toolPiece = fc.constantFrom(
  "a",
  "A",
  "b",
  "_",
  "__",
  "-",
  ".",
  " ",
  "ａ",
  "а",
  "ﬁ",
  "fi",
  "\u200b",
  "\ud800",
  "9",
);
const tool = fc.oneof(
  fc.array(toolPiece, { maxLength: 6 }).map((pieces) => pieces.join("")),
  fc.constantFrom("", "_", "__", "x_deadbeef", "_01234567", "t".repeat(60), "t".repeat(61), "T".repeat(60)),
  fc.string({ unit: "binary", maxLength: 80 }),
);
const serverPiece = fc.constantFrom("a", "A", "b", "_", "__", "-", "9");
const server = fc.oneof(
  fc.array(serverPiece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join("")),
  fc.constantFrom("s".repeat(64), "S".repeat(64), "_", "9", "mcp", "native"),
);

describe.each(NAMINGS)("the naming %s", { meta: { covers: ["A6"] } }, (naming) => {
  it("creates names that every model provider accepts", () => {
    fc.assert(
      fc.property(server, tool, (server, tool) => {
        for (const safe of Object.values(PROVIDERS)) expect(toolName(server, tool, naming)).toMatch(safe);
      }),
    );
  });

  it("never gives two tools the same name, whatever the order of the servers", () => {
    const servers = fc.uniqueArray(fc.tuple(server, fc.uniqueArray(tool, { maxLength: 5 })), {
      maxLength: 5,
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(servers, fc.nat(), (servers, rotation) => {
        const start = servers.length === 0 ? 0 : rotation % servers.length;
        const inOrder = offered(naming, servers);
        const rotated = offered(naming, [...servers.slice(start), ...servers.slice(0, start)]);
        for (const [name, pair] of inOrder.byName) {
          expect(name).toBe(toolName(pair.server, pair.tool, naming));
          if (naming !== "{tool}") expect(rotated.byName.get(name)).toEqual(pair);
        }
        // Every tool has a name or is reported as a collision.
        expect(inOrder.byName.size + inOrder.collisions).toBe(servers.flatMap(([, tools]) => tools).length);
      }),
    );
  });

  it("fills in the format for an ordinary tool, without adding a hash", () => {
    const plain = naming.replace("{server}", "files").replace("{tool}", "read_file").replace("{hash8}", "b84e15f0");
    expect(toolName("files", "read_file", naming)).toBe(plain);
  });
});

describe("names for clients of the gateway", { meta: { covers: ["A6"] } }, () => {
  const frontName = (id: string, name: string) => toolName(id, name, FRONT_NAMING, MAX_FRONT_NAME_LENGTH);

  it("are plain names of the server and the tool if these fit into 48 characters", () => {
    expect(frontName("files", "read_file")).toBe("files__read_file");
    expect(frontName("s".repeat(20), "t".repeat(26))).toBe(`${"s".repeat(20)}__${"t".repeat(26)}`);
  });

  it("end in a hash if they had to be shortened", () => {
    const name = frontName("s".repeat(20), "t".repeat(27));
    expect(name).toMatch(/^s{20}__t{17}_[0-9a-f]{8}$/);
    expect(name).toHaveLength(48);
  });

  it("never exceed 48 characters and never belong to two tools", () => {
    const pairs = fc.uniqueArray(fc.tuple(server, tool), { maxLength: 12, selector: ([id, name]) => `${id}\n${name}` });
    fc.assert(
      fc.property(pairs, fc.constantFrom(FRONT_NAMING, "{tool}" as const), (pairs, naming) => {
        const table = new NameTable(naming, MAX_FRONT_NAME_LENGTH);
        for (const id of new Set(pairs.map(([server]) => server))) {
          table.update(
            id,
            pairs.filter(([server]) => server === id).map(([, name]) => ({ name })),
          );
        }
        const names = pairs.flatMap(([id, name]) => table.nameOf(id, name) ?? []);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,47}$/);
        expect(names.length + table.collisions().length).toBe(pairs.length);
        for (const [id, name] of pairs) {
          const outward = table.nameOf(id, name);
          if (outward !== undefined) expect(table.resolve(outward)).toEqual({ server: id, tool: name });
        }
      }),
    );
  });
});

describe("toolName", () => {
  it.each([
    ["if the name would begin with the digit of the server", "{server}__{tool}", "1a", "b", /^_1a__b_/],
    ["if the name would begin with the dash of the tool", "{tool}", "a", "-b", /^_-b_/],
    ["if the format is {tool} and the tool's name is empty", "{tool}", "a", "", /^__/],
    ["if the server contains the separator _", "mcp_{server}_{tool}", "a_b", "c", /^mcp_a_b_c_/],
    ["if the server contains the separator __", "{server}__{tool}", "a__b", "c", /^a__b__c_/],
    ["if the name already ends like a hash", "mcp_{server}_{tool}", "a", "b_deadbeef", /^mcp_a_b_deadbeef_/],
    ["if the name is too long", "{tool}", "a", "t".repeat(65), /^t{55}_/],
    ["if the tool contains a letter that only looks like ASCII", "{tool}", "a", "re\u0430d", /^re_d_/],
  ] as const)("adds a hash %s", (_, naming, server, tool, form) => {
    const name = toolName(server, tool, naming);
    expect(name).toMatch(form);
    expect(name).toMatch(HASHED);
  });
});

it("toolName keeps the underscores of a tool, without a hash, if the server has none", () => {
  expect(toolName("a", "b_c", "mcp_{server}_{tool}")).toBe("mcp_a_b_c");
  expect(toolName("a", "_b", "mcp_{server}_{tool}")).toBe("mcp_a__b");
});

it("NameTable distinguishes names that differ only in case", { meta: { covers: ["A6"] } }, () => {
  const table = new NameTable();
  table.update("files", [{ name: "read" }]);
  table.update("Files", [{ name: "read" }, { name: "Read" }]);
  expect(table.resolve("mcp__files__read")).toEqual({ server: "files", tool: "read" });
  expect(table.resolve("mcp__Files__read")).toEqual({ server: "Files", tool: "read" });
  expect(table.resolve("mcp__Files__Read")).toEqual({ server: "Files", tool: "Read" });
  expect(table.resolve("mcp__files__Read")).toBeUndefined();
  expect(table.resolve("MCP__files__read")).toBeUndefined();
});

function offered(naming: (typeof NAMINGS)[number], servers: [string, string[]][]) {
  const table = new NameTable(naming);
  for (const [server, tools] of servers) {
    table.update(
      server,
      tools.map((name) => ({ name })),
    );
  }
  const byName = new Map([...table.names()].map((name) => [name, table.resolve(name)!]));
  return { byName, collisions: table.collisions().length };
}
