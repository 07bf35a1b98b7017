/** Tests that a key ring keeps texts secret and bound to their purpose, also while its keys are rotated. */
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileKeyRing } from "#keys/key-file.js";
import { memoryKeyRing } from "#keys/key-ring.js";
import type { KeyRing } from "#keys/key-ring.js";
import { beforeEach, describe, expect, it } from "vitest";
import { runChild, temporaryFolder } from "../helpers/run-child.ts";

const clock = { now: () => 1000 };
const purpose = { kind: "note", key: "a" };
const ringKinds: [string, (file: string) => KeyRing][] = [
  ["a key ring in a file", (file) => fileKeyRing(file, clock)],
  ["a key ring in memory", () => memoryKeyRing(clock)],
];

async function idsOf(ring: KeyRing): Promise<string[]> {
  return (await ring.list()).map(({ id }) => id);
}

let file: string;
beforeEach(async () => {
  file = join(await temporaryFolder(), "state", "keys.json");
});

describe.each(ringKinds)("%s", (_, open) => {
  let ring: KeyRing;
  beforeEach(() => {
    ring = open(file);
  });

  it("decrypts a text for the same purpose", async () => {
    const sealed = await ring.seal("täxt", purpose);
    expect(await ring.open(sealed, purpose)).toBe("täxt");
    expect(sealed).not.toContain("täxt");
    expect(await ring.seal("täxt", purpose)).not.toBe(sealed);
  });

  it.each([
    ["another kind", { kind: "other", key: "a" }],
    ["another key", { kind: "note", key: "b" }],
    ["a kind that contains the quotes and the key of the purpose", { kind: 'note","key":"a', key: "" }],
  ])("does not decrypt a text for %s", async (_, other) => {
    expect(await ring.open(await ring.seal("text", purpose), other)).toBeUndefined();
  });

  it("puts the id of the key into the encrypted text, and accepts no other id", async () => {
    const sealed = await ring.seal("text", purpose);
    const [first] = await idsOf(ring);
    expect(sealed.startsWith(`${first}.`)).toBe(true);
    const second = await ring.rotate();
    expect(await ring.open(sealed.replace(first!, second), purpose)).toBeUndefined();
  });

  it("does not decrypt a text of which any character was changed, or that it has not encrypted", async () => {
    const sealed = await ring.seal("text", purpose);
    for (let at = 0; at < sealed.length; at++) {
      const forged = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
      expect(await ring.open(forged, purpose)).toBeUndefined();
    }
    for (const other of ["", ".", "AAAA", `${sealed}.`, `${sealed} `, `${sealed}=`, sealed.slice(0, 30)])
      expect(await ring.open(other, purpose)).toBeUndefined();
  });

  it("decrypts texts of an older key until that key is dropped", async () => {
    const old = await ring.seal("old", purpose);
    const [first] = await idsOf(ring);
    const second = await ring.rotate();
    expect(await idsOf(ring)).toEqual([second, first]);
    const recent = await ring.seal("recent", purpose);
    expect(recent.startsWith(second)).toBe(true);
    expect(await ring.open(old, purpose)).toBe("old");
    await ring.drop(first!);
    expect(await ring.open(old, purpose)).toBeUndefined();
    expect(await ring.open(recent, purpose)).toBe("recent");
  });

  it("refuses to drop the key that encrypts, or an unknown key", async () => {
    await ring.seal("text", purpose);
    const [first] = await idsOf(ring);
    await expect(ring.drop(first!)).rejects.toMatchObject({ code: "USAGE" });
    await expect(ring.drop("0".repeat(16))).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await idsOf(ring)).toEqual([first]);
  });

  it("lists its keys without their secrets, the newest first", async () => {
    expect(await ring.list()).toEqual([]);
    await ring.seal("text", purpose);
    const second = await ring.rotate();
    expect(await ring.list()).toEqual([
      { id: second, createdAt: 1000, encrypts: true },
      { id: expect.any(String) as string, createdAt: 1000, encrypts: false },
    ]);
  });

  it("has at most 16 keys", async () => {
    for (let count = 0; count < 16; count++) await ring.rotate();
    await expect(ring.rotate()).rejects.toMatchObject({ code: "USAGE" });
    expect(await idsOf(ring)).toHaveLength(16);
  });

  it("loses no text while its keys are rotated under load", async () => {
    const rotated = new AbortController();
    const seal = async (client: number) => {
      const sealed: [string, string][] = [];
      for (let n = 0; !rotated.signal.aborted || n < 10; n++) {
        const text = `${client} ${n}`;
        sealed.push([text, await ring.seal(text, purpose)]);
        const [expected, earlier] = sealed[n >> 1]!;
        expect(await ring.open(earlier, purpose)).toBe(expected);
      }
      return sealed;
    };
    const clients = [1, 2, 3, 4].map(seal);
    for (let count = 0; count < 10; count++) await ring.rotate();
    rotated.abort();
    const all = (await Promise.all(clients)).flat();
    for (const [text, sealed] of all) expect(await ring.open(sealed, purpose)).toBe(text);
    expect(await idsOf(ring)).toHaveLength(new Set(await idsOf(ring)).size);
  });
});

