import { nearest } from "#lib/nearest.js";
import * as fc from "fast-check";
import { expect, it } from "vitest";

const KEYS = ["transport", "enabled", "command", "args", "cwd", "env", "url", "headers", "request_timeout_ms"];

it.each([
  ["a letter too few", "comand", "command"],
  ["a letter too many", "commmand", "command"],
  ["two letters too many", "urlss", "url"],
  ["a wrong letter", "headerz", "headers"],
  ["letters swapped", "agrs", "args"],
  ["another case", "URL", "url"],
  ["the word itself", "env", "env"],
  ["more mistakes in a longer word", "reqest_timout_m", "request_timeout_ms"],
])("finds what was meant by %s", (_, word, meant) => {
  expect(nearest(word, KEYS)).toBe(meant);
});

it.each([
  ["a word that resembles none", "colour", KEYS],
  ["three mistakes in a short word", "ebv12", ["env"]],
  ["no candidates", "command", []],
])("suggests nothing for %s", (_, word, candidates) => {
  expect(nearest(word, candidates)).toBeUndefined();
});

it("prefers the closest, wherever it stands", () => {
  expect(nearest("read_file", ["read_files2", "read_filed", "write_file"])).toBe("read_filed");
  expect(nearest("read_file", ["write_file", "read_filed", "read_files2"])).toBe("read_filed");
});

it("compares to the last letter, whatever the case on either side", () => {
  expect(nearest("args", ["argz", "args"])).toBe("args");
  expect(nearest("path", ["PATH"])).toBe("PATH");
});

it("takes any way of listing candidates", () => {
  expect(nearest("fils", new Map([["files", 1]]).keys())).toBe("files");
});

it("does not compare what is longer than any name, nor more than there can be, so that it can't block", () => {
  const long = "x".repeat(201);
  expect(nearest(long, [long])).toBeUndefined();
  expect(nearest("x".repeat(200), [`${"x".repeat(199)}y`])).toBe(`${"x".repeat(199)}y`);
  const many = Array.from({ length: 5_000 }, (_, at) => `${at}${"y".repeat(190)}`);
  expect(nearest("files", [...many, "file"])).toBeUndefined();
});

it("finds what is as near as may be, wherever the mistakes are", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 9, maxLength: 15 });
  const mistake = fc.record({ at: fc.nat(14), with: fc.constantFrom("", "x", "xy") });
  fc.assert(
    fc.property(word, mistake, (meant, { at, with: put }) => {
      const mistyped = meant.slice(0, at) + put + meant.slice(at + 1);
      expect(nearest(mistyped, ["zzzzzzzzzz", meant])).toBe(meant);
    }),
  );
});
