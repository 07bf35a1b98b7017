/** The commands that talk with a model. */
import { configOptions, defineCommand, flag, value } from "../command-line/command-spec.ts";

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

export const agentCommands = [chat];
