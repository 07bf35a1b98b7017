import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LoginStore } from "#auth/vault/login-store.js";
import { encryptEntries, decryptEntries } from "#auth/vault/encrypt-entries.js";
import { systemKeyring } from "#auth/vault/system-keyring.js";
import { beforeEach, describe, expect, it } from "vitest";
import { startKeyring } from "../../helpers/auth/keyring-session.ts";
import { FILES, sampleLogin, NO_KEYRING, NOTES, InMemoryKeyring, WORK } from "../../helpers/auth/login-samples.ts";
import { temporaryFolder } from "../../../../store/test/helpers/run-child.ts";
import { runChild } from "../../helpers/run-child.ts";

let folder: string;
let file: string;
let keyring: InMemoryKeyring;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "mcp-auth.json");
  keyring = new InMemoryKeyring();
});

type KeyringSession = { readonly env: { readonly [name: string]: string | undefined } };
/** Opens a new store, as another process would. Uses the keyring of the session, or by default the one in memory. */
const openStore = (session?: KeyringSession) =>
  new LoginStore({ file, keyring: session ? systemKeyring(session) : keyring });
const content = async () => JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;

describe("LoginStore with a keyring", () => {
  it("encrypts the file with a key that is only in the keyring", { meta: { covers: ["R3.47", "R3.76"] } }, async () => {
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    const text = await readFile(file, "utf8");
    expect(JSON.parse(text)).toEqual({
      version: 1,
      backend: "keyring",
      key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      sealed: expect.any(String),
    });
    const [name, key] = [...keyring.content][0]!;
    expect(name).toBe(`mcp-auth:${String((await content())["key_id"])}`);
    expect(Buffer.from(key, "base64").length).toBe(32);
    const bytes = Buffer.from((await content())["sealed"] as string, "base64").toString("latin1");
    for (const secret of [key, "access of", "refresh of", "client secret", "notes"]) {
      expect(text).not.toContain(secret);
      expect(bytes).not.toContain(secret);
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(keyring.content.size).toBe(1);
  });

  it(
    "encrypts exactly the entries that a plain file would have",
    { meta: { covers: ["R2.154", "R2.155", "R2.156", "R2.171"] } },
    async () => {
      await openStore().save(NOTES, "notes", sampleLogin(NOTES));
      const { version, key_id, sealed } = await content();
      const secret = Buffer.from(keyring.content.get(`mcp-auth:${String(key_id)}`)!, "base64");
      const plain = join(folder, "plain.json");
      await new LoginStore({ file: plain, keyring: NO_KEYRING }).save(NOTES, "notes", sampleLogin(NOTES));
      const { servers } = JSON.parse(await readFile(plain, "utf8")) as { servers: Record<string, unknown> };
      expect(decryptEntries(String(sealed), { id: String(key_id), secret }, Number(version))).toEqual(servers);
      expect(Object.keys(servers["notes"] as object)).toEqual(
        expect.arrayContaining([
          "access_token",
          "refresh_token",
          "expires_at",
          "token_type",
          "scope",
          "client_id",
          "client_secret",
        ]),
      );
    },
  );

  it("saves, finds and removes logins across stores with the same keyring", async () => {
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    await openStore().save(WORK, "notes", sampleLogin(WORK));
    expect(await openStore().find(WORK)).toEqual(sampleLogin(WORK));
    expect([...(await openStore().list()).keys()]).toEqual(["notes", "notes-2"]);
    expect(await openStore().remove(NOTES, { refreshToken: "another" })).toBe(false);
    expect(await openStore().remove(NOTES)).toBe(true);
    expect(await openStore().find(NOTES)).toBeUndefined();
    expect(keyring.content.size).toBe(1);
  });

  it("uses a new initialization vector for each write", async () => {
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    const first = await content();
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    const second = await content();
    expect(second["key_id"]).toBe(first["key_id"]);
    const vector = ({ sealed }: Record<string, unknown>) => Buffer.from(String(sealed), "base64").subarray(0, 12);
    expect(vector(second)).not.toEqual(vector(first));
  });

  it("reads the key from the keyring once for concurrent operations", async () => {
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    keyring.accessCount = 0;
    const store = openStore();
    await Promise.all([store.find(NOTES), store.list(), store.save(WORK, "notes", sampleLogin(WORK)), store.backend()]);
    keyring.locked = true;
    expect(await store.find(WORK)).toEqual(sampleLogin(WORK));
    expect(keyring.accessCount).toBe(1);
  });

  it("deletes the new key from the keyring if the file can't be written", async () => {
    // A folder at the path of the temporary file makes writing fail.
    await mkdir(join(folder, ".mcp-auth.json.new"));
    await expect(openStore().save(NOTES, "notes", sampleLogin(NOTES))).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
    });
    expect([...keyring.content.keys()]).toEqual([]);
  });

  it("creates one file and one key when several stores save the first login at once", async () => {
    await Promise.all([NOTES, WORK, FILES].map((key) => openStore().save(key, "server", sampleLogin(key))));
    for (const key of [NOTES, WORK, FILES]) expect(await openStore().find(key)).toEqual(sampleLogin(key));
    expect([...keyring.content.keys()]).toEqual([`mcp-auth:${String((await content())["key_id"])}`]);
  });
});

