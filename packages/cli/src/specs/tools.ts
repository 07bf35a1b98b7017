/** The commands that list and call tools. */
import {
  defineCommand,
  flag,
  hostOptions,
  oneOf,
  optional,
  required,
  rest,
  value,
  wholeNumber,
} from "../command-line/command-spec.ts";

const tools = defineCommand({
  name: "tools",
  summary: "list the tools of all servers or of one, or show the details of one tool",
  arguments: {
    name: optional("a server's id, a tool as `server:tool`, or the name of a tool", {
      label: "server or tool",
      completes: "serverOrTool",
    }),
  },
  options: {
    ...hostOptions,
    search: value("words", "list only tools that match these words, best match first"),
    schema: flag("show the JSON Schemas of arguments and results"),
    limit: wholeNumber("n", "show at most this many tools; with --search the default is 20", { min: 1, max: 1000 }),
    refresh: flag("ask the servers for their tools; by default, lists of an earlier run are used"),
  },
  examples: [
    { line: "plugboard tools files" },
    { line: "plugboard tools files:read_text_file", about: "arguments, types and an example call" },
    { line: 'plugboard tools --search "read a file"' },
  ],
  output: "tools",
  run: async (input, cli) => (await import("../commands/tools/show-tools.ts")).showTools(input, cli),
});

const call = defineCommand({
  name: "call",
  summary: "call a tool",
  description: [
    "name=value is converted to the type in the tool's schema; repeat it for a list. name:=json gives JSON.",
    "name=@file gives the text of a file, name=@- that of stdin, and name=@@text text that begins with @.",
    "On a terminal, the command asks for missing arguments.",
  ].join("\n"),
  arguments: {
    tool: required("the server's id and the tool; the tool alone if only one server has it", {
      label: "server:tool",
      completes: "tool",
    }),
    pairs: rest("arguments of the tool; also name:=json, name=@file", {
      label: "name=value",
      completes: "toolArgument",
    }),
  },
  options: {
    ...hostOptions,
    args: value("json", "arguments as one JSON object; @file reads it from a file, - from stdin"),
    format: oneOf(
      ["text", "json", "raw"],
      "text for people (default), the whole result as JSON, or its text unchanged",
      {
        conflicts: ["json"],
      },
    ),
    output: value("folder", "save images and other binary content as files in this folder", { completes: "folder" }),
    timeout: wholeNumber("ms", "cancel the call after this time; starting the server does not count", {
      min: 1,
      max: 2_147_483_647,
    }),
    yes: flag("allow this call if a rule asks about it; a rule that denies it still does"),
  },
  examples: [
    { line: "plugboard call files:read_text_file path=notes.md" },
    { line: "plugboard call files:write_file path=copy.md content=@notes.md", about: "text of a file as an argument" },
    { line: `plugboard call 'files.read_text_file(path: "notes.md", head: 3)'` },
  ],
  output: "call",
  adviseUnknownOption: (option) => `Write the arguments of the tool without dashes: ${option.replace(/^-+/, "")}=value`,
  run: async (input, cli) => (await import("../commands/tools/call-tool.ts")).callTool(input, cli),
});

const types = defineCommand({
  name: "types",
  summary: "print TypeScript types of the tools, for programs",
  arguments: { server: optional("the server's id; by default all servers", { completes: "server" }) },
  options: {
    ...hostOptions,
    output: value("file", "write the types to this file", { completes: "file" }),
  },
  examples: [{ line: "plugboard types files --output files.d.ts" }],
  output: "types",
  run: async (input, cli) => (await import("../commands/tools/print-types.ts")).printTypes(input, cli),
});

export const toolCommands = [tools, call, types];
