/** Tests where each layer is found, and how layers that define the same server are merged. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultManagedConfigPath } from "#files/config-paths.js";
import { referencedEnv } from "#resolve/referenced-env.js";
import { readConfig } from "#read/read-config.js";
import { isForeignUser } from "#files/file-owner.js";
import type { ReadConfigOptions } from "#read/read-config.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/** A temporary folder that contains a home folder, which contains a project. */
let root: string;
let home: string;
let project: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "plugboard-layers-")));
  home = join(root, "home");
  project = join(home, "work", "app");
  await mkdir(join(project, "src", "deep"), { recursive: true });
  await write("user.json", {});
});
afterEach(() => rm(root, { recursive: true }));

describe("the managed layer", () => {
  it.each<[NodeJS.Platform, string]>([
    ["linux", "/etc/plugboard/config.json"],
    ["darwin", "/Library/Application Support/plugboard/config.json"],
    ["win32", "C:\\ProgramData\\plugboard\\config.json"],
  ])("is on %s at %s, whatever the environment", (platform, path) => {
    expect(defaultManagedConfigPath(platform)).toBe(path);
  });

  it("defines servers that run in the home folder, with the lowest priority", async () => {
    await write("managed.json", { servers: { a: { command: "managed" }, b: { command: "managed" } } });
    await write("user.json", { servers: { b: { command: "user" } } });
    const { servers } = await read();
    expect(servers.get("a")).toMatchObject({ source: "managed", folder: home, definition: { command: "managed" } });
    expect(servers.get("b")).toMatchObject({ source: "user", definition: { command: "user" } });
  });

  it.each([
    ["an entry with only enabled", { enabled: false }],
    ["a full definition", { command: "managed", enabled: false }],
  ])("disables a server with %s, and no other layer can enable it", async (_, entry) => {
    await write("managed.json", { servers: { a: entry } });
    await write("user.json", { servers: { a: { command: "user", enabled: true } } });
    await write("extra.json", { servers: { a: { enabled: true } } });
    const { servers, pending, problems } = await read({ configFiles: [join(root, "extra.json")] });
    expect(servers.get("a")).toMatchObject({ definition: { command: "user", enabled: false } });
    expect(pending).toEqual([]);
    const message = "the administrator has disabled it here; no other file can enable it";
    expect(problems).toEqual([{ severity: "warning", file: join(root, "managed.json"), server: "a", message }]);
  });

  it("disables servers that an invocation or a project defines", async () => {
    await write("managed.json", { servers: { a: { enabled: false }, b: { enabled: false } } });
    await write("home/work/app/.mcp.json", { mcpServers: { b: { command: "project" } } });
    const { servers, pending } = await read({ servers: { a: { command: "mine" } } });
    expect(servers.get("a")).toMatchObject({ definition: { enabled: false } });
    expect(pending).toEqual([]);
  });

  it("gives no warning about a server that it disables if no other layer enables that server", async () => {
    await write("managed.json", { servers: { a: { enabled: false } } });
    await write("user.json", { servers: { a: { command: "x", enabled: false } } });
    expect((await read()).problems).toEqual([]);
  });

  it("adds rules whose source is managed", async () => {
    await write("managed.json", { permissions: { deny: ["*:delete_*"] } });
    await write("user.json", { permissions: { allow: ["a:*"] } });
    const { rules } = await read();
    expect(rules).toMatchObject([
      { effect: "deny", text: "*:delete_*", source: "managed", file: join(root, "managed.json") },
      { effect: "allow", text: "a:*", source: "user" },
    ]);
  });
});

