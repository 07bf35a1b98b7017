import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { nodeValue } from "#parse/members.js";
import { parseConfigText } from "#parse/parse-config-text.js";
import type { ConfigChange } from "#edit/apply-change.js";
import { createConfigFile } from "#edit/create-config-file.js";
import { editConfig } from "#edit/edit-config.js";
import { beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../store/test/helpers/run-child.ts";
import { runChild } from "../helpers/run-child.ts";

/** The number of processes, and of edits that each makes. */
const [EDITORS, EDITS] = process.env["PLUGBOARD_LONG"] ? [8, 50] : [4, 20];

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await realpath(await temporaryFolder());
  file = join(folder, "config.json");
});

const set = (id: string, entry: object = { command: "x" }): ConfigChange => ({
  type: "set_server",
  id,
  entry,
});
const remove = (id: string): ConfigChange => ({ type: "remove_server", id });
const allow = (rule: string): ConfigChange => ({ type: "add_rule", effect: "allow", rule });

describe("editConfig on a missing file", () => {
  it("creates the file and its folders for the owner only", async () => {
    const path = join(folder, "a", "b", "config.json");
    const edit = await editConfig(path, set("files", { command: "npx", args: ["-y", "fs"] }));
    expect(edit).toEqual({ file: path, changed: true, after: { command: "npx", args: ["-y", "fs"] }, problems: [] });
    expect(await readFile(path, "utf8")).toBe(`{
  "version": 1,
  "mcp": {
    "servers": {
      "files": {
        "command": "npx",
        "args": ["-y", "fs"]
      }
    }
  }
}
`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "a", "b"))).toEqual(["config.json"]);
  });

  it.each<[string, ConfigChange]>([
    ["a server", remove("files")],
    ["a rule", { type: "remove_rule", effect: "deny", rule: "*:*" }],
  ])("does not create the file if the change only removes %s", async (_, change) => {
    expect(await editConfig(join(folder, "a", "config.json"), change)).toMatchObject({ changed: false });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("editConfig", () => {
  it("keeps comments, order, indentation, line endings and the byte-order mark", async () => {
    const before =
      '\ufeff// mine\r\n{\r\n\t"mcp": {\r\n\t\t"servers": {\r\n\t\t\t"b": { "command": "b" }, // why\r\n\t\t}\r\n\t}\r\n}\r\n';
    await writeFile(file, before);
    const edit = await editConfig(file, set("a"));
    expect(edit).toMatchObject({ changed: true, after: { command: "x" } });
    const added = '\r\n\t\t\t"a": {\r\n\t\t\t\t"command": "x"\r\n\t\t\t},';
    expect(await readFile(file, "utf8")).toBe(before.replace("// why", `// why${added}`));
    expect(await editConfig(file, remove("a"))).toMatchObject({ changed: true, before: { command: "x" } });
    expect(await readFile(file, "utf8")).toBe(before);
  });

  it("does not write the file if nothing changes", async () => {
    await writeFile(file, '{"servers":{"a":{"command":"x"}}}');
    const { ino } = await stat(file);
    expect(await editConfig(file, set("a"))).toMatchObject({ changed: false });
    expect(await editConfig(file, remove("b"))).toEqual({ file, changed: false, problems: [] });
    expect((await stat(file)).ino).toBe(ino);
  });

  it("keeps the mode and the owner of the file", async () => {
    await writeFile(file, "{}");
    await chmod(file, 0o640);
    const root = process.getuid?.() === 0;
    if (root) await chown(file, 65534, 65534);
    const before = await stat(file);
    await editConfig(file, set("a"));
    const { mode, uid, gid } = await stat(file);
    expect({ mode, uid, gid }).toEqual({ mode: before.mode, uid: before.uid, gid: before.gid });
  });

  it("keeps a symbolic link, even if its target does not exist yet", async () => {
    const dotfiles = join(folder, "dotfiles");
    await mkdir(dotfiles);
    await symlink(join("dotfiles", "plugboard.json"), file);
    for (const id of ["a", "b"]) {
      expect(await editConfig(file, set(id))).toMatchObject({ file: join(dotfiles, "plugboard.json"), changed: true });
    }
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readlink(file)).toBe(join("dotfiles", "plugboard.json"));
    expect(await readdir(dotfiles)).toEqual(["plugboard.json"]);
    expect(await value()).toMatchObject({ mcp: { servers: { a: {}, b: {} } } });
  });
});

describe("editConfig with a link in a project", { meta: { covers: ["A1"] } }, () => {
  const setInProject = (linked: string, source: "project" | "local") => editConfig(linked, set("a"), source);

  it.each([
    ["project", "config.json"],
    ["local", "config.local.json"],
  ] as const)("rejects a %s file that leads to the user's config, and does not change that", async (source, name) => {
    const user = join(folder, "home", "config.json");
    const project = join(folder, "home", "code", "project");
    await mkdir(join(project, ".plugboard"), { recursive: true });
    await writeFile(user, "{}");
    await symlink(join("..", "..", "..", "config.json"), join(project, ".plugboard", name));
    const reason = `it is a link to ${await realpath(user)}`;
    await expect(setInProject(join(project, ".plugboard", name), source)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      details: { reason: expect.stringContaining(reason) as string },
    });
    expect(await readFile(user, "utf8")).toBe("{}");
  });

  it("rejects a folder .plugboard that leads out of the project", async () => {
    await mkdir(join(folder, "outside"));
    await mkdir(join(folder, "project"));
    await symlink(join("..", "outside"), join(folder, "project", ".plugboard"));
    const linked = join(folder, "project", ".plugboard", "config.json");
    await expect(setInProject(linked, "project")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await expect(createConfigFile(linked, "project")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(await readdir(join(folder, "outside"))).toEqual([]);
  });

  it("never writes to the user's config while the file is swapped with a link to it", async () => {
    const user = join(folder, "user.json");
    await writeFile(user, "{}");
    const project = join(folder, "project");
    await mkdir(project);
    const swapped = join(project, ".mcp.json");
    const spare = join(folder, "spare");
    const done = new AbortController();
    const swapping = (async () => {
      while (!done.signal.aborted) {
        await symlink(user, spare);
        await rename(spare, swapped);
        await writeFile(spare, "{}");
        await rename(spare, swapped);
      }
    })();
    for (let n = 0; n < 300; n++)
      await setInProject(swapped, "project").catch((error: unknown) =>
        expect(error).toMatchObject({ code: "CONFIG_INVALID" }),
      );
    done.abort();
    await swapping;
    expect(await readFile(user, "utf8")).toBe("{}");
  });

  it("rejects a folder that becomes a link to the user's folder during the edit", async () => {
    const [outside, inside] = [join(folder, "outside"), join(folder, "project", ".plugboard")];
    for (const each of [outside, inside]) {
      await mkdir(each, { recursive: true });
      await writeFile(join(each, "config.json"), "{}");
    }
    const beforeWrite = async () => {
      await rename(inside, join(folder, "moved"));
      await symlink(outside, inside);
    };
    await expect(editConfig(join(inside, "config.json"), set("a"), "project", { beforeWrite })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      details: { reason: expect.stringContaining(join(outside, "config.json")) as string },
    });
    expect(await readFile(join(outside, "config.json"), "utf8")).toBe("{}");
  });

  it("follows a link inside the project", async () => {
    await mkdir(join(folder, "settings"));
    await symlink(join("settings", "mcp.json"), join(folder, ".mcp.json"));
    expect(await setInProject(join(folder, ".mcp.json"), "project")).toMatchObject({ changed: true });
  });
});

describe("editConfig with a file of any structure", () => {
  it.each([
    ["to mcp.servers rather than mcpServers", { mcp: { servers: {} }, mcpServers: {} }, { mcp: { servers: { a: 1 } } }],
    ["to mcpServers rather than servers", { mcpServers: {}, servers: {} }, { mcpServers: { a: 1 } }],
    ["to mcpServers if the mcp section has no servers", { mcp: {}, mcpServers: {} }, { mcpServers: { a: 1 } }],
    ["to servers", { servers: {} }, { servers: { a: 1 } }],
    ["to a new servers key beside permissions", { permissions: {} }, { servers: { a: 1 } }],
    ["to an existing mcp section", { mcp: { permissions: {} } }, { mcp: { servers: { a: 1 } } }],
    ["to a new mcp section", { other: 1 }, { mcp: { servers: { a: 1 } } }],
  ])("adds a server %s", async (_, before, after) => {
    await writeFile(file, JSON.stringify(before));
    await editConfig(file, set("a"));
    const expected = JSON.parse(JSON.stringify(after).replace("1", '{"command":"x"}')) as object;
    expect(await value()).toEqual({ ...before, ...merged(before, expected) });
  });

  it.each([
    ["to mcp.permissions", { mcp: {} }, { mcp: { permissions: { allow: ["a:b"] } } }],
    ["to permissions beside the servers of another client", { mcpServers: {} }, { permissions: { allow: ["a:b"] } }],
    ["to a new mcp section", {}, { mcp: { permissions: { allow: ["a:b"] } } }],
  ])("adds a rule %s", async (_, before, after) => {
    await writeFile(file, JSON.stringify(before));
    await editConfig(file, allow("a:b"));
    expect(await value()).toEqual({ ...before, ...after });
  });
});

describe("editConfig with each type of change", () => {
  it("adds a rule only if it is missing, removes all copies of a rule, and returns the rules before and after", async () => {
    await writeFile(file, '{ "mcp": { "permissions": { "allow": ["a:*" /* all */, "b:c", "a:*"] } } }');
    expect(await editConfig(file, allow("b:c"))).toMatchObject({ changed: false });
    expect(await editConfig(file, { type: "remove_rule", effect: "allow", rule: "a:*" })).toMatchObject({
      before: ["a:*", "b:c", "a:*"],
      after: ["b:c"],
    });
    await editConfig(file, { type: "add_rule", effect: "deny", rule: "d:*" });
    expect(await readFile(file, "utf8")).toBe(
      '{ "mcp": { "permissions": { "allow": [ /* all */ "b:c"], "deny": ["d:*"] } } }',
    );
  });

  it("replaces the key `disabled` of other clients with `enabled`, and keeps the rest of the entry", async () => {
    await writeFile(file, '{ "mcpServers": { "a": { "command": "x", "disabled": true } } }');
    await editConfig(file, { type: "set_enabled", id: "a", enabled: false });
    expect(await value()).toEqual({ mcpServers: { a: { command: "x", enabled: false } } });
  });

  it("adds an entry with only the key `enabled` if the file does not define the server", async () => {
    expect(await editConfig(file, { type: "set_enabled", id: "a", enabled: false })).toMatchObject({
      after: { enabled: false },
    });
  });

  it("replaces the list of excluded tools under any alias, and removes an empty list", async () => {
    await writeFile(file, '{ "servers": { "a": { "command": "x", "excludedTools": ["y"] } } }');
    const change = (...exclude: string[]): ConfigChange => ({ type: "set_excluded_tools", id: "a", exclude });
    await editConfig(file, change("write_*"));
    expect(await value()).toEqual({ servers: { a: { command: "x", tools: { exclude: ["write_*"] } } } });
    await editConfig(file, change());
    expect(await value()).toEqual({ servers: { a: { command: "x" } } });
    await expect(editConfig(file, { ...change(), id: "b" } as ConfigChange)).rejects.toMatchObject({
      code: "SERVER_UNKNOWN",
      details: { server: "b", known: ["a"] },
    });
  });
});

describe("editConfig with an invalid file", { meta: { covers: ["F38"] } }, () => {
  it.each<[string, string | Buffer, object]>([
    ["an empty file", "", { line: 1, column: 1 }],
    ["a truncated file", '{\n  "mcp": {\n    "servers": {\n', { line: 4, column: 1 }],
    ["a missing comma after a byte-order mark", '\ufeff{\n  "a": 1\n  "b": 2\n}', { line: 3, column: 3 }],
    ["a file with a list", "[]", { line: 1, column: 1 }],
    ["servers in a list", '{"servers": []}', { line: 1, column: 13, reason: '"servers" must be an object' }],
    [
      "a duplicate server id",
      '{"servers": {\n  "a": {"command": "x"},\n  "a": {"command": "y"}\n}}',
      { line: 3, column: 3, reason: '"a" is defined twice, on lines 2 and 3' },
    ],
    ["a duplicate section", '{"mcp": {},\n"mcp": {}}', { line: 2, column: 1 }],
    ["a newer version", '{"version": 2}', { line: 1, column: 13 }],
    ["invalid UTF-8", Buffer.from('{"\xf6": 1}', "latin1"), { reason: "it is not UTF-8" }],
  ])("rejects the file, and does not change it: %s", async (_, content, details) => {
    await writeFile(file, content);
    for (const change of [set("a"), remove("a")]) {
      await expect(editConfig(file, change)).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        details: { file, ...details },
      });
    }
    expect(await readFile(file)).toEqual(Buffer.from(content));
    expect(await readdir(folder)).toEqual(["config.json"]);
  });
});

