/** Tests the effect of a project's files before and after the user trusts them. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ConfiguredServer } from "#definition/definition.js";
import { readConfig } from "#read/read-config.js";
import { definitionHash } from "#definition/definition-hash.js";
import { createHost } from "@plugboard/host";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let root: string;
let home: string;
let project: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "plugboard-project-")));
  home = join(root, "home");
  project = join(home, "app");
  await write("user.json", {});
});
afterEach(() => rm(root, { recursive: true }));

const FILES = [".mcp.json", ".plugboard/config.json", ".plugboard/config.local.json"];

describe.each(FILES)("an untrusted %s", { meta: { covers: ["A1"] } }, (name) => {
  const file = () => join(project, name);

  it("defines no server, and lists the whole definition as pending", async () => {
    await writeProject(name, { servers: { a: { command: "evil", args: ["x"] } } });
    const { servers, pending } = await read();
    expect(servers.size).toBe(0);
    expect(pending).toMatchObject([
      { id: "a", file: file(), folder: project, definition: { command: "evil", args: ["x"] } },
    ]);
  });

  it("does not replace a server of the user", async () => {
    await write("user.json", { servers: { a: { command: "mine" } } });
    await writeProject(name, { servers: { a: { command: "evil" } } });
    const { servers, pending } = await read();
    expect(servers.get("a")).toMatchObject({ source: "user", definition: { command: "mine", enabled: true } });
    expect(pending).toHaveLength(1);
  });

  it("does not replace a server of the user, even if the project's entry is invalid", async () => {
    await write("user.json", { servers: { a: { command: "mine" } } });
    await writeProject(name, { servers: { a: { command: 7 }, b: { command: 7 } } });
    const { servers, problems } = await read();
    expect(servers.get("a")).toMatchObject({ source: "user", definition: { command: "mine" } });
    expect(servers.get("b")).toMatchObject({ definition: { invalid: '"command" must be a string' } });
    expect(problems).toHaveLength(2);
  });

  it("does not enable a server that the user has disabled", async () => {
    await write("user.json", { servers: { a: { command: "mine", enabled: false } } });
    await writeProject(name, { servers: { a: { enabled: true }, unknown: { enabled: true } } });
    const { servers, pending } = await read();
    expect(servers.get("a")).toMatchObject({ definition: { enabled: false } });
    expect(pending).toMatchObject([
      { id: "a", file: file(), enabledBy: file(), definition: { command: "mine", enabled: true } },
    ]);
    expect(pending[0]!.source).toMatch(/project|local/);
  });

  it.each([
    ["with an entry that has only enabled", { enabled: false }],
    ["with a full definition", { command: "x", enabled: false }],
    ["with the key disabled of other clients", { disabled: true }],
  ])("disables a server at once, %s", async (_, entry) => {
    await write("user.json", { servers: { a: { command: "mine" } } });
    await writeProject(name, { servers: { a: entry } });
    const { servers, pending } = await read();
    expect(servers.get("a")).toMatchObject({ source: "user", definition: { command: "mine", enabled: false } });
    expect(pending).toEqual([]);
  });

  it("adds no server that an invocation could enable by its id", async () => {
    await writeProject(name, { servers: { a: { command: "evil", enabled: false }, b: { command: "evil" } } });
    const { servers } = await read({ servers: { a: { enabled: true }, b: { enabled: true } } });
    expect(servers.size).toBe(0);
  });

  it("applies deny and ask rules at once", async () => {
    await writeProject(name, { permissions: { deny: ["a:x"], ask: ["a:y"] } });
    const { rules, problems } = await read();
    expect(rules.map(({ effect, text, file: ruleFile }) => [effect, text, ruleFile])).toEqual([
      ["deny", "a:x", file()],
      ["ask", "a:y", file()],
    ]);
    expect(problems).toEqual([]);
  });
});

describe.each(FILES)("a trusted %s", { meta: { covers: ["A1"] } }, (name) => {
  const isTrusted = () => true;

  it.each([
    ["allow", { permissions: { allow: ["*"] } }],
    ["naming", { naming: "{tool}" }],
    ["profiles", { profiles: { all: {} } }],
  ])("can't set %s", async (key, content) => {
    await writeProject(name, content);
    const { rules, naming, profiles, problems } = await read({}, isTrusted);
    expect(rules).toEqual([]);
    expect(naming).toBe("mcp__{server}__{tool}");
    expect(profiles.size).toBe(0);
    const message = `"${key}" is ignored in a project's file; to use it, add it to your own config file`;
    expect(problems).toMatchObject([{ severity: "warning", file: join(project, name), line: 1, message }]);
  });

  it("can't set trust_annotations", async () => {
    await writeProject(name, { servers: { a: { command: "x", trust_annotations: true } } });
    const { servers, problems } = await read({}, isTrusted);
    expect(servers.get("a")).toMatchObject({ definition: { trustAnnotations: false } });
    expect(problems).toMatchObject([
      { severity: "warning", server: "a", message: expect.stringMatching(/^"trust_annotations" is ignored/) },
    ]);
  });

  it.each(["trust", "trusted", "approvals", "config_home", "model_base_url"])(
    "can't set the unknown key %s",
    async (key) => {
      await writeProject(name, { servers: {}, [key]: "x" });
      const { problems } = await read({}, isTrusted);
      expect(problems).toMatchObject([{ severity: "warning", message: expect.stringContaining("unknown key") }]);
    },
  );

  it("is rejected if it sets permission_mode, which may be meant as permissions", async () => {
    await writeProject(name, { servers: {}, permission_mode: "x" });
    expect((await read({}, isTrusted)).readErrors).toMatchObject([{ code: "CONFIG_INVALID" }]);
  });
});

describe("readConfig with a trusted project", () => {
  it("replaces the user's definition with the project's, and nothing is pending", async () => {
    await write("user.json", { servers: { a: { command: "mine" } } });
    await writeProject(".mcp.json", { mcpServers: { a: { command: "theirs" } } });
    const { servers, pending } = await read({}, () => true);
    expect(servers.get("a")).toMatchObject({ source: "project", definition: { command: "theirs" } });
    expect(pending).toEqual([]);
  });

  it("enables a server that the user has disabled, which still belongs to the user layer", async () => {
    await write("user.json", { servers: { a: { command: "mine", enabled: false } } });
    await writeProject(".mcp.json", { mcpServers: { a: { enabled: true } } });
    const { servers } = await read({}, () => true);
    expect(servers.get("a")).toMatchObject({ source: "user", definition: { command: "mine", enabled: true } });
    expect(servers.get("a")).not.toHaveProperty("enabledBy");
  });

  it("applies the trusted definition, and a different definition with the same id stays pending", async () => {
    await writeProject(".mcp.json", { mcpServers: { a: { command: "one" } } });
    const [one] = (await read()).pending;
    const trusted = definitionHash(one!);
    await writeProject(".plugboard/config.json", { servers: { a: { command: "two" } } });
    const { servers, pending } = await read({}, (candidate) => definitionHash(candidate) === trusted);
    expect(servers.get("a")).toMatchObject({ definition: { command: "one" } });
    expect(pending).toMatchObject([{ definition: { command: "two" } }]);
  });
});

describe("readConfig lists no pending server", () => {
  it("if the invocation redefines the server", async () => {
    await writeProject(".mcp.json", { mcpServers: { a: { command: "theirs" } } });
    const { servers, pending } = await read({ servers: { a: { command: "mine" } } });
    expect(servers.get("a")).toMatchObject({ source: "invocation" });
    expect(pending).toEqual([]);
  });

  it("if a project file of higher priority disables the server", async () => {
    await writeProject(".mcp.json", { mcpServers: { a: { command: "theirs" } } });
    await writeProject(".plugboard/config.local.json", { servers: { a: { enabled: false } } });
    expect((await read()).pending).toEqual([]);
  });

  it("if a project file only enables a server that is enabled already", async () => {
    await write("user.json", { servers: { a: { command: "mine" } } });
    await writeProject(".mcp.json", { mcpServers: { a: { enabled: true } } });
    expect((await read()).pending).toEqual([]);
  });
});

it(
  "createHost lists the servers of a project but does not start them before the user trusts them",
  { meta: { covers: ["A1"] } },
  async () => {
    await writeProject(".mcp.json", { mcpServers: { a: { command: "evil" } } });
    const env = { PLUGBOARD_CONFIG_PATH: join(root, "user.json") };
    const host = await createHost({ cwd: project, env, config: ["user", "project"] });
    try {
      expect(await host.ready()).toEqual({ ready: [], errors: {} });
      expect(host.status()).toMatchObject([{ id: "a", state: "disabled", lastError: { code: "SERVER_UNTRUSTED" } }]);
      await expect(host.tools.call("a:x", {})).rejects.toMatchObject({ code: "SERVER_UNTRUSTED" });
    } finally {
      await host.close();
    }
  },
);

function writeProject(name: string, content: object): Promise<void> {
  return write(join("home", "app", name), content);
}

async function write(path: string, content: object): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), JSON.stringify(content));
}

function read(spec: { servers?: { [id: string]: object } } = {}, isTrusted?: (candidate: ConfiguredServer) => boolean) {
  const env = { PLUGBOARD_CONFIG_PATH: join(root, "user.json") };
  const options = {
    home,
    managedConfigPath: join(root, "none.json"),
    ...(isTrusted && { loadTrust: async () => isTrusted }),
  };
  return readConfig({ cwd: project, ...spec }, env, options);
}
