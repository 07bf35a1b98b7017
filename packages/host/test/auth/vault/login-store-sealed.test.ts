import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LoginStore } from "#auth/vault/login-store.js";
import { encryptLogins, decryptLogins } from "#auth/vault/encrypt-logins.js";
import { systemKeyring } from "#auth/vault/system-keyring.js";
import { beforeEach, describe, expect, it } from "vitest";
import { startKeyring } from "../../helpers/keyring-session.ts";
import { FILES, sampleLogin, NO_KEYRING, NOTES, InMemoryKeyring, WORK } from "../../helpers/login-samples.ts";
import { runChild, temporaryFolder } from "../../helpers/run-child.ts";

let folder: string;
let file: string;
let keyring: InMemoryKeyring;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "mcp-auth.json");
  keyring = new InMemoryKeyring();
});

/** As another process would have it. */
type Where = { readonly env: { readonly [name: string]: string | undefined } };
const storeOf = (where?: Where) => new LoginStore({ file, keyring: where ? systemKeyring(where) : keyring });
const content = async () => JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;

describe("with a keyring that works", () => {
  it(
    "the file is sealed with a key that is in the keyring alone, and its owner's",
    { meta: { covers: ["R3.47", "R3.76"] } },
    async () => {
      await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
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
    },
  );

  it(
    "the file has the same logins by server as without one, once it is decrypted",
    { meta: { covers: ["R2.154", "R2.155", "R2.156", "R2.171"] } },
    async () => {
      await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
      const { version, key_id, sealed } = await content();
      const secret = Buffer.from(keyring.content.get(`mcp-auth:${String(key_id)}`)!, "base64");
      const plain = join(folder, "plain.json");
      await new LoginStore({ file: plain, keyring: NO_KEYRING }).save(NOTES, "notes", sampleLogin(NOTES));
      const { servers } = JSON.parse(await readFile(plain, "utf8")) as { servers: Record<string, unknown> };
      expect(decryptLogins(String(sealed), { id: String(key_id), secret }, Number(version))).toEqual(servers);
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

  it("logins are saved, found and forgotten by all who have the key", async () => {
    await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
    await storeOf().save(WORK, "notes", sampleLogin(WORK));
    expect(await storeOf().find(WORK)).toEqual(sampleLogin(WORK));
    expect([...(await storeOf().list()).keys()]).toEqual(["notes", "notes-2"]);
    expect(await storeOf().remove(NOTES, { refreshToken: "another" })).toBe(false);
    expect(await storeOf().remove(NOTES)).toBe(true);
    expect(await storeOf().find(NOTES)).toBeUndefined();
    expect(keyring.content.size).toBe(1);
  });

  it("the same logins are sealed otherwise each time", async () => {
    await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
    const first = await content();
    await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
    const second = await content();
    expect(second["key_id"]).toBe(first["key_id"]);
    const vector = ({ sealed }: Record<string, unknown>) => Buffer.from(String(sealed), "base64").subarray(0, 12);
    expect(vector(second)).not.toEqual(vector(first));
  });

  it("it is asked once for the key, also by many at a time", async () => {
    await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
    keyring.accessCount = 0;
    const store = storeOf();
    await Promise.all([store.find(NOTES), store.list(), store.save(WORK, "notes", sampleLogin(WORK)), store.backend()]);
    keyring.locked = true;
    expect(await store.find(WORK)).toEqual(sampleLogin(WORK));
    expect(keyring.accessCount).toBe(1);
  });

  it("no key stays in it that nothing is sealed with", async () => {
    // In the way of the draft.
    await mkdir(join(folder, ".mcp-auth.json.new"));
    await expect(storeOf().save(NOTES, "notes", sampleLogin(NOTES))).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
    });
    expect([...keyring.content.keys()]).toEqual([]);
  });

  it("what two make at the same moment is one file, and one key", async () => {
    await Promise.all([NOTES, WORK, FILES].map((key) => storeOf().save(key, "server", sampleLogin(key))));
    for (const key of [NOTES, WORK, FILES]) expect(await storeOf().find(key)).toEqual(sampleLogin(key));
    expect([...keyring.content.keys()]).toEqual([`mcp-auth:${String((await content())["key_id"])}`]);
  });
});

