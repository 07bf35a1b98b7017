import { readFile, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LoginBackend } from "@plugboard/contracts";
import type { Keyring } from "#auth/vault/keyring.js";
import { SecretStore } from "#auth/vault/secret-store.js";
import { systemKeyring } from "#auth/vault/system-keyring.js";
import { beforeEach, describe, expect, it } from "vitest";
import { startKeyring } from "../../helpers/auth/keyring-session.ts";
import { InMemoryKeyring, NO_KEYRING } from "../../helpers/auth/login-samples.ts";
import { temporaryFolder } from "../../../../store/test/helpers/run-child.ts";

let folder: string;
let file: string;
let keyring: InMemoryKeyring;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, "secrets.json");
  keyring = new InMemoryKeyring();
});

/** Opens a new store, as another process would. */
function openStore(options: { readonly keyring?: Keyring; readonly loginBackend?: LoginBackend } = {}): SecretStore {
  const { loginBackend = "keyring" } = options;
  return new SecretStore({ file, keyring: options.keyring ?? keyring, loginBackend: async () => loginBackend });
}

describe("SecretStore", () => {
  it("encrypts the secrets with a key that is only in the keyring", async () => {
    await openStore().set("github", "ghp_s3cret");
    const text = await readFile(file, "utf8");
    expect(text).not.toContain("ghp_s3cret");
    expect(text).not.toContain("github");
    expect(JSON.parse(text)).toMatchObject({ version: 1, backend: "keyring" });
    expect(await openStore().find("github")).toBe("ghp_s3cret");
  });

  it("stores the first secret in a plain file if the backend of the logins is a plain file", async () => {
    await openStore({ loginBackend: "file" }).set("github", "ghp_s3cret");
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      version: 1,
      secrets: { github: { value: "ghp_s3cret", set_at: expect.any(Number) } },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(keyring.content.size).toBe(0);
    expect(await openStore({ keyring: NO_KEYRING }).find("github")).toBe("ghp_s3cret");
  });

  it("replaces, lists and removes secrets", async () => {
    const store = openStore();
    await store.set("one", "first");
    await store.set("one", "second");
    await store.set("two/b:c@d.e", "2");
    expect(await store.find("one")).toBe("second");
    expect([...(await store.list()).keys()]).toEqual(["one", "two/b:c@d.e"]);
    expect(await store.remove("one")).toBe(true);
    expect(await store.remove("one")).toBe(false);
    expect(await store.find("one")).toBeUndefined();
    expect(await store.find("toString")).toBeUndefined();
  });

  it("finds a secret that another program has put into the keyring, unless a stored secret has the same name", async () => {
    await keyring.set("secret:github", "from the keyring");
    const store = openStore();
    expect([await store.find("github"), await store.locate("github")]).toEqual(["from the keyring", "keyring"]);
    await store.set("github", "from the store");
    expect([await store.find("github"), await store.locate("github")]).toEqual(["from the store", "store"]);
    expect(await store.remove("github")).toBe(true);
    expect(await store.locate("github")).toBeUndefined();
  });

  it("reads its own secrets and those of other programs from a real system keyring", async () => {
    const session = await startKeyring("unlocked");
    const system = systemKeyring(session);
    await system.set("secret:github", "ghp_1");
    await system.set("other", "not this");
    const store = openStore({ keyring: system });
    await store.set("notion", "ntn_2");
    const other = openStore({ keyring: system });
    expect([await other.find("github"), await other.find("notion"), await other.find("other")]).toEqual([
      "ghp_1",
      "ntn_2",
      undefined,
    ]);
  });

  it("throws KEYRING_UNAVAILABLE instead of reporting a missing secret while the keyring is locked", async () => {
    await openStore().set("github", "ghp_s3cret");
    keyring.locked = true;
    await expect(openStore().find("github")).rejects.toMatchObject({ code: "KEYRING_UNAVAILABLE" });
    await expect(openStore().list()).rejects.toMatchObject({ code: "KEYRING_UNAVAILABLE" });
    expect(await openStore().backend()).toMatchObject({ backend: "keyring", note: "the keyring is locked" });
  });

  it("moves the secrets to another backend, and creates no file if there are none", async () => {
    expect(await openStore().setBackend("file")).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
    await openStore().set("github", "ghp_s3cret");
    await openStore().setBackend("file");
    expect(await readFile(file, "utf8")).toContain("ghp_s3cret");
    await openStore().setBackend("keyring");
    expect(await readFile(file, "utf8")).not.toContain("ghp_s3cret");
    expect(await openStore().find("github")).toBe("ghp_s3cret");
  });

  it("keeps a backup of secrets that it can't decrypt when the backend changes", async () => {
    await openStore().set("github", "ghp_s3cret");
    keyring.content.clear();
    expect(await openStore().setBackend("file")).toMatch(/secrets\.json\.\d{4}-/);
    expect(await openStore().find("github")).toBeUndefined();
  });

  it("keeps all secrets that several processes set at the same time", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => openStore().set(name, name)));
    expect([...(await openStore().list()).keys()].sort()).toEqual(names);
  });

  it("keeps secrets in memory for a host without a state folder", async () => {
    const store = new SecretStore({ file: undefined, keyring: NO_KEYRING, loginBackend: async () => "memory" });
    await store.set("github", "ghp_s3cret");
    expect([await store.find("github"), await store.find("none")]).toEqual(["ghp_s3cret", undefined]);
  });

  it.each(["", " ", "-x", "a b", "a\u001b[31m", "x".repeat(129)])("rejects the name %j with USAGE", async (name) => {
    await expect(openStore().set(name, "value")).rejects.toMatchObject({ code: "USAGE" });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(["", "x".repeat(65 * 1024)])("rejects a value that is empty or too long", async (value) => {
    await expect(openStore().set("name", value)).rejects.toMatchObject({ code: "USAGE" });
  });
});
