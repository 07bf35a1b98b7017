import { secretStatuses } from "#workspace/secret-statuses.js";
import { SecretStore } from "#auth/vault/secret-store.js";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { InMemoryKeyring } from "../helpers/auth/login-samples.ts";
import { temporaryFolder } from "../../../store/test/helpers/run-child.ts";
import { stdioDefinition } from "../../../config/test/helpers/small-definitions.ts";

const server = (id: string, ...names: string[]) => ({
  id,
  definition: stdioDefinition({ args: names.map((name) => ({ $secret: name })) }),
});

async function openStore() {
  const keyring = new InMemoryKeyring();
  const file = join(await temporaryFolder(), "secrets.json");
  const reopen = () => new SecretStore({ file, keyring, loginBackend: async () => "keyring" });
  return { keyring, store: reopen(), reopen };
}

describe("secretStatuses", () => {
  it("names the servers that refer to each secret, and where the secret is", async () => {
    const { store, keyring } = await openStore();
    await store.set("stored", "1");
    await keyring.set("secret:elsewhere", "2");
    const servers = [server("a", "stored", "stored", "missing"), server("b", "stored", "elsewhere")];
    const { secrets } = await secretStatuses(store, [...servers, { id: "c", definition: { invalid: "broken" } }]);
    expect(secrets).toEqual([
      { name: "elsewhere", state: "keyring", servers: ["b"] },
      { name: "missing", state: "missing", servers: ["a"] },
      { name: "stored", state: "stored", setAt: expect.any(Number), servers: ["a", "b"] },
    ]);
  });

  it("reports secrets as unknown while the keyring is locked", async () => {
    const { store, keyring, reopen } = await openStore();
    await store.set("stored", "1");
    keyring.locked = true;
    expect(await secretStatuses(reopen(), [server("a", "stored")])).toMatchObject({
      unreadable: { code: "KEYRING_UNAVAILABLE" },
      secrets: [{ name: "stored", state: "unknown", servers: ["a"] }],
    });
  });

  it("asks the program's callback for secrets instead of the store, if there is one", async () => {
    const { store } = await openStore();
    await store.set("mine", "1");
    const program = async (name: string) => {
      if (name === "broken") throw new Error("leaks s3cret");
      return name === "mine" ? "s3cret" : undefined;
    };
    const list = await secretStatuses(store, [server("a", "mine", "none", "broken")], program);
    expect(list.secrets.map(({ name, state }) => [name, state])).toEqual([
      ["mine", "program"],
      ["none", "missing"],
      ["broken", "unknown"],
    ]);
    expect(JSON.stringify(list)).not.toContain("s3cret");
  });
});
