/** Tests the owner's token: how it is created, stored and compared. */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ownerToken } from "@plugboard/host/tokens";
import { socketPath } from "@plugboard/store";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Authenticator } from "#auth/authenticator.js";
import { testEnv } from "../helpers/running-host.ts";

async function setUp(content?: string) {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  const file = join(dirname(socketPath(env)), "token");
  if (content !== undefined) {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, content, { mode: 0o600 });
  }
  return { env, file };
}

describe("ownerToken", () => {
  it.each(["x", "x".repeat(31), ` ${"x".repeat(31)} \n`])(
    "rejects a token file whose token is too short: %j",
    async (content) => {
      const { env, file } = await setUp(content);
      await expect(ownerToken(env)).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        details: { file, reason: expect.stringContaining("delete the file to get a new token") as string },
      });
      expect(await readFile(file, "utf8")).toBe(content);
    },
  );

  it("accepts a long token that the user has chosen", async () => {
    const token = "x".repeat(32);
    expect(await ownerToken((await setUp(`${token}\n`)).env)).toBe(token);
  });

  async function spyOnSync() {
    const handle = await open(import.meta.filename);
    await handle.close();
    return vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, "sync");
  }

  it(
    "throws STORE_UNWRITABLE if the file can't be written, and leaves no temporary file",
    { meta: { covers: ["F48"] } },
    async () => {
      const { env, file } = await setUp();
      (await spyOnSync()).mockRejectedValueOnce(Object.assign(new Error("full"), { code: "ENOSPC" }));
      await expect(ownerToken(env)).rejects.toMatchObject({ code: "STORE_UNWRITABLE", details: { file } });
      expect(await readdir(dirname(file))).toEqual([]);
    },
  );

  it("flushes a new token to disk before it returns the token", async () => {
    const { env, file } = await setUp();
    const sync = await spyOnSync();
    expect(`${await ownerToken(env)}\n`).toBe(await readFile(file, "utf8"));
    // Both the file and its folder are flushed.
    expect(sync).toHaveBeenCalledTimes(2);
  });
});

describe("Authenticator", () => {
  const token = `plugboard_${randomBytes(32).toString("base64url")}`;
  const noTokens = { findByDigest: async () => undefined };
  const auth = new Authenticator({ ownerToken: token, tokens: noTokens });

  it("accepts the owner's token", async () => {
    const owner = { principal: { id: "owner", name: "owner", mayApprove: true }, holder: "owner_token" };
    expect(await auth.authenticate(`Bearer ${token}`)).toEqual(owner);
  });

  it.each([
    ["consists of the first 20 correct characters", token.slice(0, 20)],
    ["has the correct length but only 20 correct characters", token.slice(0, 20).padEnd(token.length, "x")],
    ["differs in its last character", `${token.slice(0, -1)}${token.endsWith("x") ? "y" : "x"}`],
    ["has one more character", `${token}x`],
    ["differs in case", token.toUpperCase()],
    ["is empty", ""],
  ])("rejects a token that %s", { meta: { covers: ["S16"] } }, async (_, wrong) => {
    expect(await auth.authenticate(`Bearer ${wrong}`)).toBeUndefined();
  });
});
