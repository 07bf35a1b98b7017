/** What the help says beyond the list of commands. */
import type { Env } from "@plugboard/contracts";
import { userConfigPath } from "@plugboard/host/internal";

export function renderHelp(env: Env): string {
  return `
Examples:
  plugboard tools --mcp-server "files=npx -y @modelcontextprotocol/server-filesystem ."
  plugboard call files:read_text_file path=notes.md

Servers are read from ${userConfigPath(env).path}

Exit status:
  0    done                               5    not permitted
  1    the tool says that it failed       70   a defect of Plugboard
  2    wrong usage, config or arguments   74   the output could not be written
  3    a server or host can't be reached  129, 130, 143  hung up, interrupted, terminated
  4    the call failed                    141  nobody read the output`;
}
