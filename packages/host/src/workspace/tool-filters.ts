/** Which tools of each server are offered: what its definition leaves in, less what the invocation takes out. */
import { HostError } from "@plugboard/contracts";
import { parseGlob } from "../lib/glob.ts";
import type { ToolFilter } from "../tools/server-tools.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export class ToolFilters {
  readonly #excluded: readonly { readonly matches: (server: string) => boolean; readonly tool: string }[];
  /** One for as long as it says the same: a view that is the same object costs the registry nothing. */
  readonly #cache = new WeakMap<WorkspaceServer, { readonly tools: object; readonly view: ToolFilter }>();

  /** Patterns like `files:write_*`; one without a colon is of a whole server. */
  constructor(exclude: readonly string[] = []) {
    if (!Array.isArray(exclude) || exclude.some((pattern) => typeof pattern !== "string")) {
      throw new HostError("USAGE", { message: '"exclude" is a list of patterns like "files:write_*"' });
    }
    this.#excluded = exclude.map((pattern) => {
      const colon = pattern.indexOf(":");
      const server = parseGlob(colon < 0 ? pattern : pattern.slice(0, colon));
      return { matches: (id: string) => server.matches(id), tool: colon < 0 ? "*" : pattern.slice(colon + 1) };
    });
  }

  filterFor(server: WorkspaceServer): ToolFilter {
    const { hidden } = server;
    const { tools } = server.definition;
    const cached = this.#cache.get(server);
    if (cached && cached.tools === tools && cached.view.hidden === hidden) return cached.view;
    const excludedHere = this.#excluded.filter(({ matches }) => matches(server.id)).map(({ tool }) => tool);
    const view = { include: tools.include, exclude: [...tools.exclude, ...excludedHere], hidden };
    this.#cache.set(server, { tools, view });
    return view;
  }
}
