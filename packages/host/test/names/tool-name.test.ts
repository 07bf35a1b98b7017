import { toolName } from "#names/tool-name.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const HASHED = /_[0-9a-f]{8}$/;

describe("toolName", { meta: { covers: ["R3.31", "R4.14"] } }, () => {
  it.each([
    ["files", "read_file", "mcp__files__read_file"],
    ["a-b_c", "Do-It", "mcp__a-b_c__Do-It"],
    ["a", "b_", "mcp__a__b_"],
    ["_a", "b", "mcp___a__b"],
    ["a", "b__", "mcp__a__b__"],
    ["a", "b__c", "mcp__a__b__c"],
    ["a", "_b", "mcp__a___b"],
    ["a", "cafe", "mcp__a__cafe"],
    ["s".repeat(20), "t".repeat(37), `mcp__${"s".repeat(20)}__${"t".repeat(37)}`],
  ])("creates a plain name for the unambiguous pair %s and %s", (server, tool, name) => {
    expect(toolName(server, tool)).toBe(name);
  });
});

describe("the hash in a name from toolName", () => {
  it.each([
    ["if a character is replaced", "files", "read file"],
    ["if a character is a dot", "files", "read.file"],
    ["if a character is not ASCII", "files", "größe"],
    ["if the name is too long", "s".repeat(20), "t".repeat(38)],
    ["if both parts have the maximum length", "s".repeat(64), "t".repeat(128)],
    ["if the server contains the separator", "a__b", "c"],
    ["if the server ends with half of the separator", "a_", "b"],
    ["if the plain name looks like a hashed one", "a", "b_deadbeef"],
    ["if the tool looks like a hash", "a", "_01234567"],
  ])("is added %s", { meta: { covers: ["R0.42"] } }, (_, server, tool) => {
    expect(toolName(server, tool)).toMatch(HASHED);
  });

  it("stays the same in every version, because names are stored in rules and conversations", () => {
    expect(toolName("files", "read file")).toBe("mcp__files__read_file_b0f45761");
    expect(toolName("a__b", "c")).toBe("mcp__a__b__c_528239e9");
    expect(toolName("s".repeat(64), "t")).toBe(`mcp__${"s".repeat(50)}_cb6f315b`);
  });
});

describe("toolName with two pairs of server and tool", { meta: { covers: ["A6", "R0.45", "R3.64", "R3.85"] } }, () => {
  it.each([
    ["a separator in the server and one in the tool", ["a__b", "c"], ["a", "b__c"]],
    ["an underscore at the end of the server and one at the start of the tool", ["a_", "b"], ["a", "_b"]],
    ["three underscores that are split differently", ["a_", "_b"], ["a", "__b"]],
    ["a replaced character and an underscore", ["a", "b.c"], ["a", "b_c"]],
    ["two characters that are replaced by the same one", ["a", "b.c"], ["a", "b c"]],
    ["tools that differ only after the maximum length", ["a", `${"t".repeat(100)}1`], ["a", `${"t".repeat(100)}2`]],
    ["servers that differ only after the maximum length", [`${"s".repeat(63)}1`, "t"], [`${"s".repeat(63)}2`, "t"]],
    ["tools that differ only in case", ["a", "B"], ["a", "b"]],
    ["a lone surrogate and its escape sequence", ["a", "\ud800"], ["a", "\\ud800"]],
  ] as const)("gives different names for %s", (_, [server, tool], [otherServer, otherTool]) => {
    expect(toolName(server, tool)).not.toBe(toolName(otherServer, otherTool));
  });

  it("gives different names for all pairs of up to five characters", () => {
    const pairs = new Map<string, string>();
    const shared: string[] = [];
    for (const server of words(["a", "_"], 5)) {
      for (const tool of words(["a", "_", "."], 5)) {
        const name = toolName(server, tool);
        const [pair, other] = [JSON.stringify([server, tool]), pairs.get(name)];
        if (other !== undefined) shared.push(`${pair} and ${other}: ${name}`);
        pairs.set(name, pair);
      }
    }
    expect(shared).toEqual([]);
    expect(pairs.size).toBe(62 * 363);
  });

  it("gives different names for two pairs that have the same text when they are joined", () => {
    const piece = fc.constantFrom("a", "b", "_", "__", "-", ".", " ", "_deadbeef", "_0123abcd", "é");
    const joined = fc.array(piece, { minLength: 3, maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(joined, fc.nat(), fc.nat(), (text, first, second) => {
        const [pair, other] = [splitPair(text, first), splitPair(text, second)];
        fc.pre(pair[0] !== other[0] || pair[1] !== other[1]);
        expect(toolName(...pair)).not.toBe(toolName(...other));
      }),
    );
  });

  it("gives different names for a pair and a second pair that spells the name of the first", () => {
    fc.assert(
      fc.property(
        serverId(),
        fc.string({ unit: "binary", minLength: 1, maxLength: 80 }),
        fc.nat(),
        (server, tool, at) => {
          const name = toolName(server, tool);
          const [otherServer, otherTool] = splitPair(name.slice("mcp__".length), at);
          fc.pre(otherServer !== server || otherTool !== tool);
          expect(toolName(otherServer, otherTool)).not.toBe(name);
        },
      ),
    );
  });
});

it("toolName creates names that every model provider accepts", { meta: { covers: ["R0.41", "R2.125"] } }, () => {
  fc.assert(
    fc.property(serverId(), fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), (server, tool) => {
      expect(toolName(server, tool)).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
    }),
  );
});

/** Returns every word that the letters form, up to a length. */
function words(letters: readonly string[], length: number): string[] {
  if (length === 0) return [];
  const shorter = words(letters, length - 1);
  const longest = shorter.filter((word) => word.length === length - 1);
  return [...shorter, ...(length === 1 ? [""] : longest).flatMap((word) => letters.map((letter) => word + letter))];
}

/** Splits a text into a pair at one of its separators, or after the first character if it has none. */
function splitPair(text: string, choice: number): [server: string, tool: string] {
  const separators = [...text.matchAll(/(?=__)/g)]
    .map(({ index }) => index)
    .filter((index) => index > 0 && index + 2 < text.length);
  const index = separators[choice % separators.length];
  return index === undefined ? [text.slice(0, 1), text.slice(1)] : [text.slice(0, index), text.slice(index + 2)];
}

function serverId(): fc.Arbitrary<string> {
  return fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/);
}
