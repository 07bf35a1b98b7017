/** Tests how the arguments of a call are read. */
import { parseArguments } from "#loop/parse-arguments.js";
import { expect, it } from "vitest";

it.each([
  ["no text", "", {}],
  ["spaces", " \n", {}],
  ["an object", ' {"a":[1,{"b":"]"}]} ', { a: [1, { b: "]" }] }],
  ["a quote in a text", '{"a":"\\"[[[","b":[]}', { a: '"[[[', b: [] }],
  [
    "many brackets one after another",
    `{"a":[${"[],".repeat(300)}1]}`,
    { a: [...Array.from({ length: 300 }, () => []), 1] },
  ],
  [
    "many objects one after another",
    `{"a":[${"{},".repeat(300)}1]}`,
    { a: [...Array.from({ length: 300 }, () => ({})), 1] },
  ],
])("reads %s", (_, text, args) => {
  expect(parseArguments(text)).toEqual(args);
});

it.each([
  ["a list", "[1]", "The arguments must be a JSON object. Received: [1]"],
  [
    "lists that are too deep",
    `{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
    "The arguments are nested more than 200 deep.",
  ],
  [
    "objects that are too deep",
    `${'{"a":'.repeat(201)}1${"}".repeat(201)}`,
    "The arguments are nested more than 200 deep.",
  ],
  [
    "brackets that are too deep behind a text with a backslash",
    `{"a":"\\\\","b":${"[".repeat(200)}${"]".repeat(200)}}`,
    "The arguments are nested more than 200 deep.",
  ],
  [
    "brackets that are too deep behind closed ones",
    `{"a":[${"[],{},".repeat(300)}${"[".repeat(199)}${"]".repeat(199)}]}`,
    "The arguments are nested more than 200 deep.",
  ],
  ["a long text", " ".repeat(8 * 1024 * 1024) + "x", "The arguments are longer than 8388608 characters."],
])("returns a message for %s", (_, text, message) => {
  expect(parseArguments(text)).toBe(message);
});

it("accepts arguments of 200 levels, and of 8 MiB", () => {
  expect(parseArguments(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`)).toBeTypeOf("object");
  expect(parseArguments(`{}${" ".repeat(8 * 1024 * 1024 - 2)}`)).toEqual({});
});

it("quotes at most 2000 characters of invalid arguments", () => {
  const quoted = (length: number) => parseArguments(`"${"x".repeat(length - 2)}"`) as string;
  expect(quoted(2000)).toBe(`The arguments must be a JSON object. Received: "${"x".repeat(1998)}"`);
  expect(quoted(2001)).toBe(`The arguments must be a JSON object. Received: "${"x".repeat(1999)}… (2001 characters)`);
  expect(parseArguments("{a")).toMatch(/^The arguments are not valid JSON \(.+\): \{a$/);
});
