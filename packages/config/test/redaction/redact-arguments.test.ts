import { redactArguments } from "#redaction/redact-arguments.js";
import { createRedactor } from "#redaction/redactor.js";
import type { JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const parse = (args: JsonObject, ...secrets: readonly string[]) => {
  const { json, isMasked } = redactArguments(args, createRedactor(secrets), 100_000);
  return { args: JSON.parse(json) as JsonObject, isMasked };
};

describe("redactArguments", () => {
  it("writes arguments without secrets as they are", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 5 });
    const args = fc.dictionary(
      text.map((key) => `n${key.length}`),
      fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom("a", '"', "\\", "\n", "é", "😀") }),
    );
    fc.assert(
      fc.property(args, (value) => {
        const expected = JSON.parse(JSON.stringify(value)) as JsonObject;
        expect(parse(value as JsonObject)).toEqual({ args: expected, isMasked: false });
      }),
    );
  });

  it("masks values with the name of a secret, even inside lists and objects", () => {
    const args = {
      path: "/etc/hosts",
      author: "Ada",
      api_key: "hunter2",
      pin: 1234,
      password: "",
      tokens: ["a", "b"],
      credentials: { user: "ann", more: [{ value: 7 }] },
    };
    expect(parse(args)).toEqual({
      args: {
        path: "/etc/hosts",
        author: "Ada",
        api_key: "***",
        pin: "***",
        password: "",
        tokens: ["***", "***"],
        credentials: { user: "***", more: [{ value: "***" }] },
      },
      isMasked: true,
    });
  });

  it("masks known tokens and the secrets of the definition in texts and names", () => {
    const header = "Authorization: Bearer ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const args = {
      command: `curl -H '${header}'`,
      commit: "9f86d081884c7d659a2feaa0c55ad015",
      "x-canary-1": "canary-1!",
    };
    expect(parse(args, "canary-1").args).toEqual({
      command: "curl -H 'Authorization: Bearer ***'",
      commit: args.commit,
      "x-***": "***!",
    });
  });

  it("cuts long and deep arguments, and shows no part of a secret at the cut", () => {
    expect(redactArguments({ a: "x".repeat(50), b: 1 }, undefined, 20)).toEqual({
      json: `{"a":"${"x".repeat(14)}`,
      isCut: true,
      isMasked: false,
    });
    const secret = "canary-canary-canary";
    const { json } = redactArguments({ a: `${"x".repeat(6)}${secret}` }, createRedactor([secret]), 20);
    expect(json).toBe('{"a":"xxxxxx***"}');
    let deep: JsonObject = {};
    for (let depth = 0; depth < 100_000; depth++) deep = { deep };
    expect(redactArguments(deep, undefined, 100_000)).toMatchObject({ isCut: true });
  });
});
