/** Which tools of each server are offered: what its definition leaves in, less what the invocation takes out. */
import { HostError } from "@plugboard/contracts";
import { parseGlob } from "../glob.ts";
import type { ToolView } from "../tools/tool-view.ts";
import type { WorkspaceServer } from "./server.ts";

export class ToolViews {
  readonly #excluded: readonly { readonly matches: (server: string) => boolean; readonly tool: string }[];
  /** One for as long as it says the same: a view that is the same object costs the registry nothing. */
  readonly #known = new WeakMap<WorkspaceServer, { readonly tools: object; readonly view: ToolView }>();

  /** Patterns like `files:write_*`; one without a colon is of a whole server. */
  constructor(exclude: readonly string[] = []) {
    if (!Array.isArray(exclude) || exclude.some((pattern) => typeof pattern !== "string")) {
      throw new HostError("USAGE", { what: '"exclude" is a list of patterns like "files:write_*"' });
    }
    this.#excluded = exclude.map((pattern) => {
      const colon = pattern.indexOf(":");
      const server = parseGlob(colon < 0 ? pattern : pattern.slice(0, colon));
      return { matches: (id: string) => server.matches(id), tool: colon < 0 ? "*" : pattern.slice(colon + 1) };
    });
  }

  of(server: WorkspaceServer): ToolView {
    const { hidden } = server;
    const { tools } = server.definition;
    const known = this.#known.get(server);
    if (known && known.tools === tools && known.view.hidden === hidden) return known.view;
    const taken = this.#excluded.filter(({ matches }) => matches(server.id)).map(({ tool }) => tool);
    const view = { include: tools.include, exclude: [...tools.exclude, ...taken], hidden };
    this.#known.set(server, { tools, view });
    return view;
  }
}