describe("what was sealed", () => {
  const key = { id: "0123456789abcdef", secret: Buffer.alloc(32, 7) };
  const entries = { notes: sampleLogin(NOTES) };
  const sealed = encryptLogins(entries, key, 1);

  it("opens with its key, for its version", () => {
    expect(decryptLogins(sealed, key, 1)).toEqual(entries);
  });

  it.each([
    ["with another key", sealed, { ...key, secret: Buffer.alloc(32, 8) }, 1],
    ["by another name of the key", sealed, { ...key, id: "fedcba9876543210" }, 1],
    ["for another version", sealed, key, 2],
    ["when a byte of the text is another", flipped(sealed, 40), key, 1],
    ["when a byte of the vector is another", flipped(sealed, 0), key, 1],
    ["when a byte of the tag is another", flipped(sealed, 12), key, 1],
    ["when the end is missing", sealed.slice(0, -8), key, 1],
    ["when nearly all is missing", sealed.slice(0, 8), key, 1],
    ["when it is nothing", "", key, 1],
  ])("does not open %s", (_, sealed, key, version) => {
    expect(decryptLogins(sealed, key, version)).toBeUndefined();
  });

  it("and was changed is told as damaged, and left as it is", async () => {
    await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
    const changed = { ...(await content()), sealed };
    await writeFile(file, JSON.stringify(changed));
    const refusal = {
      code: "STORE_UNREADABLE",
      details: { reason: expect.stringContaining("does not open it") as string },
    };
    await expect(storeOf().find(NOTES)).rejects.toMatchObject(refusal);
    await expect(storeOf().save(WORK, "notes", sampleLogin(WORK))).rejects.toMatchObject(refusal);
    expect(await storeOf().backend()).toMatchObject({ backend: "keyring", note: refusal.details.reason });
    expect(await content()).toEqual(changed);
  });

  function flipped(sealed: string, at: number): string {
    const bytes = Buffer.from(sealed, "base64");
    bytes[at]! ^= 1;
    return bytes.toString("base64");
  }
});

describe("how logins are kept", () => {
  it("is told before there are any, and then is so", async () => {
    expect(await storeOf().backend()).toEqual({ backend: "keyring", file });
    expect(await readdir(folder)).toEqual([]);
    await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
    expect(await storeOf().backend()).toEqual({ backend: "keyring", file });
  });

  it("is a plain file where there is no keyring, with the reason", async () => {
    const store = new LoginStore({ file, keyring: NO_KEYRING });
    const told = { backend: "file", file, note: "there is no keyring here" };
    expect(await store.backend()).toEqual(told);
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    expect(await store.backend()).toEqual(told);
  });

  it("stays as it is when a keyring comes", async () => {
    await new LoginStore({ file, keyring: NO_KEYRING }).save(NOTES, "notes", sampleLogin(NOTES));
    await storeOf().save(WORK, "notes", sampleLogin(WORK));
    expect(await content()).toHaveProperty("servers.notes");
    expect(await storeOf().backend()).toEqual({ backend: "file", file });
    expect(keyring.accessCount).toBe(0);
  });

  it("is the keyring, if that was locked at first and is open when the file is made", async () => {
    const store = storeOf();
    keyring.locked = true;
    expect(await store.backend()).toEqual({ backend: "file", file, note: "the keyring is locked" });
    keyring.locked = false;
    await store.save(NOTES, "notes", sampleLogin(NOTES));
    expect(await content()).toHaveProperty("sealed");
  });

  it("is changed on request, there and back, and the logins come along", async () => {
    const store = storeOf();
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
    expect(await storeOf().find(NOTES)).toEqual(sampleLogin(NOTES));
    const before = await readFile(file);
    await store.setBackend("keyring");
    expect(await readFile(file)).toEqual(before);
    await store.setBackend("file");
    expect(await content()).toEqual({ version: 1, servers: { notes: sampleLogin(NOTES) } });
    expect(keyring.content.size).toBe(0);
    expect(await readdir(folder)).toEqual(["mcp-auth.json"]);
  });

  it("can be chosen before there are any", async () => {
    await storeOf().setBackend("keyring");
    expect(await content()).toHaveProperty("sealed");
    expect((await storeOf().list()).size).toBe(0);
  });

  it("is not changed to a keyring that is locked", async () => {
    await storeOf().setBackend("file");
    const before = await readFile(file);
    keyring.locked = true;
    await expect(storeOf().setBackend("keyring")).rejects.toMatchObject({ code: "KEYRING_UNAVAILABLE" });
    expect(await readFile(file)).toEqual(before);
  });

  it.each(["its key is gone", "it is damaged"])(
    "starts afresh as a file when %s; the old one is put aside, for its owner alone",
    async (how) => {
      await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
      if (how === "it is damaged") await writeFile(file, JSON.stringify({ ...(await content()), sealed: "AAAA" }));
      else keyring.content.clear();
      const old = await readFile(file);
      const clock = { now: () => 1_760_000_000_000, after: () => () => {} };
      await writeFile(join(folder, "mcp-auth.json.2025-10-09T08-53-20.000Z"), "an older one");
      await new LoginStore({ file, keyring, clock }).setBackend("file");
      expect(await content()).toEqual({ version: 1, servers: {} });
      const aside = join(folder, "mcp-auth.json.2025-10-09T08-53-20.000Z-2");
      expect(await readFile(aside)).toEqual(old);
      expect((await stat(aside)).mode & 0o777).toBe(0o600);
      expect((await readdir(folder)).length).toBe(3);
    },
  );
});

