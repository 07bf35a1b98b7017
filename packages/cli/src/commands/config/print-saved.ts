/** Prints a definition that was saved: where it is, what it runs, and what to do next. */
import { commandMessage } from "@plugboard/contracts";
import type { SavedServer } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { renderProblem } from "../../render/render-problem.ts";

interface PrintOptions {
  readonly json: boolean;
  /** True if the command asks next whether to test the server. */
  readonly offersTest?: boolean;
  /** Further members of the JSON. */
  readonly extra?: object;
}

export function printSaved(
  saved: SavedServer,
  { json, extra, offersTest = false }: PrintOptions,
  cli: CliContext,
): void {
  if (json) cli.stdout.json({ ...toSavedJson(saved), ...extra });
  else printText(saved, offersTest, cli);
}

function printText(saved: SavedServer, offersTest: boolean, { stdout, stderr }: CliContext): void {
  const { action, scope, definition, trust, hiddenBy, overrides, problems } = saved;
  const { id, file, transport, target = "", enabled } = definition;
  for (const problem of problems) stderr.write(renderProblem(problem));
  for (const other of hiddenBy)
    stderr.write(`warning: "${id}" is also defined in ${other}, which has priority. The new entry is not used.\n`);
  if (trust?.stored === false) stderr.write(`warning: ${trust.error.code}: ${commandMessage(trust.error)}\n`);
  const done = { added: "Added", replaced: "Replaced", unchanged: "Unchanged:" }[action];
  stdout.write([`${done} `, styled("bold", id), ` ${action === "added" ? "to" : "in"} ${file} (${scope})\n`]);
  stdout.write([transport === "stdio" ? "  runs: " : "  calls: ", styled("cyan", target), "\n"]);
  for (const other of overrides) stdout.write(`It overrides the entry in ${other}.\n`);
  if (!enabled) stdout.write(`It is disabled. To enable it, run: plugboard enable ${id} --scope ${scope}\n`);
  if (trust?.stored === true && scope === "project")
    stdout.write(
      `You have approved this definition by adding it. Others who use the project run: plugboard trust ${id}\n`,
    );
  if (trust?.stored === false) stdout.write(`Approve it before its first use: plugboard trust ${id}\n`);
  else if (enabled && !offersTest) stdout.write(`Next: plugboard test ${id}\n`);
}

function toSavedJson(saved: SavedServer): object {
  const { action, scope, definition, trust, hiddenBy, overrides, problems } = saved;
  const { id, file, transport, target, enabled, config } = definition;
  const warnings = problems.map(({ message }) => message);
  const trusted = trust === undefined || trust.stored;
  return { id, action, scope, file, transport, enabled, target, trusted, config, hiddenBy, overrides, warnings };
}
