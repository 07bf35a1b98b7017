import type { RegistryInputField } from "@plugboard/contracts";
import { toRegistryValues } from "#views/servers/add/registry-values.js";
import { describe, expect, it } from "vitest";

describe("toRegistryValues", () => {
  const input = (name: string, more: Partial<RegistryInputField> = {}): RegistryInputField => ({
    name,
    where: "environment",
    required: false,
    secret: false,
    format: "string",
    repeated: false,
    ...more,
  });

  it("takes each line as a value of an input that repeats, and leaves a secret as it is", () => {
    const inputs = [input("dir", { repeated: true }), input("key", { secret: true }), input("level"), input("none")];
    const texts = { dir: "/a b\n\n/c\n", key: " k ", level: " debug ", none: " " };
    expect(toRegistryValues(inputs, texts)).toEqual({ dir: ["/a b", "/c"], key: [" k "], level: ["debug"] });
  });

  it("requires a value, unless there is a default or it is a secret that can be set later", () => {
    const required = { required: true };
    const secret = input("key", { ...required, secret: true });
    expect(toRegistryValues([input("a", { ...required, default: "x" }), secret], {})).toEqual({});
    expect(() => toRegistryValues([secret, input("b", required)], {})).toThrow("Fill in b.");
  });
});
