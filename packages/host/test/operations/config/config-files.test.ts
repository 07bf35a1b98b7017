/** Tests how operations show, check and create config files, and change profiles. No host runs. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { makeOperations, withServers } from "../../helpers/make-operations.ts";

describe("the operations of config files", () => {
  it("list all files in order of priority, or for a scope only the file that new servers are written to", async () => {
    const { operations, files, cwd } = await makeOperations({ shared: {}, local: "{", given: {} });
    expect(await operations.configFiles()).toMatchObject([
      { source: "managed" },
      { source: "user", file: files.user, exists: false },
      { source: "project", file: files.shared, exists: true, folder: cwd },
      { source: "project", file: files.project, exists: false },
      { source: "local", file: files.local, exists: true, invalid: expect.any(String) as string },
      { source: "invocation", file: files.given, exists: true },
    ]);
    expect(await operations.configFiles({ scope: "project" })).toEqual([
      { source: "project", file: files.project, folder: cwd, exists: false },
    ]);
  });

  it("return the problems of all files that exist, or of one named file", async () => {
    const { operations, files } = await makeOperations({ user: withServers({ a: {} }), local: "{" });
    const all = await operations.checkConfig();
    expect(all.files).toEqual([files.user, files.local]);
    expect(all.problems).toMatchObject([
      { file: files.user, server: "a" },
      { file: files.local, line: 1 },
    ]);
    expect(await operations.checkConfig(".plugboard/config.local.json")).toMatchObject({ files: [files.local] });
    await expect(operations.checkConfig("none.json")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("create a file for an editor, and find the line of a server", async () => {
    const { operations, files, write } = await makeOperations();
    expect(await operations.openConfigFile("local")).toEqual({ file: files.local });
    expect(await readFile(files.local, "utf8")).toBe('{\n  "version": 1\n}\n');
    await write("user", '{\n  "mcpServers": {\n    "a": { "command": "x" }\n  }\n}');
    expect(await operations.openConfigFile("user", "a")).toEqual({ file: files.user, line: 3 });
    await expect(operations.openConfigFile("project", "a")).rejects.toMatchObject({ code: "USAGE" });
    await expect(readFile(files.project, "utf8")).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("return the JSON Schema, and read an entry in the spelling of another client", async () => {
    const { operations } = await makeOperations();
    expect(await operations.configSchema()).toHaveProperty("properties");
    expect(await operations.parseEntry('{"mcpServers": {"a": {"command": "x", "requestTimeoutMs": 5}}}')).toEqual({
      entry: { command: "x", request_timeout_ms: 5 },
      warnings: [],
    });
    expect(await operations.parseEntry("{")).toEqual({ error: expect.stringContaining("invalid at line 1") as string });
  });
});

describe("the operations of profiles", () => {
  it("set, list and remove a profile of the user's file", async () => {
    const { operations, files } = await makeOperations({ user: { mcp: { profiles: { bad: { servers: 7 } } } } });
    const profile = { servers: ["s"], naming: "{tool}" } as const;
    expect(await operations.setProfile("work", profile)).toEqual({ file: files.user, action: "added" });
    expect(await operations.setProfile("work", profile)).toMatchObject({ action: "unchanged" });
    expect(await operations.setProfile("work", { servers: [] })).toMatchObject({ action: "replaced" });
    expect(await operations.profiles()).toEqual([
      { name: "bad", source: "user", file: files.user, profile: null },
      { name: "work", source: "user", file: files.user, profile: { servers: [] } },
    ]);
    expect(await operations.removeProfile("work")).toEqual({ file: files.user });
    await expect(operations.removeProfile("work")).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(operations.setProfile("a b", profile)).rejects.toMatchObject({ code: "USAGE" });
  });

  it("throw CONFIG_INVALID instead of an empty list if the user's file is invalid", async () => {
    const { operations } = await makeOperations({ user: "{" });
    await expect(operations.profiles()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});
