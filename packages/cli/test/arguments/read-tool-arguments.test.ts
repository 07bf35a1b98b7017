import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { readToolArguments } from "#arguments/read-tool-arguments.js";
import type { CliContext } from "#terminal/cli-context.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "plugboard-args-"));
  await writeFile(join(cwd, "note.txt"), "line\n\uFEFF@\n");
  await writeFile(join(cwd, "bom.json"), '\uFEFF{"a":[1]}');
  await writeFile(join(cwd, "bytes.bin"), Buffer.from([0xff, 0xfe]));
});
afterAll(() => rm(cwd, { recursive: true }));

function read(words: readonly string[], args?: string, stdin = "") {
  return readToolArguments(words, args, {
    cwd,
    stdin: Readable.from([Buffer.from(stdin)]) as unknown as CliContext["stdin"],
  });
}

describe("readToolArguments", () => {
  it.each([
    ["text", "a=b=c", { text: "b=c" }],
    ["empty text", "a=", { text: "" }],
    ["JSON", 'a:={"b":1}', { json: { b: 1 } }],
    ["the text of a file", "a=@note.txt", { text: "line\n\uFEFF@\n" }],
    ["the JSON of a file", "a:=@bom.json", { json: { a: [1] } }],
    ["stdin", "a=@-", { text: "typed\n" }],
    ["text that begins with @", "a=@@me", { text: "@me" }],
    ["text that begins with two @", "a=@@@me", { text: "@@me" }],
    ["JSON text that begins with @", 'a:="@me"', { json: "@me" }],
  ])("reads %s", async (_, word, value) => {
    expect((await read([word], undefined, "typed\n")).pairs).toEqual(new Map([["a", [value]]]));
  });

  it("keeps the values of a repeated name in order, and reads --args", async () => {
    const { pairs, json } = await read(["a=1", "b=x", "a:=2"], "@bom.json");
    expect(pairs.get("a")).toEqual([{ text: "1" }, { json: 2 }]);
    expect(json).toEqual({ a: [1] });
  });

  it.each([
    ["a word without =", ["text"], undefined, "USAGE", '"text" is not of the form name=value'],
    ["a word without a name", ["=x"], undefined, "USAGE", "is not of the form name=value"],
    ["a word with only a colon as its name", [":=1"], undefined, "USAGE", "is not of the form name=value"],
    ["JSON that is none", ["a:=x"], undefined, "INVALID_ARGUMENTS", "the value of a:=x is not JSON"],
    ["a file that is not JSON", ["a:=@note.txt"], undefined, "INVALID_ARGUMENTS", "a:=@note.txt is not JSON"],
    ["a missing file", ["a=@none.txt"], undefined, "USAGE", "a=@none.txt: there is no such file"],
    ["a folder", ["a=@."], undefined, "USAGE", "it can't be read (EISDIR)"],
    ["a file that is not text", ["a=@bytes.bin"], undefined, "USAGE", "it is not UTF-8 text"],
    ["a file without an end", ["a=@/dev/zero"], undefined, "USAGE", "a=@/dev/zero: it is larger than 67108864 bytes"],
    ["a large number", ["a:=12345678901234567890"], undefined, "INVALID_ARGUMENTS", "too large to be sent exactly"],
    ["a number out of range", ["a:=[1e400]"], undefined, "INVALID_ARGUMENTS", "the number 1e400 is too large"],
    [
      "a large number in --args",
      [],
      '{"i":9007199254740993}',
      "INVALID_ARGUMENTS",
      "--args: the number 9007199254740993",
    ],
    ["a key that occurs twice", [], '{"s":"a","\\u0073":"b"}', "INVALID_ARGUMENTS", "occurs twice"],
    [
      "a nested key that occurs twice",
      ['o:={"a":[{"b":1,"b":2}]}'],
      undefined,
      "INVALID_ARGUMENTS",
      'the key "b" occurs twice',
    ],
    ["stdin for two arguments", ["a=@-"], "-", "USAGE", "stdin can be used for one argument only"],
    ["--args that is no object", [], "[1]", "INVALID_ARGUMENTS", "--args must be one JSON object"],
    ["--args that is no JSON", [], "", "INVALID_ARGUMENTS", "--args is not JSON: value expected at line 1, column 1"],
    ["--args with a comment", [], "{} // x", "INVALID_ARGUMENTS", "invalid comment token at line 1, column 4"],
    ["--args with a typing error", [], '{\n  "a": x\n}', "INVALID_ARGUMENTS", "invalid symbol at line 2, column 8"],
    ["a value that is no JSON", ["a:=[1 2]"], undefined, "INVALID_ARGUMENTS", "comma expected at line 1, column 4"],
    ["a value that ends too early", ["a:=[1,"], undefined, "INVALID_ARGUMENTS", "a:=[1, is not JSON: value expected"],
    ["JSON that is too deep", [`a:=${"[".repeat(200)}`], undefined, "INVALID_ARGUMENTS", "is not JSON"],
  ])("rejects %s", async (_, words, args, code, message) => {
    await expect(read(words, args)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });
});
