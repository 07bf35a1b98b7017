/** Implements `plugboard config validate`. */
import { resolve } from "node:path";
import { ERROR_TABLE, HostError } from "@plugboard/contracts";
import type { ConfigProblem } from "@plugboard/contracts";
import { exists, inspectConfig, inspectFile, problemsOf } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import { renderProblem } from "../../render/render-problem.ts";
import type { CliContext } from "../../terminal/cli-context.ts";

interface ValidateInput {
  readonly file: string | undefined;
  readonly json: boolean;
}

/** Shows all problems of one file, or of all files that exist. Fails if one of them is an error. */
export async function validateConfig({ file, json }: ValidateInput, cli: CliContext): Promise<number> {
  const { cwd, env } = cli;
  const all = await inspectConfig({ cwd, env });
  const files = file === undefined ? all.filter(exists) : [await findFile(resolve(cwd, file), all, cwd)];
  return reportProblems(files, json, cli);
}

/** Prints the problems of the files. Returns the exit status. */
export function reportProblems(files: readonly InspectedFile[], json: boolean, { stdout }: CliContext): number {
  const problems = files.flatMap(problemsOf);
  const errors = problems.filter(({ severity }) => severity === "error");
  if (json) stdout.json({ files: files.map(({ file }) => file), problems });
  else stdout.write([...problems.map(renderProblem), summarize(files, problems, errors)].join(""));
  return errors.length === 0 ? 0 : ERROR_TABLE.CONFIG_INVALID.exit;
}

function summarize(
  files: readonly InspectedFile[],
  problems: readonly ConfigProblem[],
  errors: readonly ConfigProblem[],
): string {
  if (files.length === 0) return "There is no config file yet. `plugboard add` creates one.\n";
  const names = files.map(({ file }) => `  ${file}\n`).join("");
  if (problems.length === 0) return `No problems in ${count(files.length, "file")}:\n${names}`;
  const warnings = problems.length - errors.length;
  return `${count(errors.length, "error")} and ${count(warnings, "warning")} in ${count(files.length, "file")}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Validates a file of a layer by the rules of that layer, and any other file like one that `--config` names. */
async function findFile(path: string, all: readonly InspectedFile[], cwd: string): Promise<InspectedFile> {
  const found =
    all.find(({ file }) => file === path) ?? (await inspectFile(path, { source: "invocation", folder: cwd }));
  if (exists(found)) return found;
  throw new HostError("CONFIG_INVALID", { file: path, reason: "the file does not exist", missing: true });
}
