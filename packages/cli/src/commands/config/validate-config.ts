/** Implements `plugboard config validate`. */
import { ERROR_TABLE } from "@plugboard/contracts";
import type { ConfigCheck, ConfigProblem } from "@plugboard/contracts";
import { renderProblem } from "../../render/render-problem.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

/** Shows all problems of one file, or of all files that exist. Fails if any problem is an error. */
export async function validateConfig(
  { file, json }: { readonly file: string | undefined; readonly json: boolean },
  cli: CliContext,
): Promise<number> {
  return reportProblems(await withOperations(cli, (operations) => operations.checkConfig(file)), json, cli);
}

/** Prints the problems of the files. Returns the exit status. */
export function reportProblems({ files, problems }: ConfigCheck, json: boolean, { stdout }: CliContext): number {
  const errors = problems.filter(({ severity }) => severity === "error");
  if (json) stdout.json({ files, problems });
  else stdout.write([...problems.map(renderProblem), summarize({ files, problems }, errors)].join(""));
  return errors.length === 0 ? 0 : ERROR_TABLE.CONFIG_INVALID.exit;
}

function summarize({ files, problems }: ConfigCheck, errors: readonly ConfigProblem[]): string {
  if (files.length === 0) return "There is no config file yet. `plugboard add` creates one.\n";
  const names = files.map((file) => `  ${file}\n`).join("");
  if (problems.length === 0) return `No problems in ${count(files.length, "file")}:\n${names}`;
  const warnings = problems.length - errors.length;
  return `${count(errors.length, "error")} and ${count(warnings, "warning")} in ${count(files.length, "file")}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
