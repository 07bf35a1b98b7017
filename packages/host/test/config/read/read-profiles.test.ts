import { readLayerFromText } from "#config/read/read-layer.js";
import { describe, expect, it } from "vitest";

const FILE = "/home/ann/config.json";

describe("the key naming of a config file", () => {
  it.each([
    "mcp__{server}__{tool}",
    "{server}__{tool}",
    "mcp_{server}_{tool}",
    "mcp_{server}_{tool}_{hash8}",
    "{tool}",
  ])("can be %s", async (naming) => {
    expect(await read({ naming })).toMatchObject({ naming, problems: [] });
  });

  it.each([["{server}.{tool}"], [""], [7], [null], [["{tool}"]]])(
    "is reported as invalid if it is %j",
    async (naming) => {
      const layer = await read({ naming });
      expect(layer.naming).toBeUndefined();
      expect(layer.problems).toMatchObject([
        { severity: "error", message: expect.stringMatching(/^"naming" is .*; it must be one of "mcp__/) },
      ]);
    },
  );
});

describe("a profile in a config file", () => {
  it("can set servers, tools and mode", async () => {
    const review = {
      servers: ["files", "github"],
      tools: { include: ["*:get_*", "*"], exclude: ["github:get_x"] },
      mode: "search",
    };
    const { profiles, problems } = await read({ profiles: { review, all: {} } });
    expect(problems).toEqual([]);
    expect(profiles.get("review")).toEqual(review);
    expect(profiles.get("all")).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ["is not an object", [], "it must be an object"],
    ["has a string in servers", { servers: "files" }, '"servers" must be a list of server ids'],
    ["has an invalid server id", { servers: ["a b"] }, '"servers" must be a list of server ids, not "a b"'],
    ["has a list in tools", { tools: [] }, '"tools" must be an object with "include" or "exclude"'],
    [
      "has a tool pattern that names no server",
      { tools: { include: ["get_*"] } },
      '"tools.include" must be a list of "server:tool", with * for any part, not "get_*"',
    ],
    [
      "has a tool that is not a string",
      { tools: { exclude: [1] } },
      '"tools.exclude" must be a list of "server:tool", with * for any part, not 1',
    ],
    ["has a misspelt exclude", { tools: { exlude: ["*"] } }, 'unknown key "exlude"; did you mean "exclude"?'],
    ["has an unknown key", { server: ["a"] }, 'unknown key "server"; did you mean "servers"?'],
    ["has an unknown mode", { mode: "some" }, '"mode" must be "search" or "all"'],
  ])("is ignored with an error, so that it shows no tools by mistake, if it %s", async (_, profile, message) => {
    const { profiles, problems } = await read({ profiles: { bad: profile, good: {} } });
    expect([...profiles]).toEqual([
      ["bad", undefined],
      ["good", {}],
    ]);
    expect(problems).toMatchObject([{ severity: "error", message: `the profile "bad": ${message}` }]);
  });

  it("is ignored with an error if it is defined twice", async () => {
    const text = '{"profiles": {\n"a": {},\n"a": {"servers": []}}}';
    const { profiles, problems } = await readLayerFromText(FILE, text, { source: "user", folder: "/" });
    expect([...profiles]).toEqual([["a", undefined]]);
    expect(problems).toMatchObject([{ message: 'the profile "a" is defined twice, on lines 2 and 3' }]);
  });

  it.each(["a b", "../x", "", "x".repeat(65)])(
    "can't be called %j, because its name is part of a URL",
    async (name) => {
      const { profiles, problems } = await read({ profiles: { [name]: {} } });
      expect(profiles.size).toBe(0);
      expect(problems).toMatchObject([{ severity: "error", message: expect.stringContaining("a profile name") }]);
    },
  );

  it("is reported as an error if the key profiles is not an object", async () => {
    const { problems } = await read({ profiles: [] });
    expect(problems).toMatchObject([{ severity: "error", message: '"profiles" must be an object' }]);
  });
});

function read(mcp: object) {
  return readLayerFromText(FILE, JSON.stringify({ mcp }), { source: "user", folder: "/" });
}