describe("decryptEntries", () => {
  const key = { id: "0123456789abcdef", secret: Buffer.alloc(32, 7) };
  const entries = { notes: sampleLogin(NOTES) };
  const sealed = encryptEntries(entries, key, 1);

  it("decrypts logins with the key and the file version that encrypted them", () => {
    expect(decryptEntries(sealed, key, 1)).toEqual(entries);
  });

  it.each([
    ["for another key", sealed, { ...key, secret: Buffer.alloc(32, 8) }, 1],
    ["for another key id", sealed, { ...key, id: "fedcba9876543210" }, 1],
    ["for another version", sealed, key, 2],
    ["if a byte of the ciphertext was changed", flipped(sealed, 40), key, 1],
    ["if a byte of the initialization vector was changed", flipped(sealed, 0), key, 1],
    ["if a byte of the tag was changed", flipped(sealed, 12), key, 1],
    ["if the end is missing", sealed.slice(0, -8), key, 1],
    ["if only six bytes are left", sealed.slice(0, 8), key, 1],
    ["for an empty text", "", key, 1],
  ])("returns undefined %s", (_, sealed, key, version) => {
    expect(decryptEntries(sealed, key, version)).toBeUndefined();
  });

  it("returns undefined for a changed file, which LoginStore reports as damaged and does not overwrite", async () => {
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    const changed = { ...(await content()), sealed };
    await writeFile(file, JSON.stringify(changed));
    const refusal = {
      code: "STORE_UNREADABLE",
      details: { reason: expect.stringContaining("can't be decrypted") as string },
    };
    await expect(openStore().find(NOTES)).rejects.toMatchObject(refusal);
    await expect(openStore().save(WORK, "notes", sampleLogin(WORK))).rejects.toMatchObject(refusal);
    expect(await openStore().backend()).toMatchObject({ backend: "keyring", note: refusal.details.reason });
    expect(await content()).toEqual(changed);
  });

  function flipped(sealed: string, index: number): string {
    const bytes = Buffer.from(sealed, "base64");
    bytes[index]! ^= 1;
    return bytes.toString("base64");
  }
});

