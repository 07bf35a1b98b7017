/** Tests how the tokens of clients are created, stored, listed and revoked. */
import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { addNamedToken, readNamedTokens, deleteNamedToken, tokenFilePath, digestOf } from "@plugboard/host/tokens";
import { describe, expect, it, onTestFinished } from "vitest";
import { TokenTable } from "#auth/token-table.js";
import { testEnv } from "../helpers/running-host.ts";

const settings = { mayApprove: false, now: 7 };

async function setUp() {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  return env;
}

describe("addNamedToken", () => {
  it(
    "stores only the digest of the token, in a file that only the user can read",
    { meta: { covers: ["A12"] } },
    async () => {
      const env = await setUp();
      const token = await addNamedToken(env, { name: "cursor", profile: "review", mayApprove: true, now: 7 });
      expect(token).toMatch(/^plugboard_[\w-]{43}$/);
      const file = tokenFilePath(env);
      expect(await readFile(file, "utf8")).not.toContain(token.slice("plugboard_".length));
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const digest = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
      expect(await readNamedTokens(env)).toEqual([
        { name: "cursor", digest, createdAt: 7, profile: "review", mayApprove: true },
      ]);
    },
  );

  it("keeps the tokens of processes that create tokens at the same time", async () => {
    const env = await setUp();
    const names = Array.from({ length: 8 }, (_, index) => `client-${index}`);
    const tokens = await Promise.all(names.map((name) => addNamedToken(env, { name, ...settings })));
    expect(new Set(tokens).size).toBe(8);
    expect((await readNamedTokens(env)).map(({ name }) => name).toSorted()).toEqual(names);
  });

  it("refuses a name that is taken, and keeps the existing token", async () => {
    const env = await setUp();
    await addNamedToken(env, { name: "cursor", ...settings });
    const before = await readNamedTokens(env);
    await expect(addNamedToken(env, { name: "cursor", ...settings })).rejects.toMatchObject({ code: "USAGE" });
    expect(await readNamedTokens(env)).toEqual(before);
  });

  it.each(["owner", "", "a/b", "a:b", "-a", "a b", "x".repeat(65), "é"])("refuses the name %j", async (name) => {
    await expect(addNamedToken(await setUp(), { name, ...settings })).rejects.toMatchObject({ code: "USAGE" });
  });
});

describe("deleteNamedToken", () => {
  it("removes only the token of that name", async () => {
    const env = await setUp();
    await addNamedToken(env, { name: "a", ...settings });
    await addNamedToken(env, { name: "b", ...settings });
    await deleteNamedToken(env, "a");
    expect((await readNamedTokens(env)).map(({ name }) => name)).toEqual(["b"]);
    await expect(deleteNamedToken(env, "a")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

it("a token is neither added nor deleted in a state folder that is a symbolic link", async () => {
  const env = await setUp();
  const folder = dirname(tokenFilePath(env));
  await mkdir(dirname(folder), { recursive: true });
  await symlink(env.HOME, folder);
  for (const change of [() => addNamedToken(env, { name: "a", ...settings }), () => deleteNamedToken(env, "a")])
    await expect(change()).rejects.toMatchObject({ code: "STATE_UNSAFE" });
});

describe("a file with one damaged entry", () => {
  it.each([
    ["a property of another type", (text: string) => text.replace('"may_approve": false', '"may_approve": "no"')],
    ["no object", (text: string) => text.replace('"tokens": [', '"tokens": [7,')],
  ])("is rejected as a whole, and its tokens are invalid: %s", async (_, damage) => {
    const env = await setUp();
    const token = await addNamedToken(env, { name: "a", ...settings });
    const errors: unknown[] = [];
    const table = new TokenTable({ env, onUnreadable: (error) => errors.push(error) });
    onTestFinished(() => table.close());
    expect(await table.findByDigest(digestOf(token))).toMatchObject({ name: "a" });
    const file = tokenFilePath(env);
    await writeFile(file, damage(await readFile(file, "utf8")));
    await expect(readNamedTokens(env)).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    expect(await table.findByDigest(digestOf(token))).toBeUndefined();
    expect(errors).toMatchObject([{ code: "STORE_UNREADABLE" }]);
  });
});