describe(
  "while the keyring can't give out the key, logins are neither read nor changed, here or elsewhere:",
  { meta: { covers: ["F39"] } },
  () => {
    it("it is locked, and its question is dismissed; unlocked, all is there", { timeout: 60_000 }, async () => {
      const session = await startKeyring("unlocked");
      await storeOf(session).save(NOTES, "notes", sampleLogin(NOTES));
      const locked = await session.restart("locked");
      await expectNothingHappens(locked, "the keyring is locked, or what it asked was dismissed");
      const again = await locked.restart("unlocked");
      expect(await storeOf(again).find(NOTES)).toEqual(sampleLogin(NOTES));
    });

    it("it is locked, and whoever waited for it gets it once it is unlocked", async () => {
      await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
      const store = storeOf();
      keyring.locked = true;
      await expect(store.find(NOTES)).rejects.toMatchObject({ code: "KEYRING_UNAVAILABLE" });
      keyring.locked = false;
      expect(await store.find(NOTES)).toEqual(sampleLogin(NOTES));
    });

    it("there is none on the bus", { timeout: 60_000 }, async () => {
      const session = await startKeyring("unlocked");
      await storeOf(session).save(NOTES, "notes", sampleLogin(NOTES));
      await expectNothingHappens(await session.restart("absent"), "there is no keyring here that can be reached");
    });

    it("there is no bus", { timeout: 60_000 }, async () => {
      const session = await startKeyring("unlocked");
      await storeOf(session).save(NOTES, "notes", sampleLogin(NOTES));
      const nowhere = { env: { XDG_RUNTIME_DIR: folder, DBUS_SESSION_BUS_ADDRESS: undefined } };
      await expectNothingHappens(nowhere, "there is no keyring here that can be reached");
    });

    it("it is another one, without the key", { timeout: 60_000 }, async () => {
      const session = await startKeyring("unlocked");
      await storeOf(session).save(NOTES, "notes", sampleLogin(NOTES));
      await expectNothingHappens(await startKeyring("unlocked"), "the key of the logins is not in this keyring");
    });

    it("what it has is no key", async () => {
      await storeOf().save(NOTES, "notes", sampleLogin(NOTES));
      for (const name of keyring.content.keys()) keyring.content.set(name, "c2hvcnQ=");
      const refusal = {
        code: "KEYRING_UNAVAILABLE",
        details: { reason: "what the keyring has for the logins is not a key" },
      };
      await expect(storeOf().find(NOTES)).rejects.toMatchObject(refusal);
    });

    /** Older tokens lie beside the file, as a plain file would have them; they are not taken. */
    async function expectNothingHappens(where: Where, what: string): Promise<void> {
      const old = { version: 1, servers: { notes: sampleLogin(NOTES, { access_token: "older" }) } };
      await writeFile(`${file}.2025-01-01`, JSON.stringify(old));
      const before = await readFile(file);
      const refusal = { code: "KEYRING_UNAVAILABLE", details: { reason: what } };
      const store = storeOf(where);
      await expect(store.find(NOTES)).rejects.toMatchObject(refusal);
      await expect(store.list()).rejects.toMatchObject(refusal);
      await expect(store.save(NOTES, "notes", sampleLogin(NOTES))).rejects.toMatchObject(refusal);
      await expect(store.remove(NOTES)).rejects.toMatchObject(refusal);
      expect(await store.backend()).toEqual({ backend: "keyring", file, note: what });
      expect(await readFile(file)).toEqual(before);
      expect((await readdir(folder)).sort()).toEqual(["mcp-auth.json", "mcp-auth.json.2025-01-01"]);
    }
  },
);

it("processes that make the file at once, with a real keyring, agree on one key", { timeout: 60_000 }, async () => {
  const { env } = await startKeyring("unlocked");
  const saving = (at: number) => `
    import { LoginStore } from "#auth/vault/login-store.js";
    import { systemKeyring } from "#auth/vault/system-keyring.js";
    const keyring = systemKeyring({ env: ${JSON.stringify(env)} });
    const store = new LoginStore({ file: ${JSON.stringify(file)}, keyring });
    await store.save({ resource: "https://${at}.example/" }, "server", ${JSON.stringify(sampleLogin(NOTES))});`;
  const ended = await Promise.all([1, 2, 3, 4].map((at) => runChild(saving(at))));
  expect(ended.map(({ output }) => output)).toEqual(["", "", "", ""]);
  expect((await storeOf({ env }).list()).size).toBe(4);
});