describe("project files", () => {
  const trustAll = { loadTrust: async () => () => true };

  it("are both read: .plugboard/config.json has priority over .mcp.json, and servers run in the project's folder", async () => {
    await write("home/work/app/.mcp.json", { mcpServers: { a: { command: "first" }, b: { command: "first" } } });
    await write("home/work/app/.plugboard/config.json", { mcp: { servers: { b: { command: "second" } } } });
    const { servers } = await read({ cwd: join(project, "src", "deep") }, trustAll);
    expect(servers.get("a")).toMatchObject({ source: "project", folder: project, definition: { command: "first" } });
    expect(servers.get("b")).toMatchObject({ source: "project", folder: project, definition: { command: "second" } });
  });

  it("are read only from the nearest folder that has a project file", async () => {
    await write("home/work/.mcp.json", { mcpServers: { outer: { command: "x" } } });
    await write("home/work/app/src/.plugboard/config.json", { servers: { inner: { command: "x" } } });
    const { servers } = await read({ cwd: join(project, "src", "deep") }, trustAll);
    expect([...servers.keys()]).toEqual(["inner"]);
  });

  it("are not searched for in the home folder or above", async () => {
    await write("home/.mcp.json", { mcpServers: { a: { command: "x" } } });
    await write("home/.plugboard/config.local.json", { servers: { b: { command: "x" } } });
    await write(".mcp.json", { mcpServers: { c: { command: "x" } } });
    for (const cwd of [project, home]) {
      const { servers, files } = await read({ cwd }, trustAll);
      expect(servers.size).toBe(0);
      expect(files).not.toContain(join(home, ".mcp.json"));
    }
  });

  it("are not searched for in the home folder if a link leads there", async () => {
    await write("home/.mcp.json", { mcpServers: { a: { command: "x" } } });
    await symlink(home, join(root, "link"));
    const { servers } = await read({ cwd: join(root, "link", "work") }, trustAll);
    expect(servers.size).toBe(0);
  });

  it(
    "have paths without symbolic links, so that trust does not follow a link to a new target",
    { meta: { covers: ["A1"] } },
    async () => {
      await write("home/work/app/.mcp.json", { mcpServers: { a: { command: "./run" } } });
      await write("home/work/app/.plugboard/config.local.json", { servers: { b: { command: "./run" } } });
      await symlink(project, join(root, "link"));
      const { pending } = await read({ cwd: join(root, "link", "src") });
      expect(pending).toMatchObject([
        { id: "a", folder: project, file: join(project, ".mcp.json") },
        { id: "b", folder: project, file: join(project, ".plugboard", "config.local.json") },
      ]);
      await symlink(join(root, "link", "src", "deep"), join(home, "work", "out"));
      expect((await read({ cwd: join(home, "work", "out") })).pending).toHaveLength(2);
    },
  );

  it("are also found outside the home folder", async () => {
    await write("srv/.mcp.json", { mcpServers: { a: { command: "x" } } });
    await mkdir(join(root, "srv", "x"));
    const { servers } = await read({ cwd: join(root, "srv", "x") }, trustAll);
    expect(servers.get("a")).toMatchObject({ folder: join(root, "srv") });
  });

  it("have a lower priority than the local file in the same folder", async () => {
    await write("home/work/app/.mcp.json", { mcpServers: { a: { command: "project" } } });
    await write("home/work/app/.plugboard/config.local.json", { servers: { a: { command: "local" } } });
    await write("home/work/app/src/.plugboard/config.local.json", { servers: { b: { command: "elsewhere" } } });
    const { servers } = await read({ cwd: join(project, "src") }, trustAll);
    expect([...servers.values()]).toMatchObject([
      { id: "a", source: "local", folder: project, definition: { command: "local" } },
    ]);
  });

  it("are not required for a local file, which then defines the project's folder", async () => {
    await write("home/work/app/.plugboard/config.local.json", { servers: { a: { command: "local" } } });
    const { servers } = await read({ cwd: join(project, "src", "deep") }, trustAll);
    expect(servers.get("a")).toMatchObject({ source: "local", folder: project });
  });

  it("belong to the user layer if PLUGBOARD_CONFIG_PATH names them", async () => {
    await write("home/work/app/.plugboard/config.json", { servers: { a: { command: "x" } } });
    const { servers, pending } = await read({}, {}, { PLUGBOARD_CONFIG_PATH: join(project, ".plugboard/config.json") });
    expect(servers.get("a")).toMatchObject({ source: "user" });
    expect(pending).toEqual([]);
    await symlink(project, join(root, "link"));
    const linked = { PLUGBOARD_CONFIG_PATH: join(root, "link", ".plugboard", "config.json") };
    expect((await read({ cwd: join(root, "link") }, {}, linked)).pending).toEqual([]);
  });
});