describe("the backend of a LoginStore", () => {
  it("is the keyring, before and after the first login", async () => {
    expect(await openStore().backend()).toEqual({ backend: "keyring", file });
    expect(await readdir(folder)).toEqual([]);
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    expect(await openStore().backend()).toEqual({ backend: "keyring", file });
  });

  it("is a plain file if there is no keyring, and the report says why", async () => {
    const store = new LoginStore({ file, keyring: NO_KEYRING });
    const report = { backend: "file", file, note: "there is no keyring here" };
    expect(await store.backend()).toEqual(report);
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    expect(await store.backend()).toEqual(report);
  });

  it("stays a plain file when a keyring becomes available", async () => {
    await new LoginStore({ file, keyring: NO_KEYRING }).save(NOTES, "notes", sampleLogin(NOTES));
    await openStore().save(WORK, "notes", sampleLogin(WORK));
    expect(await content()).toHaveProperty("servers.notes");
    expect(await openStore().backend()).toEqual({ backend: "file", file });
    expect(keyring.accessCount).toBe(0);
  });

  it("is the keyring if it was locked at first but is unlocked when the file is created", async () => {
    const store = openStore();
    keyring.locked = true;
    expect(await store.backend()).toEqual({ backend: "file", file, note: "the keyring is locked" });
    keyring.locked = false;
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    expect(await content()).toHaveProperty("sealed");
  });

  it("can be changed to the keyring and back without losing logins", async () => {
    const store = openStore();
    await store.setBackend("file");
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    expect(await content()).toHaveProperty("servers.notes");
    await store.setBackend("keyring");
    expect(await content()).toEqual({
      version: 1,
      backend: "keyring",
      key_id: expect.anything(),
      sealed: expect.anything(),
    });
    expect(await openStore().find(NOTES)).toEqual(sampleLogin(NOTES));
    const before = await readFile(file);
    await store.setBackend("keyring");
    expect(await readFile(file)).toEqual(before);
    await store.setBackend("file");
    expect(await content()).toEqual({ version: 1, servers: { notes: sampleLogin(NOTES) } });
    expect(keyring.content.size).toBe(0);
    expect(await readdir(folder)).toEqual(["mcp-auth.json"]);
  });

  it("can be changed to the keyring before the first login, which creates an empty encrypted file", async () => {
    await openStore().setBackend("keyring");
    expect(await content()).toHaveProperty("sealed");
    expect((await openStore().list()).size).toBe(0);
  });

  it("can't be changed to a locked keyring, and the file stays unchanged", async () => {
    await openStore().setBackend("file");
    const before = await readFile(file);
    keyring.locked = true;
    await expect(openStore().setBackend("keyring")).rejects.toMatchObject({ code: "KEYRING_UNAVAILABLE" });
    expect(await readFile(file)).toEqual(before);
  });

  it.each(["has lost its key", "is damaged"])(
    "can be changed to an empty plain file if the encrypted file %s, and keeps a backup that only the owner can read",
    async (problem) => {
      await openStore().save(NOTES, "notes", sampleLogin(NOTES));
      if (problem === "is damaged") await writeFile(file, JSON.stringify({ ...(await content()), sealed: "AAAA" }));
      else keyring.content.clear();
      const old = await readFile(file);
      const clock = { now: () => 1_760_000_000_000, after: () => () => {} };
      await writeFile(join(folder, "mcp-auth.json.2025-10-09T08-53-20.000Z"), "an older one");
      await new LoginStore({ file, keyring, clock }).setBackend("file");
      expect(await content()).toEqual({ version: 1, servers: {} });
      const backup = join(folder, "mcp-auth.json.2025-10-09T08-53-20.000Z-2");
      expect(await readFile(backup)).toEqual(old);
      expect((await stat(backup)).mode & 0o777).toBe(0o600);
      expect((await readdir(folder)).length).toBe(3);
    },
  );
});