describe("editConfig with an invalid change", () => {
  it.each<[string, ConfigChange, object]>([
    ["a path as an id", set("../../x"), { code: "USAGE" }],
    ["an id with a NUL", set("a\0"), { code: "USAGE" }],
    ["a very long id", set("a".repeat(5000)), { code: "USAGE" }],
    [
      "an invalid entry",
      set("a", { transport: "stdio" }),
      { code: "SERVER_INVALID", details: { server: "a", reason: '"command" is missing' } },
    ],
    [
      "a key in camelCase",
      set("a", { command: "x", startupTimeoutMs: 5 }),
      { code: "SERVER_INVALID", details: { reason: expect.stringContaining('"startup_timeout_ms"') as string } },
    ],
    ["a value that JSON can't represent", set("a", { command: "x", env: new Map() }), { code: "CONFIG_INVALID" }],
    ["an invalid rule", allow("all of it"), { code: "USAGE" }],
  ])("rejects %s", { meta: { covers: ["A10"] } }, async (_, change, expectedError) => {
    await expect(editConfig(file, change)).rejects.toMatchObject(expectedError);
    expect(await readdir(folder)).toEqual([]);
  });
});

it("editConfig writes an unknown key of an entry and returns a warning", async () => {
  const { problems } = await editConfig(file, set("a", { command: "x", colour: 1 }));
  expect(problems).toEqual([{ severity: "warning", file, server: "a", message: 'unknown key "colour"' }]);
});