describe("a key ring in a file", () => {
  it("is created when the first text is encrypted, and only its owner can read it", async () => {
    const ring = fileKeyRing(file, clock);
    expect(await idsOf(ring)).toEqual([]);
    await ring.seal("text", purpose);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      version: 1,
      keys: [{ id: (await idsOf(ring))[0] }],
    });
  });

  it("has one key if several processes create it at the same time", async () => {
    // The processes do not start equally fast, so all wait for the same moment.
    const program = `
      import { fileKeyRing } from "#keys/key-file.js";
      while (Date.now() < ${Date.now() + 1000});
      process.stdout.write(await fileKeyRing(${JSON.stringify(file)}, Date).seal("text", ${JSON.stringify(purpose)}));`;
    const children = await Promise.all([1, 2, 3, 4].map(() => runChild(program)));
    const ring = fileKeyRing(file, clock);
    expect(await idsOf(ring)).toHaveLength(1);
    for (const { output } of children) expect(await ring.open(output, purpose)).toBe("text");
  });

  it("decrypts a text that another ring of the same file has encrypted with a new key", async () => {
    const ring = fileKeyRing(file, clock);
    const first = await ring.seal("first", purpose);
    const other = fileKeyRing(file, clock);
    await other.rotate();
    expect(await ring.open(await other.seal("second", purpose), purpose)).toBe("second");
    expect(await other.open(first, purpose)).toBe("first");
  });

  it.skipIf(process.platform === "win32")("throws STATE_UNSAFE if other users can read the file", async () => {
    const ring = fileKeyRing(file, clock);
    const sealed = await ring.seal("text", purpose);
    await chmod(file, 0o640);
    for (const use of [() => ring.seal("text", purpose), () => ring.open(sealed, purpose), () => ring.rotate()])
      await expect(use()).rejects.toMatchObject({ code: "STATE_UNSAFE" });
  });

  it.each([
    ["damaged", "{"],
    ["of a newer version", '{"version": 2, "keys": []}'],
    ["without keys", '{"version": 1, "keys": []}'],
    [
      "with a key that is too short",
      '{"version": 1, "keys": [{"id": "0123456789abcdef", "secret": "AAAA", "created_at": 0}]}',
    ],
    [
      "with a key without the time of its creation",
      `{"version": 1, "keys": [{"id": "0123456789abcdef", "secret": "${"A".repeat(43)}="}]}`,
    ],
  ])("is never overwritten if it is %s", async (_, content) => {
    const ring = fileKeyRing(file, clock);
    await ring.seal("text", purpose);
    await writeFile(file, content);
    await expect(ring.seal("text", purpose)).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    await expect(ring.rotate()).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    expect(await readFile(file, "utf8")).toBe(content);
  });
});
