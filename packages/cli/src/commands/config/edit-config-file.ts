/** Implements `plugboard edit`. */
import { existsSync } from "node:fs";
import { HostError, programName } from "@plugboard/contracts";
import type { EditableScope } from "@plugboard/contracts";
import { runInteractive } from "@plugboard/mcp/process";
import { splitCommand } from "../../arguments/parse-server-flag.ts";
import { askYesNo } from "../../prompt/ask-yes-no.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { reportProblems } from "./validate-config.ts";

interface EditInput {
  readonly server: string | undefined;
  readonly scope: EditableScope | undefined;
  readonly json: boolean;
}

/** Opens the file of the scope in the user's editor, and shows its problems afterwards. */
export async function editConfigFile({ server, scope = "project", json }: EditInput, cli: CliContext): Promise<number> {
  const opened = await withOperations(cli, (operations) => operations.openConfigFile(scope, server));
  const { file } = opened;
  let { line } = opened;
  for (;;) {
    await openEditor(file, line, cli);
    // Connects again, because the running host may have ended while the editor was open.
    const check = await withOperations(cli, (operations) => operations.checkConfig(file));
    const status = reportProblems(check, json, cli);
    if (status === 0 || !cli.isInteractive || !(await askYesNo("Edit the file again?", "", cli))) return status;
    line = check.problems.find(({ severity }) => severity === "error")?.line;
  }
}

async function openEditor(file: string, line: number | undefined, cli: CliContext): Promise<void> {
  const { cwd, env, liveLine } = cli;
  const chosen = [env["VISUAL"], env["EDITOR"]].find((command) => command?.trim()) ?? DEFAULT_EDITOR;
  const [editor, ...options] = splitCommand(chosen);
  const resumeLiveLine = liveLine.pause();
  const result = await runInteractive(editor!, [...options, ...editorArguments(editor!, file, line)], { cwd, env });
  resumeLiveLine();
  if ("failed" in result) {
    const message = `The editor could not be started: ${result.failed}. Set VISUAL or EDITOR to your editor`;
    throw new HostError("USAGE", { message, omitHelp: true });
  }
  if (result.exitCode !== 0) {
    const message = `The editor "${editor}" failed with exit code ${result.exitCode}. The file was not checked`;
    throw new HostError("USAGE", { message, omitHelp: true });
  }
  if (!existsSync(file)) throw new HostError("USAGE", { message: `The editor has deleted ${file}`, omitHelp: true });
}

const DEFAULT_EDITOR = process.platform === "win32" ? "notepad" : "vi";

const PLUS_LINE_EDITORS = /^(g?vim?|nvim|view|nano|pico|emacs|emacsclient|kak|micro|joe|mg|ne)$/;
const GOTO_EDITORS = /^(code|code-insiders|codium|cursor|windsurf)$/;

/** Returns the arguments that open the file at a line, if the editor is known to support that. */
export function editorArguments(editor: string, file: string, line: number | undefined): string[] {
  if (line === undefined) return [file];
  const name = programName(editor);
  if (PLUS_LINE_EDITORS.test(name)) return [`+${line}`, file];
  return GOTO_EDITORS.test(name) ? ["--goto", `${file}:${line}`] : [file];
}
