/** Tests how operations save, remove, enable and describe the definitions of servers. No host runs. */
import { describe, expect, it } from "vitest";
import { makeOperations, withServers } from "../../helpers/make-operations.ts";

const node = { command: process.execPath, args: ["server.js"] };

describe("saveServer", () => {
  it("describes the saved definition with masked secrets, and stores the trust in a project's server", async () => {
    const { operations, files, servers } = await makeOperations({ user: withServers({ s: node }) });
    const entry = { ...node, env: { API_TOKEN: "hunter2hunter2" } };
    const { plan } = await operations.planServer({ id: "s", scope: "project", entry }, { findSecrets: false });
    const saved = await operations.saveServer(plan);
    expect(saved).toMatchObject({
      action: "added",
      scope: "project",
      definition: { id: "s", source: "project", file: files.project, config: { env: { API_TOKEN: "***" } } },
      trust: { stored: true },
      hiddenBy: [],
      overrides: [files.user],
      problems: [{ severity: "warning", message: expect.stringContaining("API_TOKEN") as string }],
    });
    expect(JSON.stringify(saved)).not.toContain("hunter2");
    expect(await servers("project")).toEqual({ s: entry });
    expect(await operations.describeServer("s")).toMatchObject({ source: "project" });
  });

  it("needs no trust for the user's server, and names the file that hides it", async () => {
    const { operations, files } = await makeOperations({ local: withServers({ s: node }) });
    const { plan } = await operations.planServer({ id: "s", scope: "user", entry: node });
    const saved = await operations.saveServer(plan);
    expect(saved).toMatchObject({ scope: "user", hiddenBy: [files.local], overrides: [], problems: [] });
    expect(saved).not.toHaveProperty("trust");
  });

  it("throws SERVER_EXISTS if another file of the project got the server since the plan was made", async () => {
    const { operations, write, servers } = await makeOperations({ project: withServers({}) });
    const { plan } = await operations.planServer({ id: "s", scope: "project", entry: node });
    await write("shared", withServers({ s: { command: "other" } }));
    await expect(operations.saveServer(plan)).rejects.toMatchObject({ code: "SERVER_EXISTS" });
    expect(await servers("project")).toEqual({});
  });

  it("warns about a command that can't be started, in the plan and when it is saved", async () => {
    const { operations, servers } = await makeOperations();
    const entry = { command: "no-such-program-xyz" };
    const problems = [
      {
        severity: "warning",
        server: "s",
        message: expect.stringContaining('"no-such-program-xyz" was not found in PATH; install it') as string,
      },
    ];
    const planned = await operations.planServer({ id: "s", scope: "user", entry });
    expect(planned).toMatchObject({ problems });
    expect(await operations.saveServer(planned.plan)).toMatchObject({ action: "added", problems });
    expect(await servers("user")).toEqual({ s: entry });
  });

  it("does not guess whether a command with an unset variable can be started", async () => {
    const { operations } = await makeOperations();
    const entry = { command: "${NOT_SET_XYZ}/run" };
    expect(await operations.planServer({ id: "s", scope: "user", entry })).toMatchObject({ problems: [] });
  });
});

describe("planServer", () => {
  it("looks for secrets to store unless the caller turns that off", async () => {
    const { operations } = await makeOperations();
    const draft = { id: "s", scope: "user", entry: { ...node, env: { API_TOKEN: "hunter2hunter2" } } } as const;
    expect(await operations.planServer(draft, { findSecrets: false })).not.toHaveProperty("storable");
    expect((await operations.planServer(draft)).storable?.found).toEqual([{ key: "API_TOKEN", name: "s.API_TOKEN" }]);
  });
});

describe("planServer with masked values, which stand for values in the file", () => {
  const SECRET = "sk-live-4fT9xK2mP7vL4nR8t";

  it("does not show the arguments behind the masks", async () => {
    const stored = { command: process.execPath, args: ["--api-key", SECRET] };
    const { operations } = await makeOperations({ user: withServers({ s: stored }) });
    const { config } = (await operations.describeServer("s")) as { config: object };
    const plan = await operations.planServer({ id: "s", scope: "user", entry: { ...config }, replace: true });
    expect(plan.runs[0]).toBe(process.execPath);
    expect(JSON.stringify(plan)).not.toContain(SECRET);
  });

  it("does not send a masked header to another site", async () => {
    const stored = { url: "https://example.com/mcp", headers: { Authorization: `Bearer ${SECRET}` } };
    const { operations } = await makeOperations({ user: withServers({ s: stored }) });
    const plan = (url: string) =>
      operations.planServer({
        id: "s",
        scope: "user",
        entry: { url, headers: { Authorization: "***" } },
        replace: true,
      });
    await expect(plan("https://evil.example/mcp")).rejects.toMatchObject({ code: "USAGE" });
    expect((await plan("https://example.com/other")).runs).toEqual(["https://example.com/other"]);
  });
});

