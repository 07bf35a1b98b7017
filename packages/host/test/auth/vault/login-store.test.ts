import { chmod, chown, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostEventData } from "@plugboard/contracts";
import { LoginStore } from "#auth/vault/login-store.js";
import { beforeEach, describe, expect, it } from "vitest";
import { FILES, sampleLogin, NO_KEYRING, NOTES, WORK } from "../../helpers/auth/login-samples.ts";
import { temporaryFolder } from "../../../../store/test/helpers/run-child.ts";
import { runChild } from "../../helpers/run-child.ts";

let folder: string;
let file: string;
let store: LoginStore;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "mcp-auth.json");
  store = new LoginStore({ file, keyring: NO_KEYRING });
});

const content = async () => JSON.parse(await readFile(file, "utf8")) as { servers: Record<string, unknown> };

describe("LoginStore.save", () => {
  it(
    "writes the tokens and the OAuth client of each server to the file",
    { meta: { covers: ["R2.154", "R2.155", "R2.156"] } },
    async () => {
      await store.save(NOTES, "notes", sampleLogin(NOTES));
      expect(await content()).toEqual({
        version: 1,
        servers: {
          notes: {
            access_token: "access of https://notes.example/mcp undefined",
            token_type: "Bearer",
            refresh_token: "refresh of https://notes.example/mcp undefined",
            expires_at: 1_760_000_000_000,
            scope: "files:read",
            client_id: "client-1",
            client_secret: "client secret",
            auth_method: "client_secret_basic",
            client_origin: "registered",
            issuer: "https://login.example",
            resource: "https://notes.example/mcp",
            url: "https://notes.example/mcp",
            obtained_at: 1_759_000_000_000,
          },
        },
      });
    },
  );

  it("creates a file and a folder that only the owner can read", { meta: { covers: ["R3.76"] } }, async () => {
    const inner = join(folder, "state", "mcp-auth.json");
    await new LoginStore({ file: inner, keyring: NO_KEYRING }).save(NOTES, "notes", sampleLogin(NOTES));
    expect((await stat(inner)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, "state"))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, "state"))).toEqual(["mcp-auth.json"]);
  });

  it("replaces the login of the same key, and other stores read the new login", async () => {
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    await store.save(NOTES, "notes", sampleLogin(NOTES, { access_token: "newer" }));
    const other = new LoginStore({ file, keyring: NO_KEYRING });
    expect(await other.find(NOTES)).toEqual(sampleLogin(NOTES, { access_token: "newer" }));
    expect((await other.list()).size).toBe(1);
  });

  it.each([
    ["with another path", { resource: "https://notes.example/mcp2" }],
    ["with another host", { resource: "https://notes.example.evil/mcp" }],
    ["with another port", { resource: "https://notes.example:8443/mcp" }],
    ["with a trailing slash", { resource: "https://notes.example/mcp/" }],
    ["with an account", { resource: "https://notes.example/mcp", account: "work" }],
    ["with an empty account", { resource: "https://notes.example/mcp", account: "" }],
  ])("stores a login that is not found under a key %s", async (_, key) => {
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    expect(await store.find(key)).toBeUndefined();
    expect(await store.remove(key)).toBe(false);
    expect(await store.find(NOTES)).toEqual(sampleLogin(NOTES));
  });

  it("stores the URL and the account of the key if those of the record differ", async () => {
    await store.save(WORK, "notes", sampleLogin(FILES));
    expect(await store.find(WORK)).toMatchObject({ url: WORK.resource, account: "work" });
    expect(await store.find(FILES)).toBeUndefined();
  });
});

