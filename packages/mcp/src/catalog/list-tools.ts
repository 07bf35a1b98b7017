/** What tools a server offers, page by page, within bounds. */
import { HostError } from "@plugboard/contracts";
import type { Tool } from "@plugboard/contracts";
import type { CallContext, Session } from "../dialect/session.ts";
import { DroppedTools } from "../wire/dropped-tools.ts";
import type { DroppedTool } from "../wire/dropped-tools.ts";
import { readToolPage } from "../wire/read-tools.ts";
import type { ToolPage } from "../wire/read-tools.ts";

export interface ToolCatalog {
  readonly tools: readonly Tool[];
  /** Offered but not usable, with the reason. */
  readonly dropped: readonly DroppedTool[];
}

export const NO_TOOLS: ToolCatalog = { tools: [], dropped: [] };

const MAX_PAGES = 100;
const MAX_TOOLS = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

export async function listTools(server: string, session: Session, ctx: CallContext): Promise<ToolCatalog> {
  if (!session.facts.offers.tools) return NO_TOOLS;
  const listing = new Listing();
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const read = await readPage(server, session, ctx, cursor);
    const full = listing.add(read, (tool) => session.refuses(tool));
    if (full) return listing.cutOff(full);
    cursor = read.nextCursor;
    if (cursor === undefined) return listing.catalog;
  }
  return listing.cutOff(`${MAX_PAGES} pages`);
}

/** What has been listed so far. */
class Listing {
  readonly #tools = new Map<string, Tool>();
  readonly #dropped = new DroppedTools();
  #characters = 0;

  /** Says what there is too much of, once there is. */
  add({ tools, dropped, more = 0 }: ToolPage, refuses: Session["refuses"]): string | undefined {
    for (const one of dropped) this.#dropped.add(one);
    this.#dropped.more += more;
    for (const tool of tools) {
      if (this.#tools.has(tool.name)) {
        this.#dropped.add({ tool: tool.name, reason: "its name is used twice" });
        continue;
      }
      const refusal = refuses(tool);
      if (refusal !== undefined) {
        this.#dropped.add({ tool: tool.name, reason: refusal });
        continue;
      }
      if (this.#tools.size === MAX_TOOLS) return `${MAX_TOOLS} tools`;
      this.#characters += JSON.stringify(tool).length;
      if (this.#characters > MAX_CHARACTERS) return `${MAX_CHARACTERS} characters`;
      this.#tools.set(tool.name, tool);
    }
    return undefined;
  }

  get catalog(): ToolCatalog {
    return { tools: [...this.#tools.values()], dropped: this.#dropped.list };
  }

  cutOff(limit: string): ToolCatalog {
    const { tools, dropped } = this.catalog;
    return { tools, dropped: [...dropped, { tool: "…", reason: `the list goes on after ${limit}` }] };
  }
}

async function readPage(server: string, session: Session, ctx: CallContext, cursor: string | undefined) {
  const outcome = await session.request({ method: "tools/list", params: cursor === undefined ? {} : { cursor } }, ctx);
  if (outcome.type === "failed") throw outcome.error;
  const page = outcome.type === "complete" ? readToolPage(outcome.result) : undefined;
  if (!page) throw new HostError("UNEXPECTED_RESPONSE", { server, what: 'tools/list has no list of "tools"' });
  return page;
}
