/** Renders the end of `plugboard --help`: examples, the config file and the exit statuses. */
import { EXIT_STATUSES } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { userConfigPath } from "@plugboard/config";

export function renderHelpFooter(env: Env): string {
  return `
Examples:
  plugboard add files npx -y @modelcontextprotocol/server-filesystem .
  plugboard test files
  plugboard call files:read_text_file path=notes.md

Your own config is ${userConfigPath(env).path}
\`plugboard config path\` shows all config files.

Exit status:
${renderExitStatuses()}`;
}

/** Renders the statuses in two columns. Their order goes down the first column, then down the second. */
function renderExitStatuses(): string {
  const cells = Object.values(EXIT_STATUSES).map(({ status, meaning }) => `  ${String(status).padEnd(5)}${meaning}`);
  const half = Math.ceil(cells.length / 2);
  const [left, right] = [cells.slice(0, half), cells.slice(half)];
  const width = Math.max(...left.map((cell) => cell.length));
  return left.map((cell, index) => `${cell.padEnd(width)}${right[index] ?? ""}`).join("\n");
}
