import { TrustStore } from "#trust/trust-store.js";
import type { TrustedServer, TrustEntry } from "#trust/trust-store.js";
import type { JsonObject, ConfigSource } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { inMemoryStoredList } from "../helpers/in-memory-stored-list.ts";

const entry: TrustEntry = { source: "project", folder: "/work/a", id: "db", hash: "h1" };
const definition: JsonObject = { command: "db-server", args: ["--read-only"], env: { TOKEN: "${DB_TOKEN}" } };

function open(...entries: unknown[]) {
  const stored = inMemoryStoredList<TrustedServer>(...entries);
  let time = 0;
  return { trust: new TrustStore({ stored: stored.list, now: () => ++time }), ...stored };
}

describe("TrustStore", () => {
  it.each<[ConfigSource, boolean]>([
    ["managed", true],
    ["user", true],
    ["invocation", true],
    ["project", false],
    ["local", false],
  ])("trusts source %s without approval: %s", { meta: { covers: ["A1"] } }, (source, trusted) => {
    expect(open().trust.isTrusted({ ...entry, source })).toBe(trusted);
  });

  it("trusts a project's definition after approval, also after a restart", { meta: { covers: ["A1"] } }, async () => {
    const { trust, list, entries } = open();
    await trust.grant(entry, definition);
    expect(trust.isTrusted(entry)).toBe(true);
    expect(entries()).toEqual([{ ...entry, at: 1, definition }]);
    const next = new TrustStore({ stored: list, now: () => 0 });
    expect(next.isTrusted(entry)).toBe(false);
    await next.reload();
    expect(next.isTrusted(entry)).toBe(true);
  });

  it.each([
    ["with another definition", { hash: "h2" }],
    ["under another id", { id: "db2" }],
    ["in another folder", { folder: "/work/b" }],
    ["in a subfolder", { folder: "/work/a/sub" }],
  ])("does not trust the server %s", { meta: { covers: ["A1"] } }, async (_, difference) => {
    const { trust } = open();
    await trust.grant(entry, definition);
    expect(trust.isTrusted({ ...entry, ...difference })).toBe(false);
  });

  it("does not trust an earlier definition after a newer one was trusted", { meta: { covers: ["A1"] } }, async () => {
    const { trust } = open();
    await trust.grant(entry, definition);
    await trust.grant({ ...entry, hash: "h2" }, { command: "other" });
    expect(trust.isTrusted(entry)).toBe(false);
    expect(trust.isTrusted({ ...entry, hash: "h2" })).toBe(true);
    expect(trust.list()).toHaveLength(1);
  });

  it("keeps separate approvals for a project's and a local definition of the same id", async () => {
    const { trust } = open();
    await trust.grant(entry, definition);
    await trust.grant({ ...entry, source: "local", hash: "h2" }, { command: "mine" });
    expect(trust.isTrusted(entry)).toBe(true);
    expect(trust.lastTrustedDefinition(entry)).toEqual({ command: "mine" });
  });

  it("returns the last trusted definition of the same id and folder", async () => {
    const { trust } = open();
    expect(trust.lastTrustedDefinition(entry)).toBeUndefined();
    await trust.grant(entry, definition);
    expect(trust.lastTrustedDefinition(entry)).toEqual(definition);
    expect(trust.lastTrustedDefinition({ ...entry, folder: "/work/b" })).toBeUndefined();
    expect(trust.lastTrustedDefinition({ ...entry, id: "db2" })).toBeUndefined();
  });

  it("does not trust a definition after revoke", async () => {
    const { trust, entries } = open();
    await trust.grant(entry, definition);
    await trust.grant({ ...entry, id: "db2" }, definition);
    await trust.revoke(entry);
    expect(trust.isTrusted(entry)).toBe(false);
    expect(trust.isTrusted({ ...entry, id: "db2" })).toBe(true);
    expect(entries()).toMatchObject([{ id: "db2" }]);
    expect(trust.list()).toMatchObject([{ id: "db2" }]);
  });

  it("rejects if the approval can't be stored, but trusts the definition until the host ends", async () => {
    const { trust, file } = open();
    file.writeError = new Error("disk full");
    await expect(trust.grant(entry, definition)).rejects.toThrow("disk full");
    expect(trust.isTrusted(entry)).toBe(true);
  });

  it("ignores invalid entries in the file", async () => {
    const { trust } = open(null, [], { ...entry, definition: "all" }, { ...entry, hash: undefined, definition });
    await trust.reload();
    expect(trust.list()).toEqual([]);
    expect(trust.isTrusted(entry)).toBe(false);
  });
});