describe("a project file of another user", { meta: { covers: ["A1"] } }, () => {
  const allForeign = { isForeignUser: () => true };
  const rules = { permissions: { deny: ["*"] } };

  it.each([".mcp.json", ".plugboard/config.json", ".plugboard/config.local.json"])(
    "is ignored, with a warning, if it is above the current folder: %s",
    async (name) => {
      await write(`home/work/app/${name}`, rules);
      const config = await read({ cwd: join(project, "src") }, allForeign);
      expect(config.rules).toEqual([]);
      expect(config.problems).toEqual([
        {
          severity: "warning",
          file: join(project, name),
          message: expect.stringContaining(`another user (uid ${process.getuid?.() ?? 0})`) as string,
        },
      ]);
      expect(config.files).toContain(join(project, name));
    },
  );

  it("is read if it is in the current folder", async () => {
    await write("home/work/app/.mcp.json", rules);
    const config = await read({}, allForeign);
    expect(config.rules).toHaveLength(1);
    expect(config.problems).toEqual([]);
  });
});

it.each<[boolean, string, number, number]>([
  [false, "the current user", 1000, 1000],
  [false, "root", 0, 1000],
  [true, "another user", 1001, 1000],
  [true, "another user if the current user is root", 1000, 0],
])("isForeignUser returns %s for %s", { meta: { covers: ["A1"] } }, (expected, _, uid, ownUid) => {
  expect(isForeignUser(uid, ownUid)).toBe(expected);
});

it("readConfig returns every path that it read or searched, so that a host can watch them", async () => {
  await write("home/work/app/.mcp.json", {});
  const { files } = await read({ cwd: join(project, "src"), configFiles: [] });
  expect(files).toEqual([
    join(root, "managed.json"),
    join(root, "user.json"),
    join(project, ".mcp.json"),
    join(project, "src", ".mcp.json"),
    join(project, "src", ".plugboard", "config.json"),
    join(project, ".plugboard", "config.json"),
    join(project, ".plugboard", "config.local.json"),
    join(project, "src", ".plugboard", "config.local.json"),
    join(home, "work", ".plugboard", "config.local.json"),
  ]);
});

describe("readConfig with several layers", () => {
  it("uses the naming of the highest layer and merges profiles by name", async () => {
    await write("managed.json", { mcp: { naming: "{tool}", profiles: { a: { cwd: "/a" }, b: {}, c: {} } } });
    await write("user.json", { mcp: { naming: "{server}__{tool}", profiles: { b: { cwd: "/b" }, c: [] } } });
    const { naming, profiles } = await read();
    expect(naming).toBe("{server}__{tool}");
    // The invalid profile c of the user layer hides the profile c of the managed layer.
    expect([...profiles]).toEqual([
      ["a", { cwd: "/a" }],
      ["b", { cwd: "/b" }],
    ]);
  });

  it("prefers the naming of the invocation, and uses the default naming if no layer sets it", async () => {
    await write("user.json", { mcp: { naming: "{tool}" } });
    expect((await read({ naming: "{server}__{tool}" })).naming).toBe("{server}__{tool}");
    await write("user.json", {});
    expect((await read()).naming).toBe("mcp__{server}__{tool}");
  });
});

it("referencedEnv includes the variables of servers that wait for trust, because another process may grant the trust", async () => {
  await write("home/work/app/.mcp.json", {
    mcpServers: { a: { url: "https://x", headers: { A: "${ONE}", B: { $file: "${TWO}" } } } },
  });
  const env = { PLUGBOARD_CONFIG_PATH: join(root, "user.json"), ONE: "1", TWO: "2", THREE: "3" };
  expect(await referencedEnv({ cwd: project }, env, { home, managedConfigPath: join(root, "managed.json") })).toEqual({
    PLUGBOARD_CONFIG_PATH: env.PLUGBOARD_CONFIG_PATH,
    ONE: "1",
    TWO: "2",
  });
});

async function write(path: string, content: object): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), JSON.stringify(content));
}

function read(
  spec: Partial<Parameters<typeof readConfig>[0]> = {},
  options: ReadConfigOptions = {},
  env: { [name: string]: string } = {},
) {
  const fullEnv = { PLUGBOARD_CONFIG_PATH: join(root, "user.json"), ...env };
  return readConfig({ cwd: project, ...spec }, fullEnv, {
    home,
    managedConfigPath: join(root, "managed.json"),
    ...options,
  });
}
