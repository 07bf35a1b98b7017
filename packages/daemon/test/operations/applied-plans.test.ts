/** Tests that a page can apply each of its plans once, so that an old plan undoes nothing. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { controlPaths } from "@plugboard/contracts";
import type { ImportPlan, JsonObject } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDoors } from "../helpers/doors.ts";

const NOT_FOUND = { error: { code: "NOT_FOUND" } };

async function openPage() {
  const doors = await openDoors();
  onTestFinished(doors.close);
  const home = doors.host.env["HOME"]!;
  const { body } = await doors.openChannel("page", { operationsIn: { cwd: home } });
  const { channel } = body as { channel: string };
  const call = async (operation: string, ...args: unknown[]) =>
    (await doors.send("page", "POST", controlPaths.operations(channel, `operations.${operation}`), args)).body;
  const plan = async (operation: string, ...args: unknown[]) =>
    ((await call(operation, ...args)) as { plan: string }).plan;
  const serverIds = async () => {
    const config = await readFile(doors.host.env["PLUGBOARD_CONFIG_PATH"]!, "utf8");
    return Object.keys((JSON.parse(config) as { mcp: { servers: JsonObject } }).mcp.servers);
  };
  return { home, call, plan, serverIds };
}

describe("a plan of the page", { meta: { covers: ["S17", "S30"] } }, () => {
  it("does not bring back the token of a client that was disconnected", async () => {
    const { call, plan } = await openPage();
    const tokens = async () => ((await call("tokens")) as { name: string }[]).map(({ name }) => name);
    const connect = await plan("planConnect", "cursor", { http: true });
    await call("changeClient", connect);
    expect(await tokens()).toContain("connect-cursor");
    await call("changeClient", await plan("planDisconnect", "cursor"));
    expect(await tokens()).not.toContain("connect-cursor");
    expect(await call("changeClient", connect)).toMatchObject(NOT_FOUND);
    expect(await tokens()).not.toContain("connect-cursor");
  });

  it("does not bring back a server that was removed", async () => {
    const { call, plan, serverIds } = await openPage();
    const added = await plan("planServer", { id: "new", scope: "user", entry: { command: "sh" } });
    expect(await call("saveServer", added)).toMatchObject({ action: "added" });
    await call("removeServers", ["new"]);
    expect(await call("saveServer", added)).toMatchObject(NOT_FOUND);
    expect(await call("testServer", added)).toMatchObject(NOT_FOUND);
    expect(await serverIds()).toEqual(["s"]);
  });

  it("does not import a server again that was removed", async () => {
    const { home, call, serverIds } = await openPage();
    await mkdir(join(home, ".cursor"));
    await writeFile(join(home, ".cursor", "mcp.json"), JSON.stringify({ mcpServers: { theirs: { command: "sh" } } }));
    const { plan, files } = (await call("planImport")) as ImportPlan;
    const keys = files.flatMap(({ servers }) => servers.map(({ key }) => key));
    expect(await call("importServers", plan, keys)).toEqual({ imported: keys });
    expect(await serverIds()).toEqual(["s", "theirs"]);
    await call("removeServers", ["theirs"]);
    expect(await call("importServers", plan, keys)).toMatchObject(NOT_FOUND);
    expect(await serverIds()).toEqual(["s"]);
  });

  it("can be applied again if it failed", async () => {
    const { home, call, plan } = await openPage();
    const connect = await plan("planConnect", "cursor");
    // A file where the folder of the client has to be created.
    await writeFile(join(home, ".cursor"), "");
    expect(await call("changeClient", connect)).toHaveProperty("error");
    await rm(join(home, ".cursor"));
    expect(await call("changeClient", connect)).toEqual({});
  });
});
