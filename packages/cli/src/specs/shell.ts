/** The commands for shells. */
import { choice, defineCommand, rest } from "../command-line/command-spec.ts";
import type { CommandSpec } from "../command-line/command-spec.ts";

const completion = defineCommand({
  name: "completion",
  summary: "print a script that completes commands, options, servers, tools and their arguments in your shell",
  arguments: { shell: choice(["bash", "zsh", "fish", "powershell"], "your shell") },
  examples: [
    { line: "source <(plugboard completion bash)", about: "add this line to ~/.bashrc" },
    {
      line: "plugboard completion powershell | Out-String | Invoke-Expression",
      about: "add this line to the file that $PROFILE names",
    },
    { line: "plugboard completion fish > ~/.config/fish/completions/plugboard.fish" },
  ],
  output: "completion",
  run: async (input, cli) => (await import("../commands/shell/print-completion.ts")).printCompletion(input, cli),
});

/** `commands` lists all commands. A function, because the list contains these commands too. */
export function shellCommands(commands: () => readonly CommandSpec[]): CommandSpec[] {
  const suggest = defineCommand({
    name: "suggest",
    summary: "print suggestions for an incomplete command line; for completion scripts",
    arguments: { words: rest("the words after `plugboard`; the last may be incomplete") },
    examples: [{ line: "plugboard suggest -- call fi" }],
    output: "suggest",
    hidden: true,
    run: async (input, cli) =>
      (await import("../commands/shell/suggest-words.ts")).suggestWords(input, commands(), cli),
  });
  return [completion, suggest];
}
