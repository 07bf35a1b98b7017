import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { StoredOutputs } from "#profiles/stored-outputs.js";
import { expect, it } from "vitest";

const ID = "0123456789abcdef0123456789abcdef";
const clientOf = (id: string): Caller => ({
  kind: "front",
  id: `${id}/1`,
  principal: { id, name: "same name", mayApprove: false },
});
const [ann, bob] = [clientOf("token:ann"), clientOf("token:bob")];

/** Stores one text and returns it in short pages. Fails the test if a page of more than 1 MiB is requested. */
function makeFiles(pageLength = 2) {
  let stored: string | undefined;
  return {
    save: async (text: string) => ((stored = text), ID),
    read: async (_id: string, { offset, limit }: { offset: number; limit: number }) => {
      expect(limit).toBeLessThanOrEqual(1024 * 1024);
      if (stored === undefined) throw new HostError("NOT_FOUND", { subject: "stored output with this id" });
      const next = offset + Math.min(limit, pageLength);
      const page = { text: stored.slice(offset, next), offset, total: stored.length };
      return next < stored.length ? { ...page, next } : page;
    },
    delete: () => (stored = undefined),
  };
}

/** Stores a text of one part. Returns its URI. */
async function saveShort(outputs: StoredOutputs, text: string, caller: Caller): Promise<string> {
  const parts = (await outputs.save(text, caller))!;
  expect(parts).toHaveLength(1);
  return parts[0]!.uri;
}

it("StoredOutputs returns the whole text to every session of the same token", async () => {
  const outputs = new StoredOutputs(makeFiles());
  const uri = await saveShort(outputs, "abcde", ann);
  expect(uri).toBe(`plugboard://output/${ID}`);
  const contents = { uri, mimeType: "text/plain", text: "abcde" };
  expect(await outputs.read(uri, { ...ann, id: "ann/2" })).toEqual(contents);
  expect(await outputs.read(`${uri}?part=1`, ann)).toMatchObject({ text: "abcde" });
  expect(await outputs.read(`${uri}?part=2`, ann)).toBeUndefined();
});

it("StoredOutputs divides a text into parts of at most 1 MiB, and never within a character", async () => {
  const outputs = new StoredOutputs(makeFiles(1024 * 1024));
  // Each character has three bytes, so 1 MiB ends in the middle of a character.
  const whole = "€".repeat(800_000);
  const parts = (await outputs.save(whole, ann))!;
  expect(parts.map(({ uri }) => uri)).toEqual(
    ["", "?part=2", "?part=3"].map((part) => `plugboard://output/${ID}${part}`),
  );
  const read = await Promise.all(parts.map(({ uri }) => outputs.read(uri, ann)));
  const texts = read.map((contents) => contents!["text"] as string);
  expect(texts.join("")).toBe(whole);
  expect(texts.map((text) => Buffer.byteLength(text))).toEqual(parts.map(({ size }) => size));
  expect(parts.map(({ size }) => size)).toEqual([1_048_575, 1_048_575, 302_850]);
});

it("StoredOutputs returns binary data in parts that are base64", async () => {
  const outputs = new StoredOutputs(makeFiles(1024 * 1024));
  const bytes = Buffer.alloc(2_000_000, "plugboard");
  const parts = (await outputs.save(bytes.toString("base64"), ann, "image/png"))!;
  expect(parts).toHaveLength(3);
  const read = await Promise.all(parts.map(({ uri }) => outputs.read(uri, ann)));
  expect(read.map((contents) => contents!["mimeType"])).toEqual(["image/png", "image/png", "image/png"]);
  expect(Buffer.concat(read.map((contents) => Buffer.from(contents!["blob"] as string, "base64"))).equals(bytes)).toBe(
    true,
  );
});

it("StoredOutputs hides an output from other clients", async () => {
  const outputs = new StoredOutputs(makeFiles());
  const uri = await saveShort(outputs, "secret", ann);
  expect(await outputs.read(uri, bob)).toBeUndefined();
  expect(await outputs.read(uri, { kind: "front", id: "ann/1" })).toBeUndefined();
  expect(await new StoredOutputs(makeFiles()).read(uri, ann)).toBeUndefined();
});

it(
  "StoredOutputs forgets the oldest output of the client that has the most, and keeps those of others",
  { meta: { covers: ["S33"] } },
  async () => {
    let saved = 0;
    const files = { ...makeFiles(), save: async () => (++saved).toString(16).padStart(32, "0") };
    const outputs = new StoredOutputs({ ...files, read: async () => ({ text: "a", offset: 0, total: 1 }) });
    const own = await saveShort(outputs, "a", ann);
    const first = await saveShort(outputs, "b", bob);
    for (let count = 0; count < 10_000; count++) await outputs.save("b", bob);
    expect(await outputs.read(own, ann)).toMatchObject({ text: "a" });
    expect(await outputs.read(first, bob)).toBeUndefined();
  },
);

it("StoredOutputs has no text for an output that the store has deleted", async () => {
  const files = makeFiles();
  const outputs = new StoredOutputs(files);
  const uri = await saveShort(outputs, "old", ann);
  files.delete();
  expect(await outputs.read(uri, ann)).toBeUndefined();
});

it("StoredOutputs returns no URI if the text can't be stored", async () => {
  const save = () => Promise.reject(new HostError("STORE_UNWRITABLE", { file: "x", reason: "the disk is full" }));
  expect(await new StoredOutputs({ ...makeFiles(), save }).save("text", ann)).toBeUndefined();
});

it("StoredOutputs accepts only URIs of outputs", () => {
  const outputs = new StoredOutputs(makeFiles());
  expect(outputs.isOutput(`plugboard://output/${ID}`)).toBe(true);
  // A resource of a server called "output" has a scheme in its URI.
  for (const uri of [
    "plugboard://output/note://a",
    `plugboard://output/${ID}/x`,
    `plugboard://output/${ID}?part=0`,
    `plugboard://other/${ID}`,
  ]) {
    expect(outputs.isOutput(uri)).toBe(false);
  }
});
