/** Implements `plugboard add-json`. */
import type { EditableScope } from "@plugboard/contracts";
import { readTextArgument } from "../../arguments/read-text-argument.ts";
import { usageError } from "../../command-line/usage-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { printSaved } from "./print-saved.ts";
import { saveDraft } from "./save-draft.ts";

interface AddJsonInput {
  readonly id: string;
  readonly entry: string;
  readonly scope: EditableScope | undefined;
  readonly replace: boolean;
  readonly json: boolean;
}

/** Adds a server from the JSON of its entry, in the spelling of any client. */
export async function addServerJson(input: AddJsonInput, cli: CliContext): Promise<number> {
  const { id, scope = "project", replace } = input;
  const text = await readTextArgument(input.entry, "the entry", cli);
  const saved = await withOperations(cli, async (operations) => {
    const parsed = await operations.parseEntry(text);
    if ("error" in parsed) throw usageError(parsed.error, { command: "add-json" });
    const added = await saveDraft({ id, scope, entry: parsed.entry, replace }, input, operations, cli);
    for (const warning of parsed.warnings) cli.stderr.write(`warning: ${warning}\n`);
    return added;
  });
  printSaved(saved, input, cli);
  return 0;
}
