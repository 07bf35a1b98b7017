import { readLayerFromText } from "#read/read-layer.js";
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
  it("can set servers, tools, mode, rules, names, a folder and a limit for results", async () => {
    const review = {
      servers: ["files", "github"],
      tools: { include: ["*:get_*", "*"], exclude: ["github:get_x"] },
      permissions: { allow: ["files:read_*"], ask: ["github:*"], deny: ["files:write(path=/etc/*)"] },
      naming: "{server}__{tool}",
      cwd: "~/work",
      max_result_bytes: 20_000,
    };
    const single = { servers: ["files"], naming: "{tool}", cwd: "/srv/work" };
    const { profiles, problems, rules } = await read({ profiles: { review, single, all: {} } });
    expect(profiles.get("single")).toEqual(single);
    expect(rules).toEqual([]);
    expect(problems).toEqual([]);
    expect(profiles.get("review")).toEqual(review);
    expect(profiles.get("all")).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ["is not an object", [], "it must be an object"],
    ["has a string in servers", { servers: "files" }, '"servers" must be a list of server ids'],
    ["has an invalid server id", { servers: ["a b"] }, '"a b" in "servers" is not a server id'],
    ["has a list in tools", { tools: [] }, '"tools" must be an object'],
    [
      "has a tool pattern that names no server",
      { tools: { include: ["get_*"] } },
      '"get_*" in "tools.include" is not of the form "server:tool"',
    ],
    [
      "has a tool that is not a string",
      { tools: { exclude: [1] } },
      '1 in "tools.exclude" is not of the form "server:tool"',
    ],
    ["has a misspelt exclude", { tools: { exlude: ["*"] } }, 'unknown key "exlude"; did you mean "exclude"?'],
    ["has an unknown key", { server: ["a"] }, 'unknown key "server"; did you mean "servers"?'],
    ["has a list in permissions", { permissions: [] }, '"permissions" must be an object'],
    ["has a string as rules", { permissions: { deny: "*" } }, '"permissions.deny" must be a list of rules'],
    ["has a misspelt deny", { permissions: { denny: ["*"] } }, 'unknown key "denny"; did you mean "deny"?'],
    [
      "has an invalid rule",
      { permissions: { deny: ["files"] } },
      '"files" in "permissions.deny" is not a rule: it has no tool',
    ],
    [
      "has a rule that is not a string",
      { permissions: { deny: [1] } },
      '1 in "permissions.deny" is not a rule: it must be a string',
    ],
    ["has an unknown naming", { naming: "{server}" }, '"naming" must be "{server}__{tool}" or "{tool}"'],
    ["names tools without the server", { naming: "{tool}" }, '"naming" can be "{tool}" only if "servers" names one'],
    [
      "names tools of two servers without the server",
      { servers: ["a", "b"], naming: "{tool}" },
      '"naming" can be "{tool}" only if "servers" names one server',
    ],
    ["has a relative folder", { cwd: "work" }, '"cwd" must be an absolute path, or a path that begins with ~/'],
    ["has a folder that is not a string", { cwd: 1 }, '"cwd" must be an absolute path'],
    ["has a limit that is too small", { max_result_bytes: 999 }, '"max_result_bytes" must be a whole number of at'],
    ["has a limit with a fraction", { max_result_bytes: 2000.5 }, '"max_result_bytes" must be a whole number of at'],
  ])("is ignored with an error, so that it shows no tools by mistake, if it %s", async (_, profile, message) => {
    const { profiles, problems } = await read({ profiles: { bad: profile, good: {} } });
    expect([...profiles]).toEqual([
      ["bad", undefined],
      ["good", {}],
    ]);
    const expected = expect.stringContaining(`the profile "bad": ${message}`);
    expect(problems).toMatchObject([{ severity: "error", message: expected }]);
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
