/** The list of the tools that a server offers. */
import type { Tool } from "@plugboard/contracts";
import type { Clock } from "../clock.ts";
import { readHostIds } from "../dialect/host-ids.ts";
import type { CallContext, Session } from "../dialect/session.ts";
import type { DroppedTool } from "../wire/dropped-tools.ts";
import { readToolPage } from "../wire/read-tools.ts";
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

const TOOLS: ListKind<Tool> = {
  method: "tools/list",
  key: "tools",
  idOf: ({ name }) => name,
  readPage: (result) => {
    const page = readToolPage(result);
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
  if (!session.facts.offers.tools) return NO_TOOLS;
  let instances: readonly string[] = [];
  const { items, dropped, ...good } = await listPages(TOOLS, {
    server,
    clock,
    ctx,
    request: async (op, page) => {
      const outcome = await session.request(op, page);
      if (outcome.type === "complete") instances = readHostIds(outcome.result["_meta"]);
      return outcome;
    },
    refuses: (tool) => session.refuses(tool),
  });
  return {
    tools: items,
    dropped: dropped.map(({ name: tool, reason }) => ({ tool, reason })),
    ...(instances.length > 0 && { instances }),
    ...good,
  };
}