it("editConfig leaves the file unchanged if its folder is not writable", { meta: { covers: ["F36"] } }, async () => {
  await writeFile(file, "{ }");
  const root = process.getuid?.() === 0;
  if (root) for (const path of [folder, file]) await chown(path, 65534, 65534);
  await chmod(folder, 0o500);
  const { output } = await runChild(`
    import { editConfig } from "#edit/edit-config.js";
    ${root ? "process.setgroups([]); process.setgid(65534); process.setuid(65534);" : ""}
    const change = { type: "add_rule", effect: "deny", rule: "*:x" };
    const message = await editConfig(${JSON.stringify(file)}, change).catch((error) => error.message);
    process.stdout.write(message);`);
  await chmod(folder, 0o700);
  expect(output).toBe(
    `${file} can't be written: you have no permission to write to its folder (EACCES). The file is unchanged. Free disk space or make it writable, then try again.`,
  );
  expect(await readFile(file, "utf8")).toBe("{ }");
  expect(await readdir(folder)).toEqual(["config.json"]);
});

it(
  "editConfig loses no edit if several processes edit at once and some are killed while they hold the lock",
  { meta: { covers: ["F37"] }, timeout: 120_000 },
  async () => {
    await writeFile(file, '{\n  // mine\n  "mcp": { "servers": {} }\n}\n');
    const editor = (name: number) =>
      runChild(`
      import { editConfig } from "#edit/edit-config.js";
      const entry = { command: "x" };
      for (let i = 0; i < ${EDITS}; i++) await editConfig(${JSON.stringify(file)}, { type: "set_server", id: "s${name}-" + i, entry });`);
    const killed = () =>
      runChild(`
      import { withLock } from "@plugboard/store";
      await withLock(${JSON.stringify(file)}, async () => process.kill(process.pid, "SIGKILL"));`);
    const editors = Promise.all(Array.from({ length: EDITORS }, (_, at) => editor(at)));
    for (let i = 0; i < 3; i++) expect(await killed()).toMatchObject({ signal: "SIGKILL" });
    for (const ended of await editors) expect(ended).toEqual({ code: 0, signal: null, output: "" });
    // The last process to be killed may have got the lock after the last editor. The next edit takes it over.
    await editConfig(file, set("last"));
    const { mcp } = (await value()) as { mcp: { servers: object } };
    expect(Object.keys(mcp.servers)).toHaveLength(EDITORS * EDITS + 1);
    expect(await readFile(file, "utf8")).toContain("  // mine\n");
    expect(await readdir(folder)).toEqual(["config.json"]);
  },
);

