/** Implements `plugboard add-json`. */
import { parseEntryJson } from "@plugboard/config/edit";
import { writeServer } from "@plugboard/host/config-commands";
import { readTextArgument } from "../../arguments/read-text-argument.ts";
import { usageError } from "../../command-line/usage-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { printWritten } from "./print-written.ts";
import type { ConfigScope } from "@plugboard/config";

interface AddJsonInput {
  readonly id: string;
  readonly entry: string;
  readonly scope: ConfigScope | undefined;
  readonly replace: boolean;
  readonly json: boolean;
}

/** Adds a server from the JSON of its entry, in the spelling of any client. */
export async function addServerJson(input: AddJsonInput, cli: CliContext): Promise<number> {
  const { id, scope = "project", replace } = input;
  const parsed = parseEntryJson(await readTextArgument(input.entry, "the entry", cli));
  if ("error" in parsed) throw usageError(parsed.error, { command: "add-json" });
  const written = await writeServer({ id, entry: parsed.entry, scope, replace }, cli);
  for (const warning of parsed.warnings) cli.stderr.write(`warning: ${warning}\n`);
  printWritten(written, input, cli);
  return 0;
}
