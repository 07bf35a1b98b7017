/** Tests how operations connect and disconnect other clients, in the process of a command. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { operationsInHome } from "../../helpers/operations-in-home.ts";

const FILE = ".cursor/mcp.json";
const http = { http: true, port: 1 } as const;
const tokenIn = (text: string) => /Bearer (\S+?)"/.exec(text)?.[1];

describe("operations.clients", () => {
  it("finds the files in the home folder of the environment, with the entries that lead to Plugboard", async () => {
    const { operations, write } = await operationsInHome();
    const file = await write(FILE, { mcpServers: { plugboard: { command: "plugboard", args: ["stdio"] } } });
    const clients = await operations.clients();
    const connections = [{ name: "plugboard", kind: "stdio" }];
    expect(clients.find(({ client }) => client === "cursor")).toMatchObject({
      installed: true,
      files: [{ file, scope: "user", connections }],
    });
  });
});

describe("operations.planConnect", () => {
  it("shows the change, the entry and the client's own servers, and writes nothing", async () => {
    const own = { command: "own" };
    const { operations, write, read, env } = await operationsInHome({ mcp: { servers: { own } } });
    const file = await write(FILE, { mcpServers: { own, other: { command: "other" } } });
    const before = await read(FILE);
    expect(await operations.planConnect("cursor")).toMatchObject({
      plan: "plan-0",
      client: "cursor",
      label: "Cursor",
      scope: "user",
      file,
      action: "add",
      deletes: false,
      installed: true,
      entry: { command: process.execPath, args: ["/app/plugboard.js", "stdio"] },
      servers: ["own", "other"],
      imported: ["own"],
    });
    expect(await read(FILE)).toBe(before);
    expect(existsSync(env.XDG_STATE_HOME)).toBe(false);
  });

  it("chooses the project's file in the folder of the caller", async () => {
    const { operations, home } = await operationsInHome();
    const plan = await operations.planConnect("cursor", { scope: "project" });
    expect(plan).toMatchObject({
      scope: "project",
      file: join(home, "project", FILE),
      entry: { command: "plugboard" },
    });
  });

  it.each([
    [{ profile: "wrk" }, 'there is no profile "wrk"', "work"],
    [{ port: 1 }, "--port is only for --http", undefined],
    [{ http: true, scope: "project" }, "must not be in a project's file", undefined],
  ] as const)("rejects the options %j", async (options, message, suggestion) => {
    const { operations } = await operationsInHome({ mcp: { profiles: { work: { servers: [] } } } });
    await expect(operations.planConnect("cursor", options)).rejects.toMatchObject({
      code: "USAGE",
      details: { message: expect.stringContaining(message) as string, ...(suggestion && { suggestion }) },
    });
  });
});

describe("operations.planDisconnect", () => {
  it("finds nothing to change for a client that is not connected, and writes nothing", async () => {
    const { operations, env } = await operationsInHome();
    expect(await operations.planDisconnect("cursor")).toMatchObject({ action: "none", deletes: false, diff: [] });
    expect(existsSync(env.XDG_STATE_HOME)).toBe(false);
  });
});

describe("operations.changeClient", () => {
  it("creates the client's token only when the plan is applied, and the plan never shows it", async () => {
    const { operations, read } = await operationsInHome();
    const plan = await operations.planConnect("cursor", http);
    expect(await operations.tokens()).toEqual([]);
    expect(plan.diff.map(({ text }) => text).join("\n")).toContain("***");
    await operations.changeClient(plan.plan);
    const token = tokenIn(await read(FILE))!;
    expect(JSON.stringify(plan)).not.toContain(token);
    expect(await operations.tokens()).toEqual([{ name: "connect-cursor", createdAt: 1000, mayApprove: false }]);
    // The client's file already has the valid token, so another plan changes nothing.
    expect(await operations.planConnect("cursor", http)).toMatchObject({ action: "none", diff: [] });
  });

  it("keeps the client's token if only the port changes, and revokes it if a command replaces the URL", async () => {
    const { operations, read } = await operationsInHome();
    await operations.changeClient((await operations.planConnect("cursor", http)).plan);
    const token = tokenIn(await read(FILE));
    await operations.changeClient((await operations.planConnect("cursor", { http: true, port: 2 })).plan);
    expect(await read(FILE)).toContain("127.0.0.1:2/mcp");
    expect(tokenIn(await read(FILE))).toBe(token);
    expect(await operations.tokens()).toHaveLength(1);
    await operations.changeClient((await operations.planConnect("cursor")).plan);
    expect(tokenIn(await read(FILE))).toBeUndefined();
    expect(await operations.tokens()).toEqual([]);
  });

  it("keeps the token that the client has if the file can't be written", async () => {
    const profiles = { work: { servers: [] } };
    const { operations, read, write } = await operationsInHome({ mcp: { profiles } });
    await operations.changeClient((await operations.planConnect("cursor", http)).plan);
    const plan = await operations.planConnect("cursor", { ...http, profile: "work" });
    await write(FILE, `${await read(FILE)}\n`);
    await expect(operations.changeClient(plan.plan)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(await operations.tokens()).toEqual([{ name: "connect-cursor", createdAt: 1000, mayApprove: false }]);
    expect(await operations.planConnect("cursor", http)).toMatchObject({ action: "none" });
  });

  it("returns the backup, and gives back the same bytes when the client is disconnected", async () => {
    const { operations, read, write } = await operationsInHome();
    const text = '{ "mcpServers": {} }';
    await write(FILE, text);
    const { backup } = await operations.changeClient((await operations.planConnect("cursor")).plan);
    expect(backup).toMatch(/-mcp\.json$/);
    const plan = await operations.planDisconnect("cursor", { restore: true });
    expect(plan).toMatchObject({ action: "restore", deletes: false });
    expect(await operations.changeClient(plan.plan)).toEqual({});
    expect(await read(FILE)).toBe(text);
  });

  it("deletes a file that Plugboard has created, and the plan says so", async () => {
    const { operations, home } = await operationsInHome();
    await operations.changeClient((await operations.planConnect("cursor")).plan);
    const plan = await operations.planDisconnect("cursor");
    expect(plan).toMatchObject({ action: "remove", deletes: true });
    await operations.changeClient(plan.plan);
    expect(existsSync(join(home, FILE))).toBe(false);
  });

  it("refuses the plan of another caller", async () => {
    const { operations, other, home } = await operationsInHome();
    const { plan } = await operations.planConnect("cursor");
    await expect(other().changeClient(plan)).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(existsSync(join(home, FILE))).toBe(false);
  });
});

describe("operations.ownerToken", () => {
  it("creates the owner's token on first use, and returns the same afterwards", async () => {
    const { operations, other } = await operationsInHome();
    const token = await operations.ownerToken();
    expect(token).toMatch(/^plugboard_[\w-]{43}$/);
    expect(await other().ownerToken()).toBe(token);
  });
});