async function value(): Promise<unknown> {
  const { root, syntaxErrors } = parseConfigText(await readFile(file, "utf8"));
  expect(syntaxErrors).toEqual([]);
  return JSON.parse(JSON.stringify(nodeValue(root!)));
}

/** Returns the keys of `b`, each with the members of both objects. */
function merged(a: object, b: object): object {
  const inner = (parent: object, key: string) => (parent as { [key: string]: object | undefined })[key];
  return Object.fromEntries(Object.keys(b).map((key) => [key, { ...inner(a, key), ...inner(b, key) }]));
}

it("editConfig creates a project's file for all users of the project", async () => {
  const path = join(folder, "project", ".plugboard", "config.json");
  await editConfig(path, set("s"), "project");
  const umask = process.umask();
  expect((await stat(path)).mode & 0o777).toBe(0o666 & ~umask);
  expect((await stat(join(folder, "project", ".plugboard"))).mode & 0o777).toBe(0o777 & ~umask);
});

it("editConfig refuses a change that would make the file too large to be read", async () => {
  await editConfig(file, set("s", { command: "old" }));
  const entry = { command: "x", args: ["a".repeat(4 * 1024 * 1024)] };
  await expect(editConfig(file, set("large", entry))).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(await readFile(file, "utf8")).not.toContain("large");
});

