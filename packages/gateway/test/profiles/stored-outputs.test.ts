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

/** Keeps one text, and reads it in pages of two characters. Nobody may ask for pages of more than 1 MiB. */
function makeFiles() {
  let stored: string | undefined;
  return {
    save: async (text: string) => ((stored = text), ID),
    read: async (_id: string, { offset, limit }: { offset: number; limit: number }) => {
      expect(limit).toBeLessThanOrEqual(1024 * 1024);
      if (stored === undefined) throw new HostError("NOT_FOUND", { subject: "stored output with this id" });
      const next = offset + 2;
      const page = { text: stored.slice(offset, next), offset, total: stored.length };
      return next < stored.length ? { ...page, next } : page;
    },
    delete: () => (stored = undefined),
  };
}

it("StoredOutputs returns the whole text to every session of the same token", async () => {
  const outputs = new StoredOutputs(makeFiles());
  const uri = (await outputs.save("abcde", ann))!;
  expect(uri).toBe(`plugboard://output/${ID}`);
  expect(await outputs.read(uri, { ...ann, id: "ann/2" })).toBe("abcde");
});

it("StoredOutputs hides an output from other clients", async () => {
  const outputs = new StoredOutputs(makeFiles());
  const uri = (await outputs.save("secret", ann))!;
  expect(await outputs.read(uri, bob)).toBeUndefined();
  expect(await outputs.read(uri, { kind: "front", id: "ann/1" })).toBeUndefined();
  expect(await new StoredOutputs(makeFiles()).read(uri, ann)).toBeUndefined();
});

it(
  "StoredOutputs forgets the oldest output of the client with most, not those of others",
  { meta: { covers: ["S33"] } },
  async () => {
    let saved = 0;
    const files = { ...makeFiles(), save: async () => (++saved).toString(16).padStart(32, "0") };
    const outputs = new StoredOutputs({ ...files, read: async () => ({ text: "a", offset: 0, total: 1 }) });
    const own = (await outputs.save("a", ann))!;
    const first = (await outputs.save("b", bob))!;
    for (let count = 0; count < 10_000; count++) await outputs.save("b", bob);
    expect(await outputs.read(own, ann)).toBe("a");
    expect(await outputs.read(first, bob)).toBeUndefined();
  },
);

it("StoredOutputs has no text for an output that the store has deleted", async () => {
  const files = makeFiles();
  const outputs = new StoredOutputs(files);
  const uri = (await outputs.save("old", ann))!;
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
  for (const uri of ["plugboard://output/note://a", `plugboard://output/${ID}/x`, `plugboard://other/${ID}`]) {
    expect(outputs.isOutput(uri)).toBe(false);
  }
});
