/** The commands for resources and prompts of servers. */
import { defineCommand, hostOptions, list, optional, required, rest, value } from "../command-line/command-spec.ts";

const resources = defineCommand({
  name: "resources",
  summary: "list the resources and resource templates of all servers, or of one",
  arguments: { server: optional("the server's id", { completes: "server" }) },
  options: hostOptions,
  examples: [{ line: "plugboard resources" }, { line: "plugboard resources docs" }],
  output: "resources",
  run: async (input, cli) => (await import("../commands/content/show-resources.ts")).showResources(input, cli),
});

const readResource = defineCommand({
  name: "resource read",
  summary: "print the content of a resource",
  arguments: {
    server: optional("the server's id; by default the server that lists the URI", { completes: "server" }),
    uri: required("the URI of the resource"),
  },
  options: {
    ...hostOptions,
    output: value("folder", "save binary content as files in this folder", { completes: "folder" }),
  },
  examples: [
    { line: "plugboard resource read docs file:///guide.md" },
    { line: "plugboard resource read file:///guide.md", about: "finds the server by itself" },
  ],
  output: "resource-read",
  run: async (input, cli) => (await import("../commands/content/read-resource.ts")).readResource(input, cli),
});

const prompts = defineCommand({
  name: "prompts",
  summary: "list the prompts of all servers, or of one",
  arguments: { server: optional("the server's id", { completes: "server" }) },
  options: hostOptions,
  examples: [{ line: "plugboard prompts" }],
  output: "prompts",
  run: async (input, cli) => (await import("../commands/content/show-prompts.ts")).showPrompts(input, cli),
});

const getPrompt = defineCommand({
  name: "prompt get",
  summary: "print the messages of a prompt",
  arguments: {
    prompt: required("the server's id and the prompt", { label: "server:prompt" }),
    pairs: rest("arguments of the prompt; on a terminal, missing ones are asked for", { label: "name=value" }),
  },
  options: hostOptions,
  examples: [{ line: "plugboard prompt get github:review repo=plugboard" }],
  output: "prompt-get",
  run: async (input, cli) => (await import("../commands/content/get-prompt.ts")).getPrompt(input, cli),
});

const complete = defineCommand({
  name: "complete",
  summary: "print the values that a server suggests for an argument of a prompt or resource template",
  arguments: {
    target: required("the server's id and the prompt or the URI template", { label: "server:prompt" }),
    argument: required("the name of the argument"),
    text: optional("the beginning of the value"),
  },
  options: { ...hostOptions, with: list("name=value", "the value of another argument") },
  examples: [{ line: "plugboard complete github:review repo plug" }],
  output: "complete",
  run: async (input, cli) => (await import("../commands/content/complete-argument.ts")).completeArgument(input, cli),
});

export const contentCommands = [resources, readResource, prompts, getPrompt, complete];
