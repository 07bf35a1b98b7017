/** Contract tests of the secrets of a `Workspace`, in process and over the socket. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { HOSTS, makeWorkFolder, openWorkspace, startForProgram } from "./helpers/contract-hosts.ts";
import type { StartHost } from "./helpers/contract-hosts.ts";

/** Opens a workspace with a server that appends its secret to a file whenever it starts. */
async function open(start: StartHost) {
  const api = await startForProgram(start);
  const file = join(await makeWorkFolder(), "started");
  const { command, args } = scriptedLegacy();
  const script = 'echo "$TOKEN" >> "$0"; exec "$@"';
  const entry = {
    command: "sh",
    args: ["-c", script, file, command, ...args],
    env: { TOKEN: { $secret: "my.token" } },
  };
  const workspace = await openWorkspace(api, { servers: { s: entry, other: scriptedLegacy() } });
  return { workspace, received: () => readFile(file, "utf8") };
}

describe.each(HOSTS)("Workspace %s", (_, start) => {
  it("gives a server its secret when it connects, and a changed secret at the next connect", async () => {
    const { workspace, received } = await open(start);
    await expect(workspace.servers.connect("s")).rejects.toMatchObject({
      code: "SERVER_INVALID",
      details: { missingSecret: "my.token" },
      message: expect.stringContaining("$secret:my.token can't be read: there is no secret of that name"),
    });
    await workspace.secrets.set("my.token", "f1rst");
    expect(await workspace.servers.connect("s")).toMatchObject({ state: "ready" });
    await workspace.secrets.set("my.token", "s3cond");
    await workspace.servers.disconnect("s");
    await workspace.servers.connect("s");
    expect(await received()).toBe("f1rst\ns3cond\n");
  });

  it("lists stored secrets and secrets that servers refer to, without their values", async () => {
    const { workspace } = await open(start);
    const servers = ["s"];
    expect((await workspace.secrets.list()).secrets).toEqual([{ name: "my.token", state: "missing", servers }]);
    await workspace.secrets.set("my.token", "s3cret");
    await workspace.secrets.set("unused", "s3cret");
    const list = await workspace.secrets.list();
    expect(list).toMatchObject({ backend: "file", file: expect.stringContaining("secrets.json") });
    const setAt = expect.any(Number) as number;
    expect(list.secrets).toEqual([
      { name: "my.token", state: "stored", setAt, servers },
      { name: "unused", state: "stored", setAt, servers: [] },
    ]);
    expect(JSON.stringify(list)).not.toContain("s3cret");
    expect(await workspace.secrets.remove("my.token")).toBe(true);
    expect(await workspace.secrets.remove("my.token")).toBe(false);
  });
});
