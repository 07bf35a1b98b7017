/** Renders a problem of a config file on one line. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ConfigProblem } from "@plugboard/contracts";

export function renderProblem({ severity, file, line, column, server, message }: ConfigProblem): string {
  const location = line === undefined ? file : `${file}:${line}:${column}`;
  return `${severity}: ${sanitizeLine(`${location}: ${server ? `"${server}": ` : ""}${message}`)}\n`;
}
