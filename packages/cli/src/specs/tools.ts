/** The commands that list and call tools. */
import { defineCommand, hostOptions, optional, required, rest, value } from "../command-line/command-spec.ts";

const tools = defineCommand({
  name: "tools",
  summary: "list the tools of all servers or of one, or show the details of one tool",
  arguments: {
    name: optional("a server's id, a tool as `server:tool`, or a tool's name as models see it", {
      label: "server or tool",
      completes: "server",
    }),
  },
  options: hostOptions,
  examples: [{ line: "plugboard tools files" }, { line: "plugboard tools files:read_text_file" }],
  output: "tools",
  run: async (input, cli) => (await import("../commands/tools/tools.ts")).showTools(input, cli),
});

const call = defineCommand({
  name: "call",
  summary: "call a tool",
  arguments: {
    tool: required("the server's id and the tool, or the tool's name as models see it", {
      label: "server:tool",
      completes: "tool",
    }),
    pairs: rest("arguments of the tool; for a list, repeat name=value for each element", { label: "name=value" }),
  },
  options: {
    ...hostOptions,
    args: value("json", "arguments as one JSON object; @file reads it from a file, - from stdin"),
    output: value("folder", "save images and other binary content as files in this folder", { completes: "folder" }),
  },
  examples: [{ line: "plugboard call files:read_text_file path=notes.md" }],
  output: "call",
  run: async (input, cli) => (await import("../commands/tools/call.ts")).callTool(input, cli),
});

export const toolCommands = [tools, call];
