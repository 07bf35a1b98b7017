/** Warns about words of `plugboard add` that probably mean something else than the user thinks. */
import type { ServerEntry } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { AddInput } from "./add-server.ts";

/** Warns about an option of `plugboard add` among the server's arguments, because the server gets it instead. */
export function warnAboutOptions(
  { id, target, args }: Pick<AddInput, "id" | "target" | "args">,
  optionNames: readonly string[],
  { stderr }: CliContext,
): void {
  const index = args.findIndex((word) => optionNames.includes(nameOf(word)));
  const word = args[index];
  if (word === undefined) return;
  const option = showOption(word, args[index + 1]);
  stderr.write(
    `warning: ${option} was taken as an argument of ${target}. If it is meant for plugboard, write it before the command:\n` +
      `  plugboard add ${id} ${option} ${target} …\n` +
      `To keep it as an argument without this warning, write \`--\` before the command.\n`,
  );
}

function nameOf(word: string): string {
  return word.split("=", 1)[0]!;
}

/** Shows the value only if it can't be a secret. */
function showOption(word: string, next: string | undefined): string {
  const isPlain = PLAIN_OPTIONS.has(nameOf(word));
  if (word.includes("=")) return isPlain ? word : `${nameOf(word)}=…`;
  if (next === undefined || next.startsWith("-")) return word;
  return isPlain ? `${word} ${next}` : `${word} …`;
}

/** The options whose values are never secret. */
const PLAIN_OPTIONS: ReadonlySet<string> = new Set([
  "--scope",
  "-s",
  "--transport",
  "-t",
  "--enabled",
  "--roots",
  "--request-timeout-ms",
]);

/** Warns about a path such as `./x`, because the server resolves it in its own folder, not in the current one. */
export function warnAboutRelativePaths(
  { command, args = [], cwd }: ServerEntry,
  folder: string,
  cli: CliContext,
): void {
  if (folder === cli.cwd || cwd !== undefined) return;
  const relative = [command, ...args].find(
    (word): word is string => typeof word === "string" && /^\.{1,2}([\\/]|$)/.test(word),
  );
  if (relative === undefined) return;
  cli.stderr.write(
    `warning: ${relative} starts at ${folder}, where the server runs. Give an absolute path or --cwd.\n`,
  );
}
