/** The list of the tools that a server offers. */
import type { Tool } from "@plugboard/contracts";
import type { Clock } from "../lib/clock.ts";
import { parseHostIds } from "../session/host-ids.ts";
import type { CallContext, Session } from "../session/session.ts";
import type { DroppedTool } from "../wire/dropped-tools.ts";
import { parseToolPage } from "../wire/parse-tool-page.ts";
import { listPages } from "./list-pages.ts";
import type { ListKind } from "./list-pages.ts";

export interface ToolCatalog {
  readonly tools: readonly Tool[];
  /** Offered but not usable, with the reason. */
  readonly dropped: readonly DroppedTool[];
  /** For how long the server says that the list is good. */
  readonly ttlMs?: number;
  /** The ids of the hosts that offer the tools. */
  readonly instances?: readonly string[];
}

export const NO_TOOLS: ToolCatalog = { tools: [], dropped: [] };

const TOOL_LIST: ListKind<Tool> = {
  method: "tools/list",
  key: "tools",
  idOf: ({ name }) => name,
  parsePage: (result) => {
    const page = parseToolPage(result);
    if (!page) return undefined;
    const { tools: items, dropped, more } = page;
    return { items, dropped: dropped.map(({ tool: name, reason }) => ({ name, reason })), more };
  },
};

export async function listTools(
  server: string,
  session: Session,
  clock: Clock,
  ctx: CallContext,
): Promise<ToolCatalog> {
  if (!session.serverInfo.capabilities.tools) return NO_TOOLS;
  let instances: readonly string[] = [];
  const { items, dropped, ...rest } = await listPages(TOOL_LIST, {
    server,
    clock,
    ctx,
    request: async (op, page) => {
      const outcome = await session.request(op, page);
      if (outcome.type === "complete") instances = parseHostIds(outcome.result["_meta"]);
      return outcome;
    },
    unusableReason: (tool) => session.unusableReason(tool),
  });
  return {
    tools: items,
    dropped: dropped.map(({ name: tool, reason }) => ({ tool, reason })),
    ...(instances.length > 0 && { instances }),
    ...rest,
  };
}
