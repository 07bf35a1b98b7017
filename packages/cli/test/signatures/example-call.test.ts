import { checkTypedArguments } from "#arguments/check-typed-arguments.js";
import { execFileSync } from "node:child_process";
import { coerceArguments } from "#arguments/coerce-arguments.js";
import { parseArgumentWord } from "#arguments/parse-argument-word.js";
import { exampleCall } from "#signatures/example-call.js";
import type { Json, JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

function example(properties: JsonObject, more: JsonObject = {}): string | undefined {
  const inputSchema = { type: "object", properties, required: Object.keys(properties), ...more };
  return exampleCall({ server: "a", tool: "go", inputSchema });
}

describe("exampleCall", () => {
  it.each<[string, Json, string]>([
    ["text", { type: "string" }, "x=..."],
    ["a number", { type: "number" }, "x=1"],
    ["a number with a minimum", { type: "integer", minimum: 5 }, "x=5"],
    ["a boolean", { type: "boolean" }, "x=true"],
    ["a choice", { enum: ["it's", "b"] }, `'x=it'\\''s'`],
    ["a default", { type: "string", default: "a b" }, "'x=a b'"],
    ["a default that begins with @", { type: "string", default: "@me" }, "x=@@me"],
    ["a format", { type: "string", format: "uri" }, "x=https://example.com"],
    ["a list", { type: "array", items: { type: "string" } }, "x=..."],
    ["an object", { type: "object", properties: { a: { type: "number" } }, required: ["a"] }, `'x:={"a":1}'`],
    [
      "an object with a list",
      { type: "object", properties: { a: { type: "array" } }, required: ["a"] },
      `'x:={"a":["..."]}'`,
    ],
    ["alternatives", { anyOf: [{ type: "integer" }, { type: "null" }] }, "x=1"],
    ["any value", {}, `'x:="..."'`],
  ])("gives an example of %s", (_, schema, word) => {
    expect(example({ x: schema })).toBe(`plugboard call a:go ${word}`);
  });

  it("omits optional arguments", () => {
    expect(example({ x: { type: "string" } }, { required: [] })).toBe("plugboard call a:go");
  });

  it.each(["a\u001b[2J", "a\nb", "a\u202eb", "x=y", "x:"])(
    "gives no example if it would contain the name %j",
    (name) => {
      expect(example({ [name]: { type: "string" } })).toBeUndefined();
    },
  );

  it("is a single shell command, whatever the server says", { meta: { covers: ["A7"] } }, () => {
    const hostile = ["$(echo x)", "`id`", "'; echo x; '", "a && b", "\\", "!x", "~", "*", "<x", "#x", "$HOME", "", '"'];
    for (const text of hostile) {
      const inputSchema = { properties: { p: { enum: [text] } }, required: ["p"] };
      const line = exampleCall({ server: "a", tool: text, inputSchema });
      const words = execFileSync("bash", ["-c", `plugboard() { printf '%s\\0' "$@"; }\n${line}`], { encoding: "utf8" });
      expect(words.split("\0")).toEqual(["call", `a:${text}`, `p=${text}`, ""]);
    }
  });

  it("gives arguments that are converted back to the same values", () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    fc.assert(
      fc.property(value, (given) => {
        const schema = { properties: { x: { type: typeof given, default: given } }, required: ["x"] };
        const line = exampleCall({ server: "a", tool: "go", inputSchema: schema });
        if (line === undefined || String(given).length > 60) return;
        const word = / (?:'(x=[^]*)'|(x=\S*))$/.exec(line)!.slice(1).find(Boolean)!.replaceAll(`'\\''`, "'");
        const { value: parsed } = parseArgumentWord(word);
        const pairs = new Map([["x", [parsed as { text: string }]]]);
        expect(coerceArguments({ json: {}, pairs }, schema)).toEqual({ x: given });
      }),
    );
  });
});

it("an example of alternatives that refer to each other is made in a short time", { meta: { covers: ["A9"] } }, () => {
  const all = Array.from({ length: 100 }, () => ({ $ref: "#" }));
  const bomb = { anyOf: all, allOf: all, oneOf: all, properties: { x: { $ref: "#" } }, required: ["x"] };
  const startedAt = performance.now();
  expect(exampleCall({ server: "a", tool: "go", inputSchema: bomb })).toContain("plugboard call a:go");
  expect(checkTypedArguments({ x: 1 }, bomb).problems).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