describe("the label of a stored login", () => {
  it("is the server id, with a number if the id is taken", async () => {
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    await store.save(WORK, "notes", sampleLogin(WORK));
    await store.save(FILES, "notes", sampleLogin(FILES));
    expect([...(await store.list()).keys()]).toEqual(["notes", "notes-2", "notes-3"]);
    await store.save(WORK, "notes", sampleLogin(WORK, { access_token: "newer" }));
    expect((await store.list()).get("notes-2")).toMatchObject({ account: "work", access_token: "newer" });
    expect(await store.find(NOTES)).toEqual(sampleLogin(NOTES));
  });

  it("changes when the server gets another id", async () => {
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    await store.save(NOTES, "renamed", sampleLogin(NOTES));
    expect([...(await store.list()).keys()]).toEqual(["renamed"]);
  });

  it("can be __proto__", async () => {
    for (const key of [NOTES, WORK]) await store.save(key, "__proto__", sampleLogin(key));
    expect([...(await store.list()).keys()]).toEqual(["__proto__", "__proto__-2"]);
    expect(await store.find(NOTES)).toEqual(sampleLogin(NOTES));
  });
});

describe("an invalid entry in an edited login file", () => {
  const invalidEntries = {
    "without an issuer": { access_token: "a", refresh_token: "r", token_type: "Bearer", client_id: "c" },
    "without a time": { ...sampleLogin(NOTES), obtained_at: null },
    "with an unknown client origin": { ...sampleLogin(NOTES), client_origin: "found" },
    "with a number as token": { ...sampleLogin(NOTES), refresh_token: 7 },
    "without the private part of its key": {
      ...sampleLogin(NOTES),
      dpop_key: { kty: "EC", crv: "P-256", x: "x", y: "y" },
    },
  };

  it("is ignored and not deleted", async () => {
    await writeFile(file, JSON.stringify({ version: 1, servers: invalidEntries }), { mode: 0o600 });
    expect((await store.list()).size).toBe(0);
    expect(await store.find(NOTES)).toBeUndefined();
    expect(await store.remove(NOTES)).toBe(false);
    await store.save(NOTES, "without an issuer", sampleLogin(NOTES));
    expect((await content()).servers).toEqual({ ...invalidEntries, "without an issuer-2": sampleLogin(NOTES) });
  });
});

describe("LoginStore.remove", () => {
  beforeEach(() => store.save(NOTES, "notes", sampleLogin(NOTES, { refresh_token: "r2", access_token: "a2" })));

  it("removes only the login of the key", async () => {
    await store.save(WORK, "notes", sampleLogin(WORK));
    expect(await store.remove(NOTES)).toBe(true);
    expect(await store.find(NOTES)).toBeUndefined();
    expect(await store.find(WORK)).toEqual(sampleLogin(WORK));
    expect(await store.remove(NOTES)).toBe(false);
  });

  it.each([{ refreshToken: "r2" }, { accessToken: "a2" }, { refreshToken: "r2", accessToken: "a2" }])(
    "removes a login that still has the expected tokens %j",
    async (expected) => {
      expect(await store.remove(NOTES, expected)).toBe(true);
      expect(await store.find(NOTES)).toBeUndefined();
    },
  );

  it.each([{ refreshToken: "r1" }, { accessToken: "a1" }, { refreshToken: "r2", accessToken: "a1" }])(
    "does not remove a login whose tokens differ from the expected %j",
    async (expected) => {
      const before = await readFile(file);
      expect(await store.remove(NOTES, expected)).toBe(false);
      expect(await store.find(NOTES)).toBeDefined();
      expect(await readFile(file)).toEqual(before);
    },
  );
});

it("LoginStore finds no login if there is no file, and reading does not create the file", async () => {
  expect(await store.find(NOTES)).toBeUndefined();
  expect((await store.list()).size).toBe(0);
  expect(await store.remove(NOTES)).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});

