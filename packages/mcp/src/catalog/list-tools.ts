/** What tools a server offers, page by page, within bounds. */
import { HostError } from "@plugboard/contracts";
import type { Tool } from "@plugboard/contracts";
import type { CallContext, Session } from "../dialect/session.ts";
import { readToolPage } from "../wire/read-tools.ts";
import type { DroppedTool } from "../wire/read-tools.ts";

export interface ToolCatalog {
  readonly tools: readonly Tool[];
  /** Offered but not usable, with the reason. */
  readonly dropped: readonly DroppedTool[];
}

export const NO_TOOLS: ToolCatalog = { tools: [], dropped: [] };

const MAX_PAGES = 100;

export async function listTools(server: string, session: Session, ctx: CallContext): Promise<ToolCatalog> {
  if (!session.facts.offersTools) return NO_TOOLS;
  const tools = new Map<string, Tool>();
  const dropped: DroppedTool[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const read = await readPage(server, session, ctx, cursor);
    dropped.push(...read.dropped);
    for (const tool of read.tools) {
      if (tools.has(tool.name)) dropped.push({ tool: tool.name, reason: "its name is used twice" });
      else tools.set(tool.name, tool);
    }
    cursor = read.nextCursor;
    if (cursor === undefined) return { tools: [...tools.values()], dropped };
  }
  dropped.push({ tool: "…", reason: `the list goes on after ${MAX_PAGES} pages` });
  return { tools: [...tools.values()], dropped };
}

async function readPage(server: string, session: Session, ctx: CallContext, cursor: string | undefined) {
  const outcome = await session.request({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }, ctx);
  if (outcome.type === "failed") throw outcome.error;
  const page = outcome.type === "complete" ? readToolPage(outcome.result) : undefined;
  if (!page) throw new HostError("UNEXPECTED_RESPONSE", { server, what: 'tools/list has no list of "tools"' });
  return page;
}
