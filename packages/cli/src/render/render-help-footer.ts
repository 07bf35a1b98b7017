/** Renders the end of `plugboard --help`: examples, the config file and the exit statuses. */
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
  0    success                             5    not permitted
  1    the tool reported a failure         70   a defect in Plugboard
  2    invalid usage, config or arguments  74   the output could not be written
  3    no server, host or model answers    129, 130, 143  ended by SIGHUP, SIGINT, SIGTERM
  4    the call or turn failed             141  the reader of stdout closed the pipe`;
}
