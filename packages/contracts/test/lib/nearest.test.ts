import { nearest } from "#lib/nearest.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";

const KEYS = [
  "transport",
  "enabled",
  "command",
  "args",
  "cwd",
  "env",
  "url",
  "headers",
  "request_timeout_ms",
  "files:read_file",
];

it.each([
  ["a missing letter", "comand", "command"],
  ["an extra letter", "commmand", "command"],
  ["two extra letters", "urlss", "url"],
  ["a wrong letter", "headerz", "headers"],
  ["swapped letters", "agrs", "args"],
  ["swapped letters in a short word", "rul", "url"],
  ["another case", "URL", "url"],
  ["no mistake", "env", "env"],
  ["a mistake in the tool", "files:raed_file", "files:read_file"],
  ["a mistake in the server", "flies:read_file", "files:read_file"],
  ["a colon and no mistake", "files:read_file", "files:read_file"],
  ["more mistakes in a longer word", "reqest_timout_m", "request_timeout_ms"],
])("nearest finds the candidate for a word with %s", (_, word, meant) => {
  expect(nearest(word, KEYS)).toBe(meant);
});

it.each([
  ["a word unlike any candidate", "colour", KEYS],
  ["three mistakes in a short word", "ebv12", ["env"]],
  ["unrelated words of two letters", "fs", ["gh", "s3", "db"]],
  ["unrelated words of three letters", "git", ["env", "cwd", "gnu"]],
  ["a short candidate with two other letters", "test", ["es"]],
  ["an unrelated tool of the same server", "everything:nope", ["everything:echo"]],
  ["an unrelated tool with the same prefix", "mcp__everything__nope", ["mcp__everything__echo"]],
  ["a single letter that differs", "a", ["b"]],
  ["an empty word", "", ["a"]],
  ["an empty list of candidates", "command", []],
])("nearest returns undefined for %s", (_, word, candidates) => {
  expect(nearest(word, candidates)).toBeUndefined();
});

it("nearest prefers the closest candidate in any order of candidates", () => {
  expect(nearest("read_file", ["read_files2", "read_filed", "write_file"])).toBe("read_filed");
  expect(nearest("read_file", ["write_file", "read_filed", "read_files2"])).toBe("read_filed");
});

it("nearest prefers an exact match and ignores case", () => {
  expect(nearest("args", ["argz", "args"])).toBe("args");
  expect(nearest("path", ["PATH"])).toBe("PATH");
});

it("nearest finds a word of two letters with one mistake", () => {
  expect(nearest("sf", ["gh", "fs"])).toBe("fs");
  expect(nearest("fss", ["gh", "fs"])).toBe("fs");
  expect(nearest("fa", ["gh", "fs"])).toBe("fs");
});

it("nearest accepts any iterable", () => {
  expect(nearest("fils", new Map([["files", 1]]).keys())).toBe("files");
});

it("nearest ignores words over 200 characters and candidates after the first 5000", () => {
  const long = "x".repeat(201);
  expect(nearest(long, [long])).toBeUndefined();
  expect(nearest("x".repeat(200), [`${"x".repeat(199)}y`])).toBe(`${"x".repeat(199)}y`);
  const many = Array.from({ length: 5_000 }, (_, at) => `${at}${"y".repeat(190)}`);
  expect(nearest("files", [...many, "file"])).toBeUndefined();
});

it("nearest finds a word with one mistake of any kind", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 9, maxLength: 15 });
  const mistake = fc.record({ index: fc.nat(14), replacement: fc.constantFrom("", "x", "xy") });
  fc.assert(
    fc.property(word, mistake, (meant, { index, replacement }) => {
      const mistyped = meant.slice(0, index) + replacement + meant.slice(index + 1);
      expect(nearest(mistyped, ["zzzzzzzzzz", meant])).toBe(meant);
    }),
  );
});
