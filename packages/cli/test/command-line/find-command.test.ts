/** Tests how a command line is matched to a command and parsed. */
import {
  defineCommand,
  flag,
  list,
  oneOf,
  oneOrMore,
  optional,
  required,
  rest,
  wholeNumber,
} from "#command-line/command-spec.js";
import { findCommand } from "#command-line/find-command.js";
import { parseWords } from "#command-line/parse-words.js";
import { COMMANDS } from "#specs/commands.js";
import { describe, expect, it } from "vitest";

const add = defineCommand({
  name: "add",
  summary: "add a server",
  arguments: {
    id: required("the id"),
    target: optional("a command or URL"),
    args: rest("arguments", { takesOptions: (target) => !target.startsWith("http") }),
  },
  options: {
    env: list("NAME=value", "a variable", { short: "e" }),
    replace: flag("replace"),
    port: wholeNumber("n", "port"),
    scope: oneOf(["project", "user"], "the scope", { spellings: { global: "user" } }),
  },
  examples: [],
  run: async () => 0,
});
const copy = defineCommand({
  name: "copy",
  summary: "copy files",
  arguments: { from: optional("the folder"), to: required("the target"), files: oneOrMore("the files") },
  examples: [],
  run: async () => 0,
});
const authList = defineCommand({ name: "auth list", summary: "list logins", examples: [], run: async () => 0 });

describe("findCommand", () => {
  it.each([
    [["add", "x"], "add", ["x"]],
    [["mcp", "add", "x"], "add", ["x"]],
    [["--json", "--config", "add", "add", "x"], "add", ["--json", "--config", "add", "x"]],
    [["--config=add", "add", "x"], "add", ["--config=add", "x"]],
    [["auth", "list", "--json"], "auth list", ["--json"]],
    [["help", "add"], "add", ["--help"]],
    [["help", "auth", "list"], "auth list", ["--help"]],
  ])("finds the command of %j", (argv, name, words) => {
    expect(findCommand(argv, [add, authList])).toMatchObject({ type: "command", command: { name }, words });
  });

  it.each([
    [["auth"], { type: "help", prefix: "auth", requested: false }],
    [["auth", "--help"], { type: "help", prefix: "auth", requested: true }],
    [["--help"], { type: "help", prefix: "", requested: true }],
    [[], { type: "help", prefix: "", requested: false }],
    [["mcp"], { type: "help", prefix: "", requested: false }],
    [["--version"], { type: "version" }],
  ])("finds the help or the version for %j", (argv, expected) => {
    expect(findCommand(argv, [add, authList])).toEqual(expected);
  });

  it.each([
    [["ad"], { message: "unknown command 'ad'", suggestion: "add" }],
    [["auth", "lits"], { message: "unknown command 'auth lits'", suggestion: "auth list", command: "auth" }],
    [["--jsno"], { message: "unknown option '--jsno'", suggestion: "--json" }],
  ])("suggests a similar name for %j", (argv, details) => {
    expect(() => findCommand(argv, [add, authList])).toThrow(
      expect.objectContaining({ code: "USAGE", details }) as Error,
    );
  });
});

describe("parseWords", () => {
  it.each([
    [["-e", "A=1", "fs", "npx", "-y", "pkg"], { id: "fs", target: "npx", args: ["-y", "pkg"], env: ["A=1"] }],
    [["fs", "-eA=1", "--env=B=2", "--", "npx", "-y"], { id: "fs", target: "npx", args: ["-y"], env: ["A=1", "B=2"] }],
    [["fs", "npx", "--replace"], { target: "npx", args: ["--replace"], replace: false }],
    [["web", "https://x", "--replace", "--port", "7"], { target: "https://x", args: [], replace: true, port: 7 }],
    [["web", "-"], { target: "-" }],
    [["fs", "--scope", "global"], { scope: "user" }],
    [["fs", "--", "npx", "--", "x"], { args: ["--", "x"], separator: true }],
    [["fs", "npm", "start", "--", "-x"], { args: ["start", "--", "-x"], separator: false }],
  ])("parses %j", (words, expected) => {
    expect(parseWords(add, words)).toMatchObject(expected);
  });

  it.each([
    [[], "missing argument <id>"],
    [["x", "https://x", "--replace=1"], "--replace takes no value"],
    [["x", "--port", "1.5"], "--port must be a whole number of at least 0"],
    [["x", "-e"], "--env needs a value: <NAME=value>"],
    [["x", "-z"], "unknown option '-z'."],
    [["x", "-zsecret"], "unknown option '-z'."],
    [["x", "--prot=secret"], "unknown option '--prot'. Did you mean --port?"],
    [["x", "--scope", "globl"], "--scope must be project or user, not 'globl'"],
  ])("rejects %j", (words, message) => {
    expect(() => parseWords(add, words)).toThrow(message);
  });

  it.each([
    [["x", "a"], { from: undefined, to: "x", files: ["a"] }],
    [["from", "x", "a", "b"], { from: "from", to: "x", files: ["a", "b"] }],
  ])("leaves out an optional argument if there are not enough words: %j", (words, expected) => {
    expect(parseWords(copy, words)).toMatchObject(expected);
  });

  it("rejects a command line without a word for an argument that needs at least one", () => {
    expect(() => parseWords(copy, ["x"])).toThrow("missing argument <files…>");
  });

  it("returns help for --help, but not after --", () => {
    expect(parseWords(add, ["x", "--help"])).toBe("help");
    expect(parseWords(add, ["x", "npx", "-y", "--help"])).toBe("help");
    expect(parseWords(add, ["x", "--", "--help"])).toMatchObject({ target: "--help" });
  });
});

describe("COMMANDS", () => {
  it("has no name or alias twice, and an example for each command", () => {
    const names = COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, examples } of COMMANDS)
      expect({ name, examples: examples.length }).not.toEqual({ name, examples: 0 });
  });
});
