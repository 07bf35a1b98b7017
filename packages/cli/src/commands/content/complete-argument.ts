/** Implements `plugboard complete`. */
import type { CompletionRef } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";
import { parseNamedTexts, splitQualifiedName } from "./parse-named-texts.ts";

interface CompleteInput extends CommandOptions {
  readonly target: string;
  readonly argument: string;
  readonly text: string | undefined;
  readonly with: readonly string[];
}

/** Prints the values that a server suggests for an argument of a prompt or resource template. */
export function completeArgument(input: CompleteInput, cli: CliContext): Promise<number> {
  const { server, name } = splitQualifiedName(input.target, "prompt", "complete");
  const others = parseNamedTexts(input.with, "complete");
  const argument = { name: input.argument, value: input.text ?? "" };
  return withWorkspace(
    input,
    cli,
    async ({ workspace, interrupted }) => {
      await workspace.servers.connect(server, { signal: interrupted });
      const completion = await rejectOnInterrupt(
        workspace.prompts.complete(server, toReference(name), argument, others),
        interrupted,
      );
      if (input.json) cli.stdout.json(completion);
      else cli.stdout.write(completion.values.map((value) => `${value.replaceAll("\n", " ")}\n`).join(""));
      if (!input.json && completion.hasMore) cli.stderr.write("There are more values.\n");
      return 0;
    },
    { server },
  );
}

/** A URI template has a scheme, which a prompt's name does not. */
function toReference(name: string): CompletionRef {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(name) ? { type: "ref/resource", uri: name } : { type: "ref/prompt", name };
}
