/** The commands that talk with a model. */
import {
  configOptions,
  defineCommand,
  flag,
  hostOptions,
  list,
  oneOf,
  optional,
  value,
  wholeNumber,
} from "../command-line/command-spec.ts";

const chat = defineCommand({
  name: "chat",
  summary: "chat with a model that uses the tools of your servers; starts a host if none is running",
  description:
    "The chat lives in the running host and goes on when you come back with --continue. /help shows its commands and keys.",
  options: {
    ...configOptions,
    model: value("provider/model", "use this model, such as anthropic/claude-sonnet-4-5 or ollama/llama3"),
    profile: value("name", "give the model only the servers and tools of this profile"),
    noNativeTools: flag("hide the tools for files and commands of this machine"),
    continue: flag("show the latest chat of this folder", { short: "c", conflicts: ["resume"] }),
    resume: value("id", "show the chat with this id"),
  },
  examples: [
    { line: "plugboard chat" },
    { line: "plugboard chat --continue", about: "goes on with the latest chat" },
    { line: "plugboard chat --model ollama/llama3", about: "uses a model on this machine" },
  ],
  run: async (input, cli) => (await import("../tui/start-chat.ts")).startChat(input, cli),
});

/** A stored chat keeps its settings. */
const NOT_WITH_STORED = { conflicts: ["continue", "resume"] };

const run = defineCommand({
  name: "run",
  summary: "let a model do one task with the tools of your servers, and print its answer",
  description: [
    "Piped stdin is added to the prompt, or is the prompt. The answer goes to stdout, a line for each tool call to stderr.",
    "On a terminal, the command asks before a call that no rule allows. Without one, such a call is denied, and the model goes on without it.",
    "The exit status is 0 if the model has finished, 2 if no model is set, 3 if the model can't be reached or fails, 4 at a limit, and 130 after Ctrl-C.",
  ].join("\n"),
  arguments: { prompt: optional("the task for the model; - reads it from stdin") },
  options: {
    ...hostOptions,
    output: oneOf(
      ["text", "json", "stream-json"],
      "text (default), one JSON object at the end, or a JSON object per line for each event",
      { conflicts: ["json"] },
    ),
    model: value(
      "provider/model",
      "use this model, such as anthropic/claude-sonnet-4-5 or ollama/llama3",
      NOT_WITH_STORED,
    ),
    profile: value("name", "give the model only the servers and tools of this profile", NOT_WITH_STORED),
    allow: list("rule", "allow calls that match this rule in this run, such as files:read_*", NOT_WITH_STORED),
    maxSteps: wholeNumber("number", "stop after this many requests to the model (50 by default)", {
      min: 1,
      ...NOT_WITH_STORED,
    }),
    maxTokens: wholeNumber("number", "stop when the requests have used this many tokens", {
      min: 1,
      ...NOT_WITH_STORED,
    }),
    noNativeTools: flag("hide the tools for files and commands of this machine", NOT_WITH_STORED),
    continue: flag("go on with the latest chat of this folder", { short: "c", conflicts: ["resume"] }),
    resume: value("id", "go on with the chat with this id"),
  },
  examples: [
    { line: 'plugboard run "What changed in this repository today?"' },
    { line: 'git diff | plugboard run "Review this change"', about: "stdin as context" },
    {
      line: "plugboard run 'List the open issues' --allow 'github:list_*' --output json",
      about: "for scripts",
    },
  ],
  output: "run",
  run: async (input, cli) => (await import("../commands/chat/run-prompt.ts")).runPrompt(input, cli),
});

export const agentCommands = [chat, run];
