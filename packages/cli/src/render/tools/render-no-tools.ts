/** Says why there are no tools to show. */
import type { Env, ServerStatus } from "@plugboard/contracts";
import { renderNoServers } from "../render-no-servers.ts";

export interface NoTools {
  /** The servers whose tools were asked for. */
  readonly servers: readonly ServerStatus[];
  /** The ids of the servers that are ready. */
  readonly ready: readonly string[];
  /** The number of tools that are denied, excluded or switched off. */
  readonly hidden: number;
  /** The words that were searched for. */
  readonly search: string | undefined;
}

export function renderNoTools({ servers, ready, hidden, search }: NoTools, env: Env): string {
  if (servers.length === 0) return renderNoServers(env);
  if (servers.every(({ enabled }) => !enabled)) return "No tools, because all servers are disabled.\n";
  if (ready.length === 0) return "No tools, because no server is ready.\n";
  if (search !== undefined) return `No tool matches "${search}". \`plugboard tools\` lists all tools.\n`;
  if (hidden > 0) return `No tools: all ${hidden} are denied by a rule, excluded by a definition, or switched off.\n`;
  return `No tools: ${ready.join(", ")} ${ready.length === 1 ? "offers" : "offer"} none.\n`;
}
