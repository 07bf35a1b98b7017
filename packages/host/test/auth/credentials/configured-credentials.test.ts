/** Tests credentials without a login: a token in a file, and the headers or the API key of a definition. */
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost } from "@plugboard/host";
import type { EmbeddedHost, ServerEntry } from "@plugboard/host";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAuthGatedServer } from "../../helpers/auth/auth-gated-server.ts";

let folder: string;
let server: Awaited<ReturnType<typeof startAuthGatedServer>>;
let accepted: string;
let alsoAccepted: string | undefined;
const hosts: EmbeddedHost[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plugboard-token-"));
  accepted = "Bearer one";
  alsoAccepted = undefined;
  server = await startAuthGatedServer((sent) =>
    sent === accepted || (sent && sent === alsoAccepted) ? undefined : { status: 401 },
  );
});
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
  server.close();
  await rm(folder, { recursive: true });
});

async function hostWith(entry: ServerEntry): Promise<EmbeddedHost> {
  const host = await createHost({
    cwd: folder,
    env: { ...process.env, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder },
    servers: { x: { url: server.url, ...entry } },
    permissions: { allow: ["x:*"] },
  });
  hosts.push(host);
  return host;
}

describe("TokenFile", () => {
  const entry = { auth: { type: "token_file", token_path: "token" } } as const;

  it("sends the trimmed content of the file as a bearer token", { meta: { covers: ["R3.45", "R3.46"] } }, async () => {
    await writeFile(join(folder, "token"), "\ufeffone\n");
    const host = await hostWith(entry);
    expect(await host.ready()).toMatchObject({ ready: ["x"] });
    expect(new Set(server.authorizationHeaders)).toEqual(new Set(["Bearer one"]));
  });

  it("reads the file again after a change, before the server refuses the old token", async () => {
    await writeFile(join(folder, "token"), "one");
    const host = await hostWith(entry);
    await host.ready();
    alsoAccepted = "Bearer two";
    // Replace the file by renaming, as most programs do.
    await writeFile(join(folder, "token.new"), "two");
    await rename(join(folder, "token.new"), join(folder, "token"));
    await host.tools.call("x:hello", {});
    expect(server.authorizationHeaders.at(-1)).toBe("Bearer two");
  });

  it("reconnects when the file changes after the server refused its token", async () => {
    await writeFile(join(folder, "token"), "old");
    const host = await hostWith(entry);
    const { errors } = await host.ready();
    expect(errors["x"]).toMatchObject({ code: "AUTH_REQUIRED" });
    expect(errors["x"]!.message).toMatch(/the token in .*token was refused/);
    expect(host.status()[0]).toMatchObject({ state: "auth_required" });
    const ready = nextState(host, "ready");
    await writeFile(join(folder, "token"), "one");
    await ready;
  });

  it.each([
    ["is missing", undefined, /can't be read: ENOENT/],
    ["is empty", " \n", /is empty/],
    ["has more than one line", "one\r\nx-evil: 1", /can't be sent in a header/],
  ])("reports AUTH_REQUIRED and sends no request if the file %s", async (_, content, message) => {
    if (content !== undefined) await writeFile(join(folder, "token"), content);
    const host = await hostWith(entry);
    const { errors } = await host.ready();
    expect(errors["x"]).toMatchObject({ code: "AUTH_REQUIRED" });
    expect(errors["x"]!.message).toMatch(message);
    expect(errors["x"]!.message).not.toContain("evil");
    expect(server.authorizationHeaders).toEqual([]);
  });

  it("makes `servers.login` reject with USAGE, because the user can't log in", async () => {
    await writeFile(join(folder, "token"), "one");
    const host = await hostWith(entry);
    await expect(host.servers.login("x")).rejects.toMatchObject({ code: "USAGE" });
  });
});

describe("StaticCredentials", () => {
  it.each([
    [
      "`Authorization` header",
      { headers: { authorization: "Bearer wrong" } },
      "the `Authorization` header of its definition was refused",
    ],
    ["API key", { auth: { type: "api_key", api_key: "wrong-key" } }, "the key of its definition was refused"],
  ] as const)(
    "reports AUTH_REQUIRED if the server refuses the %s of the definition, and does not ask the user to log in",
    async (_, entry, message) => {
      const host = await hostWith(entry);
      const { errors } = await host.ready();
      expect(errors["x"]).toMatchObject({ code: "AUTH_REQUIRED" });
      expect(errors["x"]!.message).toContain(message);
      expect(errors["x"]!.message).not.toContain("Log in");
      expect(await host.inbox.list()).toEqual([]);
      await expect(host.servers.login("x")).rejects.toMatchObject({ code: "USAGE" });
    },
  );
});

async function nextState(host: EmbeddedHost, state: string): Promise<void> {
  for await (const event of host.events()) if (event.type === "server.changed" && event.state === state) return;
}