describe("editConfig with mustBeNew", () => {
  it("throws SERVER_EXISTS if the file already has the server, and leaves the file unchanged", async () => {
    await editConfig(file, set("s", { command: "old" }));
    const change: ConfigChange = { type: "set_server", id: "s", entry: { command: "new" }, mustBeNew: true };
    await expect(editConfig(file, change)).rejects.toMatchObject({
      code: "SERVER_EXISTS",
      details: { server: "s", file },
    });
    expect(await readFile(file, "utf8")).toContain('"old"');
  });
});

describe("editConfig with a profile", () => {
  const setProfile = (profile: string, view: object): ConfigChange => ({ type: "set_profile", profile, view });

  it("adds, replaces and removes the profile beside the servers", async () => {
    await writeFile(file, '{ "mcpServers": {}, "profiles": { "a": { "cwd": "/a" } } } // end\n');
    expect(await editConfig(file, setProfile("b", { servers: ["x"] }))).toMatchObject({ changed: true });
    expect(await editConfig(file, setProfile("a", { cwd: "/b" }))).toMatchObject({
      before: { cwd: "/a" },
      after: { cwd: "/b" },
    });
    expect(await editConfig(file, { type: "remove_profile", profile: "b" })).toMatchObject({ changed: true });
    expect(await editConfig(file, { type: "remove_profile", profile: "c" })).toMatchObject({ changed: false });
    expect(await readFile(file, "utf8")).toBe('{ "mcpServers": {}, "profiles": { "a": { "cwd": "/b" } } } // end\n');
  });

  it.each([
    ["a server", set("s"), "servers"],
    ["a rule", allow("s:x"), "permissions"],
  ])("keeps existing profiles in effect when it adds %s", async (_, change, section) => {
    await writeFile(file, '{ "profiles": { "a": { "cwd": "/a" } } }');
    await editConfig(file, change);
    expect(Object.keys(JSON.parse(await readFile(file, "utf8")) as object)).toEqual(["profiles", section]);
  });

  it("adds the profile to the mcp section of a new file", async () => {
    await editConfig(file, setProfile("a", { cwd: "/a" }));
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ version: 1, mcp: { profiles: { a: { cwd: "/a" } } } });
  });

  it.each([
    ["an unknown key", "a", { exlude: [] }, 'unknown key "exlude"'],
    ["an invalid name", "a b", { cwd: "/a" }, "a profile name must be"],
  ])("rejects %s", async (_, name, view, message) => {
    await expect(editConfig(file, setProfile(name, view))).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining(message) as string,
    });
  });
});
