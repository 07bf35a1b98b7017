/** Reports servers whose program can't be started. */
import type { Check, Finding } from "./finding.ts";

export const checkCommands: Check = ({ servers }) => {
  const programs = servers.filter(({ program, enabled }) => program && enabled);
  const findings = programs.flatMap(({ id, file, program, programFacts }): Finding[] => {
    const { problem, similar } = programFacts ?? {};
    if (problem === undefined) return [];
    const message = `It can't be started: ${problem}.`;
    return [{ check: "command", severity: "error", server: id, message, fix: fixFor(program!.command, file, similar) }];
  });
  if (findings.length > 0 || programs.length === 0) return findings;
  return [{ check: "command", severity: "ok", message: "Found the program of every server." }];
};

function fixFor(command: string, file: string, similar: string | undefined): string {
  if (/\s/.test(command)) return `In ${file}, write only the program as \`command\`, and its arguments as \`args\`.`;
  if (similar !== undefined) return `Did you mean "${similar}"? Correct its \`command\` in ${file}.`;
  return `Install the program, or correct the entry in ${file}.`;
}