describe("LoginStore with an encrypted file", { meta: { covers: ["F39"] } }, () => {
  it(
    "rejects all reads and changes while the keyring is locked, and works again after it is unlocked",
    { timeout: 60_000 },
    async () => {
      const session = await startKeyring("unlocked");
      await openStore(session).save(NOTES, "notes", sampleLogin(NOTES));
      const locked = await session.restart("locked");
      await expectUnavailable(locked, "the keyring is locked, or its prompt was dismissed");
      const again = await locked.restart("unlocked");
      expect(await openStore(again).find(NOTES)).toEqual(sampleLogin(NOTES));
    },
  );

  it("rejects a read while the keyring is locked, and tries again with the next read", async () => {
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    const store = openStore();
    keyring.locked = true;
    await expect(store.find(NOTES)).rejects.toMatchObject({ code: "KEYRING_UNAVAILABLE" });
    keyring.locked = false;
    expect(await store.find(NOTES)).toEqual(sampleLogin(NOTES));
  });

  it("rejects all reads and changes while no keyring runs on the D-Bus", { timeout: 60_000 }, async () => {
    const session = await startKeyring("unlocked");
    await openStore(session).save(NOTES, "notes", sampleLogin(NOTES));
    await expectUnavailable(await session.restart("absent"), "there is no keyring on this machine");
  });

  it("rejects all reads and changes without a D-Bus session", { timeout: 60_000 }, async () => {
    const session = await startKeyring("unlocked");
    await openStore(session).save(NOTES, "notes", sampleLogin(NOTES));
    const nowhere = { env: { XDG_RUNTIME_DIR: folder, DBUS_SESSION_BUS_ADDRESS: undefined } };
    await expectUnavailable(nowhere, "there is no keyring on this machine");
  });

  it("rejects all reads and changes with another keyring that does not have the key", { timeout: 60_000 }, async () => {
    const session = await startKeyring("unlocked");
    await openStore(session).save(NOTES, "notes", sampleLogin(NOTES));
    await expectUnavailable(await startKeyring("unlocked"), "the key of the logins is not in this keyring");
  });

  it("rejects a read if the keyring entry is not a valid key", async () => {
    await openStore().save(NOTES, "notes", sampleLogin(NOTES));
    for (const name of keyring.content.keys()) keyring.content.set(name, "c2hvcnQ=");
    const refusal = {
      code: "KEYRING_UNAVAILABLE",
      details: { reason: "the keyring entry for the logins is not a valid key" },
    };
    await expect(openStore().find(NOTES)).rejects.toMatchObject(refusal);
  });

  /** Expects that the encrypted file stays unchanged and that an older plain file beside it is not used instead. */
  async function expectUnavailable(session: KeyringSession, reason: string): Promise<void> {
    const old = { version: 1, servers: { notes: sampleLogin(NOTES, { access_token: "older" }) } };
    await writeFile(`${file}.2025-01-01`, JSON.stringify(old));
    const before = await readFile(file);
    const refusal = { code: "KEYRING_UNAVAILABLE", details: { reason } };
    const store = openStore(session);
    await expect(store.find(NOTES)).rejects.toMatchObject(refusal);
    await expect(store.list()).rejects.toMatchObject(refusal);
    await expect(store.save(NOTES, "notes", sampleLogin(NOTES))).rejects.toMatchObject(refusal);
    await expect(store.remove(NOTES)).rejects.toMatchObject(refusal);
    expect(await store.backend()).toEqual({ backend: "keyring", file, note: reason });
    expect(await readFile(file)).toEqual(before);
    expect((await readdir(folder)).sort()).toEqual(["mcp-auth.json", "mcp-auth.json.2025-01-01"]);
  }
});

it(
  "LoginStore creates one key in a real keyring when several processes save the first login at once",
  { timeout: 60_000 },
  async () => {
    const { env } = await startKeyring("unlocked");
    const saveProgram = (number: number) => `
    import { LoginStore } from "#auth/vault/login-store.js";
    import { systemKeyring } from "#auth/vault/system-keyring.js";
    const keyring = systemKeyring({ env: ${JSON.stringify(env)} });
    const store = new LoginStore({ file: ${JSON.stringify(file)}, keyring });
    await store.save({ resource: "https://${number}.example/" }, "server", ${JSON.stringify(sampleLogin(NOTES))});`;
    const ended = await Promise.all([1, 2, 3, 4].map((number) => runChild(saveProgram(number))));
    expect(ended.map(({ output }) => output)).toEqual(["", "", "", ""]);
    expect((await openStore({ env }).list()).size).toBe(4);
  },
);
