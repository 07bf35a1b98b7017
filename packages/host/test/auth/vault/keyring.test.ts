import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { childrenOf, waitUntilDead } from "@plugboard/testkit/process-alive";
import { KeyringUnavailable, probeKeyring } from "#auth/vault/keyring.js";
import { systemKeyring } from "#auth/vault/system-keyring.js";
import { describe, expect, it } from "vitest";
import { startKeyring } from "../../helpers/auth/keyring-session.ts";
import { temporaryFolder } from "../../../../store/test/helpers/run-child.ts";

describe("systemKeyring with an unlocked keyring", () => {
  it("passes probeKeyring, which leaves no entry in the keyring", async () => {
    const { env } = await startKeyring("unlocked");
    await probeKeyring(systemKeyring({ env }));
    const list = `import { findCredentials } from "@napi-rs/keyring"; console.log(findCredentials("plugboard").length)`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", list], {
      cwd: import.meta.dirname,
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
    expect(stdout).toBe("0\n");
  });

  it("returns a stored secret after a restart of the keyring, until the secret is deleted", async () => {
    const session = await startKeyring("unlocked");
    const value = `${randomBytes(32).toString("base64")}\n"ü"`;
    await systemKeyring(session).set("one", "first");
    await systemKeyring(session).set("one", value);
    const keyring = systemKeyring(await session.restart("unlocked"));
    expect(await keyring.get("one")).toBe(value);
    expect(await keyring.get("two")).toBeUndefined();
    await keyring.delete("one");
    await keyring.delete("one");
    expect(await keyring.get("one")).toBeUndefined();
  });

  it("waits while the keyring starts", async () => {
    const keyring = systemKeyring(await startKeyring("slow"));
    await keyring.set("one", "a value");
    expect(await keyring.get("one")).toBe("a value");
  });
});

describe("systemKeyring without a usable keyring", { meta: { covers: ["F39"] } }, () => {
  it("throws KeyringUnavailable without a D-Bus session", async () => {
    const env = { XDG_RUNTIME_DIR: await temporaryFolder(), DBUS_SESSION_BUS_ADDRESS: undefined };
    await expectUnavailable(env, "absent");
  });

  it("throws KeyringUnavailable if nothing listens at the D-Bus address", async () => {
    const folder = await temporaryFolder();
    await expectUnavailable({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/none` }, "absent");
  });

  it("throws KeyringUnavailable if no keyring runs on the D-Bus", async () => {
    await expectUnavailable((await startKeyring("absent")).env, "absent");
  });

  it("throws KeyringUnavailable if the keyring is locked and its password prompt is dismissed", async () => {
    const session = await startKeyring("unlocked");
    await systemKeyring(session).set("one", "a value");
    const locked = await session.restart("locked");
    await expectUnavailable(locked.env, "refused");
    await expect(systemKeyring(locked).get("one")).rejects.toMatchObject({ failure: "refused" });
    await expect(systemKeyring(locked).delete("one")).rejects.toMatchObject({ failure: "refused" });
  });

  it("throws KeyringUnavailable and kills its helper if nobody answers the password prompt of the keyring", async () => {
    const session = await startKeyring("unlocked");
    await systemKeyring(session).set("one", "a value");
    const keyring = systemKeyring(await session.restart("asking"));
    const before = childrenOf(process.pid);
    await expect(keyring.get("one", 1500)).rejects.toMatchObject({
      failure: "silent",
      message: expect.stringMatching(/^the keyring did not answer: .*1500 ms/),
    });
    for (const child of childrenOf(process.pid)) if (!before.includes(child)) await waitUntilDead(child, 5000);
  });

  it("throws KeyringUnavailable if the keyring hangs", async () => {
    const session = await startKeyring("unlocked");
    const keyring = systemKeyring(session);
    await keyring.set("one", "a value");
    await session.freeze();
    await expect(keyring.get("one", 1000)).rejects.toMatchObject({ failure: "silent" });
  });

  it("fails probeKeyring if the keyring does not return the stored value", async () => {
    const forgetful = { get: async () => undefined, set: async () => {}, delete: async () => {} };
    await expect(probeKeyring(forgetful)).rejects.toMatchObject({ failure: "refused" });
  });

  async function expectUnavailable(env: Env, failure: string): Promise<void> {
    const kernelKeyrings = () =>
      readFile("/proc/keys", "utf8").then((keys) => keys.match(/keyring:.*@plugboard/g) ?? []);
    const before = await kernelKeyrings();
    const error = await probeKeyring(systemKeyring({ env })).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(KeyringUnavailable);
    expect(error).toMatchObject({ failure });
    // It does not fall back to the keyring of the kernel, which loses its entries at a restart.
    expect(await kernelKeyrings()).toEqual(before);
  }
});

type Env = { readonly [name: string]: string | undefined };
