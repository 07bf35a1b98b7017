import { decryptAesGcm, encryptAesGcm, newAesKey } from "#keys/aes-gcm.js";
import { describe, expect, it } from "vitest";

describe("encryptAesGcm and decryptAesGcm", () => {
  const key = newAesKey();
  const encrypted = encryptAesGcm("täxt", key, "context");

  it("decrypt a text with the same key and context", () => {
    expect(decryptAesGcm(encrypted, key, "context")).toBe("täxt");
    expect(decryptAesGcm(encryptAesGcm("", key), key)).toBe("");
  });

  it("encrypt the same text differently each time", () => {
    expect(encryptAesGcm("täxt", key, "context")).not.toEqual(encrypted);
  });

  it.each([
    ["another key", encrypted, newAesKey(), "context"],
    ["another context", encrypted, key, "other"],
    ["no context", encrypted, key, undefined],
    ["a truncated header", encrypted.subarray(0, 20), key, "context"],
    ["a truncated ciphertext", encrypted.subarray(0, -1), key, "context"],
    ["no bytes", Buffer.alloc(0), key, "context"],
  ])("return undefined when decrypting with %s", (_, bytes, otherKey, context) => {
    expect(decryptAesGcm(bytes, otherKey, context)).toBeUndefined();
  });

  it("return undefined when decrypting if any byte was changed", () => {
    for (let at = 0; at < encrypted.length; at++) {
      const damaged = Buffer.from(encrypted);
      damaged[at]! ^= 1;
      expect(decryptAesGcm(damaged, key, "context")).toBeUndefined();
    }
  });
});