describe("LoginStore with an invalid file", () => {
  it.each([
    ["that is incomplete", '{"version": 1, "serv', /damaged: it is not JSON/],
    ["without logins", '{"version": 1}', /damaged: its content is not valid/],
    ["with a list instead of an object", '{"version": 1, "servers": []}', /damaged/],
    ["with a string for a login", '{"version": 1, "servers": {"a": "b"}}', /damaged/],
    ["with an unknown backend", '{"version": 1, "backend": "tpm", "sealed": "x"}', /damaged/],
    ["of a newer version", '{"version": 2, "servers": {}}', /a newer version of Plugboard .*; update/],
  ])("reports STORE_UNREADABLE and leaves a file %s unchanged", async (_, text, reason) => {
    await writeFile(file, text, { mode: 0o600 });
    const refusal = { code: "STORE_UNREADABLE", details: { file, reason: expect.stringMatching(reason) as string } };
    await expect(store.find(NOTES)).rejects.toMatchObject(refusal);
    await expect(store.list()).rejects.toMatchObject(refusal);
    await expect(store.backend()).rejects.toMatchObject(refusal);
    await expect(store.save(NOTES, "notes", sampleLogin(NOTES))).rejects.toMatchObject(refusal);
    await expect(store.remove(NOTES)).rejects.toMatchObject(refusal);
    await expect(store.setBackend("file")).rejects.toMatchObject(refusal);
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await readdir(folder)).toEqual(["mcp-auth.json"]);
  });

  it("reports STORE_UNREADABLE for a symbolic link and leaves its target unchanged", async () => {
    const elsewhere = join(folder, "elsewhere");
    await writeFile(elsewhere, '{"version": 1, "servers": {}}', { mode: 0o644 });
    await symlink(elsewhere, file);
    await expect(store.save(NOTES, "notes", sampleLogin(NOTES))).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect((await stat(elsewhere)).mode & 0o777).toBe(0o644);
    expect(await readFile(elsewhere, "utf8")).toBe('{"version": 1, "servers": {}}');
  });

  it("reports STORE_UNREADABLE for a folder and leaves its permissions unchanged", async () => {
    await mkdir(file);
    await expect(store.find(NOTES)).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    expect((await stat(file)).mode & 0o777).not.toBe(0o600);
  });
});

describe("a login file that other users can read", () => {
  it(
    "gets mode 0600 at the first read, which emits one state.failed event",
    { meta: { covers: ["R3.76"] } },
    async () => {
      const events: HostEventData[] = [];
      const store = new LoginStore({ file, keyring: NO_KEYRING, emit: (event) => events.push(event) });
      await store.save(NOTES, "notes", sampleLogin(NOTES));
      await chmod(file, 0o644);
      expect(await store.find(NOTES)).toEqual(sampleLogin(NOTES));
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      await store.find(NOTES);
      expect(events).toEqual([
        {
          type: "state.failed",
          error: expect.objectContaining({ code: "STORE_EXPOSED", details: { file, mode: "0644" } }),
        },
      ]);
    },
  );

  it.runIf(process.getuid?.() === 0)(
    "is not used if its mode can't be changed",
    { meta: { covers: ["R3.76"] } },
    async () => {
      await store.save(NOTES, "notes", sampleLogin(NOTES));
      await chmod(file, 0o644);
      await chmod(folder, 0o777);
      await chown(folder, 65534, 65534);
      const { output } = await runChild(`
      import { LoginStore } from "#auth/vault/login-store.js";
      process.setgroups([]); process.setgid(65534); process.setuid(65534);
      const store = new LoginStore({ file: ${JSON.stringify(file)}, keyring: {} });
      const found = store.find(${JSON.stringify(NOTES)});
      process.stdout.write(await found.then(() => "found", (error) => error.code + ": " + error.details.reason));`);
      expect(output).toBe("STORE_UNREADABLE: other users can read it, and its permissions can't be changed (EPERM)");
    },
  );
});

describe("LoginStore in memory", () => {
  beforeEach(() => {
    store = new LoginStore({ file: undefined, keyring: NO_KEYRING });
  });

  it("saves, finds and removes logins", async () => {
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    await store.save(WORK, "notes", sampleLogin(WORK));
    expect(await store.find(WORK)).toEqual(sampleLogin(WORK));
    expect([...(await store.list()).keys()]).toEqual(["notes", "notes-2"]);
    expect(await store.remove(NOTES, { refreshToken: "another" })).toBe(false);
    expect(await store.remove(NOTES)).toBe(true);
    expect(await store.find(NOTES)).toBeUndefined();
    expect(await new LoginStore({ file: undefined, keyring: NO_KEYRING }).find(WORK)).toBeUndefined();
  });

  it("reports `memory` as its backend, which can't be changed", async () => {
    expect(await store.backend()).toEqual({ backend: "memory" });
    await expect(store.setBackend("file")).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
  });
});
