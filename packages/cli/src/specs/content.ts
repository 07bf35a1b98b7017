/** The commands for resources, prompts and skills of servers. */
import {
  defineCommand,
  flag,
  hostOptions,
  list,
  optional,
  required,
  rest,
  value,
} from "../command-line/command-spec.ts";

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
    watch: flag("print the content again each time the server reports an update, until Ctrl-C", {
      conflicts: ["output"],
    }),
  },
  examples: [
    { line: "plugboard resource read docs file:///guide.md" },
    { line: "plugboard resource read file:///guide.md", about: "finds the server by itself" },
    {
      line: "plugboard resource read docs file:///guide.md --watch",
      about: "one JSON object for each read with --json",
    },
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

const skills = defineCommand({
  name: "skills",
  summary: "list the skills of all servers, or of one",
  arguments: { server: optional("the server's id", { completes: "server" }) },
  options: hostOptions,
  examples: [{ line: "plugboard skills" }, { line: "plugboard skills docs" }],
  output: "skills",
  run: async (input, cli) => (await import("../commands/content/show-skills.ts")).showSkills(input, cli),
});

const readSkill = defineCommand({
  name: "skill read",
  summary: "print a file of a skill, by default its SKILL.md, and check its digest",
  description:
    "The text comes from the server: read it before a model does. Exit status 4 if the file differs from what the server lists, or is not listed.",
  arguments: {
    server: optional("the server's id; by default the server that lists the skill", { completes: "server" }),
    skill: required("the URI of the skill's SKILL.md, or the name of the skill"),
  },
  options: {
    ...hostOptions,
    file: value("file", "another file of the skill, by its path in the skill or its URI"),
    files: flag("list the files of the skill instead", { conflicts: ["file"] }),
  },
  examples: [
    { line: "plugboard skill read docs skill://refunds/SKILL.md" },
    { line: "plugboard skill read refunds --files" },
    { line: "plugboard skill read refunds --file examples/email.md" },
  ],
  output: "skill-read",
  run: async (input, cli) => (await import("../commands/content/read-skill.ts")).readSkill(input, cli),
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

export const contentCommands = [resources, readResource, prompts, getPrompt, skills, readSkill, complete];
