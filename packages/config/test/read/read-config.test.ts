import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { referencedEnv } from "#resolve/referenced-env.js";
import { readConfig } from "#read/read-config.js";
import { createHost } from "@plugboard/host";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let cwd: string;
const nowhere = { XDG_CONFIG_HOME: "/nonexistent", APPDATA: "/nonexistent" };
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "plugboard-config-"));
});
afterEach(() => rm(cwd, { recursive: true }));

describe("the user's config file", () => {
  it(
    "is at PLUGBOARD_CONFIG_PATH, and its servers run in the home folder",
    { meta: { covers: ["R1.17", "R2.90"] } },
    async () => {
      await write("mine.json", '{"servers": {"files": {"command": "x"}}}');
      const { servers } = await readConfig({ cwd }, { PLUGBOARD_CONFIG_PATH: join(cwd, "mine.json") });
      expect(servers.get("files")).toMatchObject({ source: "user", folder: homedir() });
    },
  );

  it(
    "is found relative to the home folder, so that no file of a project is used instead",
    { meta: { covers: ["A1"] } },
    async () => {
      const home = join(cwd, "home");
      const project = join(cwd, "project");
      await Promise.all([mkdir(home), mkdir(project)]);
      await write("home/mine.json", '{"servers": {"mine": {"command": "x"}}}');
      await write("project/mine.json", '{"servers": {"theirs": {"command": "x"}}, "permissions": {"allow": ["*"]}}');
      const { servers, rules } = await readConfig({ cwd: project }, { PLUGBOARD_CONFIG_PATH: "mine.json" }, { home });
      expect([...servers.keys()]).toEqual(["mine"]);
      expect(rules).toEqual([]);
    },
  );

  it("is named with its absolute path in the error if it does not exist", async () => {
    await expect(readConfig({ cwd }, { PLUGBOARD_CONFIG_PATH: "none.json" }, { home: cwd })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      details: { file: join(cwd, "none.json"), reason: "the file does not exist; PLUGBOARD_CONFIG_PATH names it" },
    });
  });

  it("is at the default path if the variable is empty", async () => {
    const { servers } = await readConfig({ cwd }, { ...nowhere, PLUGBOARD_CONFIG_PATH: "" });
    expect(servers.size).toBe(0);
  });

  it("is rejected if it is not valid UTF-8, because a deny rule could become ineffective", async () => {
    await writeFile(join(cwd, "latin1.json"), Buffer.from('{"permissions": {"deny": ["*:l\xf6schen"]}}', "latin1"));
    await expect(readConfig({ cwd }, { PLUGBOARD_CONFIG_PATH: join(cwd, "latin1.json") })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      details: { file: join(cwd, "latin1.json"), reason: "it is not UTF-8" },
    });
  });
});

it("referencedEnv returns only variables for paths and variables that definitions refer to", async () => {
  const file = join(cwd, "config.json");
  await write(
    "config.json",
    '{"servers": {"a": {"command": "${RUN}", "args": ["${constructor}", "$${NOT}", "${T:-x}"]}}}',
  );
  const env = { PLUGBOARD_CONFIG_PATH: file, RUN: "r", T: "t", NOT: "n", OTHER: "o" };
  expect(await referencedEnv({ cwd }, env)).toEqual({ PLUGBOARD_CONFIG_PATH: file, RUN: "r", T: "t" });
});

describe("createHost with an invalid option", () => {
  it.each<[string, object, string]>([
    [
      "a string instead of a list of rules",
      { permissions: { deny: "x" } },
      '"deny" must be an array of rules like "server:tool"',
    ],
    ["a string instead of permissions", { permissions: "deny *" }, '"permissions" must be an object'],
    ["an empty string instead of permissions", { permissions: "" }, '"permissions" must be an object'],
    ["a Set", { permissions: { deny: new Set(["*"]) } }, '"deny" is a Set, which can\'t be written as JSON'],
    ["a Map", { permissions: new Map([["deny", ["*"]]]) }, '"permissions" is a Map, which can\'t be written as JSON'],
    ["a function", { permissions: { deny: () => ["*"] } }, '"deny" is a function, which can\'t be written as JSON'],
    [
      "a bigint",
      { servers: { a: { command: "x", max_timeout_ms: 5n } } },
      '"max_timeout_ms" is a bigint, which can\'t be written as JSON',
    ],
    ["a circular object", { servers: circularObject() }, "it can't be written as JSON"],
  ])(
    "throws CONFIG_INVALID for %s instead of ignoring it, because a deny rule might be lost",
    async (_, options, reason) => {
      await expect(createHost({ cwd, env: nowhere, ...options })).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        details: { file: "(invocation)", reason },
      });
    },
  );
});

it("createHost reports the problems of its config files and options", async () => {
  await write("more.json", '{"mcp": {"colour": 1}}');
  const servers = { bad: { command: "" } };
  const host = await createHost({ cwd, env: nowhere, servers, configFiles: ["more.json"] });
  try {
    expect(host.config.problems()).toEqual([
      { severity: "warning", file: join(cwd, "more.json"), line: 1, column: 10, message: 'unknown key "colour"' },
      {
        severity: "error",
        file: "(invocation)",
        server: "bad",
        message: '"command" must not be empty',
      },
    ]);
  } finally {
    await host.close();
  }
});

async function write(name: string, text: string): Promise<void> {
  await writeFile(join(cwd, name), text);
}

function circularObject(): object {
  const servers: { [id: string]: unknown } = {};
  servers["a"] = servers;
  return servers;
}
