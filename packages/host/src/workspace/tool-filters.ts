/** Decides which tools of a server are offered, from its definition and from the invocation's `exclude` patterns. */
import { HostError } from "@plugboard/contracts";
import { parseGlob } from "../lib/glob.ts";
import type { ToolFilter } from "../tools/server-tools.ts";
import type { WorkspaceServer } from "./workspace-server.ts";

export class ToolFilters {
  readonly #excluded: readonly { readonly matches: (server: string) => boolean; readonly tool: string }[];
  /** Returns the same filter object until it changes: the registry skips updates with a known object. */
  readonly #cache = new WeakMap<WorkspaceServer, { readonly tools: object; readonly view: ToolFilter }>();

  /** Takes patterns like `files:write_*`. A pattern without a colon excludes a whole server. */
  constructor(exclude: readonly string[] = []) {
    if (!Array.isArray(exclude) || exclude.some((pattern) => typeof pattern !== "string")) {
      throw new HostError("USAGE", { message: '"exclude" must be a list of patterns like "files:write_*"' });
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
