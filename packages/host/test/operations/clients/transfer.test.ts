/** Tests how operations import and export servers, in the process of a command. */
import { describe, expect, it } from "vitest";
import { operationsInHome } from "../../helpers/operations-in-home.ts";

const CURSOR = ".cursor/mcp.json";
const GEMINI = ".gemini/settings.json";
const SECRET = "sk-canary-0123456789";
const withKey = (command: string) => ({ command, env: { API_KEY: SECRET } });

type Planned = { readonly files: readonly { readonly servers: readonly { readonly key: string }[] }[] };
const keysOf = ({ files }: Planned) => files.flatMap(({ servers }) => servers.map(({ key }) => key));

describe("operations.planImport", () => {
  it("reads all clients by default, and lists the files that can't be read", async () => {
    const { operations, write } = await operationsInHome({ mcp: { servers: { a: { command: "mine" } } } });
    const cursor = await write(CURSOR, { mcpServers: { a: { command: "a" }, b: { command: "b" } } });
    const gemini = await write(GEMINI, "{ broken");
    expect((await operations.planImport()).files).toMatchObject([
      {
        client: "cursor",
        file: cursor,
        servers: [
          { id: "a", scope: "user", enabled: true, action: "conflict" },
          { id: "b", action: "add", runs: "b" },
        ],
      },
      { client: "gemini", file: gemini, servers: [], error: expect.stringContaining("not JSON") as string },
    ]);
    expect((await operations.planImport({ replace: true })).files[0]!.servers[0]).toMatchObject({ action: "replace" });
  });

  it("reads one source, in another scope, and only the named servers", async () => {
    const { operations, write } = await operationsInHome();
    await write(CURSOR, { mcpServers: { a: { command: "a" }, b: { command: "b" } } });
    await write(GEMINI, { mcpServers: { c: { command: "c" } } });
    const { files } = await operations.planImport({ source: "cursor", scope: "project", only: ["b"] });
    expect(files).toMatchObject([{ client: "cursor", servers: [{ id: "b", scope: "project" }] }]);
    const all = await operations.planImport({ scope: "local" });
    expect(all.files.flatMap(({ servers }) => servers.map(({ scope }) => scope))).toEqual(["local", "local", "local"]);
    await expect(operations.planImport({ source: "cursor", only: ["bb"] })).rejects.toMatchObject({
      code: "USAGE",
      details: { suggestion: "b" },
    });
  });

  it("opens the secret store only if secrets of the servers are to be stored, and creates no host", async () => {
    const { operations, write, hasHost } = await operationsInHome();
    await write(CURSOR, { mcpServers: { a: { command: "a" } } });
    await operations.planImport();
    await write(CURSOR, { mcpServers: { a: withKey("a") } });
    const plain = await operations.planImport({ plainSecrets: true });
    expect(plain.files[0]!.servers[0]).toMatchObject({ secrets: [], entry: { env: { API_KEY: "***" } } });
    expect(plain).not.toHaveProperty("unencrypted");
    const stored = await operations.planImport();
    expect(stored).toMatchObject({ unencrypted: true });
    expect(hasHost()).toBe(false);
    expect(stored.files[0]!.servers[0]).toMatchObject({ secrets: [{ key: "API_KEY", name: "a.API_KEY" }] });
    expect(JSON.stringify([plain, stored])).not.toContain("canary");
  });

  it("plans, with `distinct`, only the first of several servers with the same id", async () => {
    const { operations, write, read } = await operationsInHome();
    const cursor = await write(CURSOR, { mcpServers: { a: { command: "a" }, same: withKey("same") } });
    await write(GEMINI, { mcpServers: { a: { command: "other" }, same: withKey("same"), c: { command: "c" } } });
    const plan = await operations.planImport({ distinct: true });
    expect(plan.files).toMatchObject([
      { client: "cursor", servers: [{ id: "a" }, { id: "same" }], skipped: [] },
      {
        client: "gemini",
        servers: [{ id: "c" }],
        skipped: [
          { name: "a", reason: `${cursor} has another server with this id` },
          { name: "same", reason: `${cursor} has the same server` },
        ],
      },
    ]);
    const keys = keysOf(plan);
    expect(await operations.importServers(plan.plan, keys)).toEqual({ imported: keys });
    const { mcp } = JSON.parse(await read("config.json")) as { mcp: { servers: object } };
    expect(mcp.servers).toMatchObject({ a: { command: "a" }, same: { env: { API_KEY: { $secret: "same.API_KEY" } } } });
    expect(Object.keys(mcp.servers)).toEqual(["a", "same", "c"]);
  });
});

describe("operations.importFiles", () => {
  it("lists the servers of all clients without opening the secret store", async () => {
    const { operations, write, hasHost } = await operationsInHome({ mcp: { servers: { a: { command: "mine" } } } });
    await write(CURSOR, { mcpServers: { a: withKey("a"), b: withKey("b") } });
    const gemini = await write(GEMINI, "{ broken");
    const files = await operations.importFiles();
    expect(files).toMatchObject([
      { client: "cursor", servers: [{ action: "conflict" }, { action: "add", secrets: [{ name: "b.API_KEY" }] }] },
      { client: "gemini", file: gemini, error: expect.stringContaining("not JSON") as string },
    ]);
    expect((await operations.importFiles({ replace: true }))[0]!.servers[0]).toMatchObject({ action: "replace" });
    expect(JSON.stringify(files)).not.toContain("canary");
    expect(hasHost()).toBe(false);
  });
});

describe("operations.exportServers", () => {
  const servers = { files: { command: "npx", env: { KEY: SECRET } }, off: { command: "off", enabled: false } };

  it("returns the text of a client's file, without secrets unless they are asked for", async () => {
    const { operations } = await operationsInHome({ mcp: { servers } });
    const { text, servers: exported, skipped } = await operations.exportServers("cursor", { only: ["files"] });
    expect(JSON.parse(text)).toMatchObject({ mcpServers: { files: { command: "npx" } } });
    expect(exported).toMatchObject([{ id: "files" }]);
    expect(skipped).toEqual([]);
    expect(text).not.toContain("canary");
    expect((await operations.exportServers("cursor", { showSecrets: true })).text).toContain(SECRET);
  });

  it("adds the servers that the caller passes, skips those that wait for approval, and rejects an unknown id", async () => {
    const { operations, write } = await operationsInHome({ mcp: { servers } });
    await write("project/.mcp.json", { mcpServers: { theirs: { command: "theirs" } } });
    const { text, skipped } = await operations.exportServers("cursor", { servers: { more: { command: "more" } } });
    expect(text).toContain('"more"');
    expect(skipped).toContainEqual({ id: "theirs", reason: "it waits for your approval" });
    const unknown = operations.exportServers("cursor", { only: ["file"] });
    await expect(unknown).rejects.toMatchObject({ code: "USAGE", details: { suggestion: "files" } });
  });
});