describe("removeServers", () => {
  const both = { user: withServers({ s: node }), project: withServers({ s: node, t: node }) };

  it("removes a server from the project by default, and names the definition that is used now", async () => {
    const { operations, files, servers } = await makeOperations(both);
    expect(await operations.removeServers(["s"])).toEqual([
      {
        id: "s",
        scope: "project",
        files: [files.project],
        stillDefinedIn: { source: "user", file: files.user },
      },
    ]);
    expect(Object.keys(await servers("project"))).toEqual(["t"]);
    expect(Object.keys(await servers("user"))).toEqual(["s"]);
  });

  it("removes a server from both files of the project", async () => {
    const { operations, files } = await makeOperations({ ...both, shared: withServers({ t: node }) });
    expect(await operations.removeServers(["t", "t"])).toEqual([
      { id: "t", scope: "project", files: [files.project, files.shared] },
    ]);
  });

  it("removes a server from the only other scope that has it, and throws USAGE if two scopes do", async () => {
    const { operations, files } = await makeOperations({
      user: withServers({ u: node, both: node }),
      local: withServers({ both: node }),
    });
    await expect(operations.removeServers(["u", "both"])).rejects.toMatchObject({
      code: "USAGE",
      details: { message: expect.stringContaining("--scope local or --scope user") as string },
    });
    expect(await operations.removeServers(["u"])).toEqual([{ id: "u", scope: "user", files: [files.user] }]);
    expect(await operations.removeServers(["both"], "local")).toMatchObject([
      { scope: "local", stillDefinedIn: { source: "user" } },
    ]);
  });

  it("removes no server if one id is unknown, or has its only entry in a file of --config", async () => {
    const { operations, servers } = await makeOperations({ ...both, given: withServers({ g: node }) });
    await expect(operations.removeServers(["s", "tt"])).rejects.toMatchObject({
      code: "SERVER_UNKNOWN",
      details: { server: "tt", suggestion: "t" },
    });
    await expect(operations.removeServers(["s", "g"])).rejects.toMatchObject({
      details: { message: expect.stringContaining("None of your files has an entry") as string },
    });
    expect(Object.keys(await servers("project"))).toEqual(["s", "t"]);
  });

  it("removes nothing if no scope is given and a file is invalid, because that file may have the server", async () => {
    const { operations, files, servers } = await makeOperations({ user: withServers({ s: node }), project: "{" });
    await expect(operations.removeServers(["s"])).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      details: { file: files.project },
    });
    expect(Object.keys(await servers("user"))).toEqual(["s"]);
  });
});

describe("enableServer", () => {
  it("adds an entry that only disables the user's server, and names the file that defines the server", async () => {
    const { operations, files, servers } = await makeOperations({ user: withServers({ s: node }) });
    expect(await operations.enableServer("s", false, "project")).toEqual({
      id: "s",
      scope: "project",
      file: files.project,
      changed: true,
      effective: "disabled",
      definedIn: { source: "user", file: files.user },
    });
    expect(await servers("project")).toEqual({ s: { enabled: false } });
    expect(await operations.enableServer("s", false, "project")).toMatchObject({ changed: false });
  });

  it("names the file that overrides the change if the change has no effect", async () => {
    const { operations, files } = await makeOperations({
      user: withServers({ s: node }),
      local: withServers({ s: { enabled: false } }),
    });
    expect(await operations.enableServer("s", true, "user")).toMatchObject({
      effective: "disabled",
      decidedBy: files.local,
    });
    const changed = await operations.enableServer("s", true);
    expect(changed).toMatchObject({ scope: "local", file: files.local, effective: "enabled" });
    expect(changed).not.toHaveProperty("decidedBy");
  });

  it("changes a file of --config if only that has the server", async () => {
    const { operations, files, servers } = await makeOperations({ user: {}, given: withServers({ g: node }) });
    expect(await operations.enableServer("g", false)).toEqual({
      id: "g",
      file: files.given,
      changed: true,
      effective: "disabled",
    });
    expect(await servers("given")).toMatchObject({ g: { enabled: false } });
  });

  it("changes nothing if another file is invalid", async () => {
    const { operations, servers } = await makeOperations({
      user: "{",
      local: withServers({ s: node }),
      given: withServers({ g: node }),
    });
    for (const id of ["s", "g"])
      await expect(operations.enableServer(id, false)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(await servers("local")).toEqual({ s: node });
    expect(await servers("given")).toEqual({ g: node });
  });
});

describe("describeServer and listScope", () => {
  it("describes a server that waits for approval, its other files and its problems", async () => {
    const odd = { ...node, strict_result: true };
    const { operations, files } = await makeOperations({
      user: withServers({ t: node }),
      project: withServers({ s: odd }),
      local: withServers({ s: { enabled: true } }),
    });
    expect(await operations.describeServer("s")).toMatchObject({
      id: "s",
      file: files.project,
      untrusted: true,
      otherFiles: [{ source: "local", file: files.local }],
      problems: [{ server: "s", message: expect.stringContaining("strict_result") as string }],
    });
    expect(await operations.describeServer("t", { servers: { t: { command: "mine" } } })).toMatchObject({
      source: "invocation",
      target: "mine",
    });
    const malformed = { bad: 7 as never };
    expect(await operations.describeServer("bad", { servers: malformed })).toHaveProperty("invalid");
    await expect(operations.describeServer("t", { scope: "project" })).rejects.toMatchObject({
      details: { message: expect.stringContaining("use --scope user") as string },
    });
  });

  it("lists definitions and entries that only enable or disable a server, and the files of the scope", async () => {
    const { operations, files } = await makeOperations({
      shared: withServers({ s: node }),
      project: withServers({ u: { enabled: false } }),
    });
    expect(await operations.listScope("project")).toMatchObject({
      files: [files.shared, files.project],
      entries: [
        { id: "s", transport: "stdio", file: files.shared },
        { id: "u", enabled: false, file: files.project },
      ],
    });
  });

  it("unknownServers returns the ids that no server has, with the most similar known id", async () => {
    const { operations } = await makeOperations({
      user: withServers({ files: node }),
      project: withServers({ p: node }),
    });
    expect(await operations.unknownServers(["files", "p", "fils", "quite-different"])).toEqual([
      { id: "fils", suggestion: "files" },
      { id: "quite-different" },
    ]);
  });
});
