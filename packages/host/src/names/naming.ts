/**
 * The forms that model-visible names can have. Each says what a pair looks like
 * in it and whether another pair could look the same.
 */
export const NAMINGS = [
  "mcp__{server}__{tool}",
  "{server}__{tool}",
  "mcp_{server}_{tool}",
  "mcp_{server}_{tool}_{hash8}",
  "{tool}",
] as const;

export type Naming = (typeof NAMINGS)[number];

export const DEFAULT_NAMING: Naming = "mcp__{server}__{tool}";

interface FormattedName {
  readonly text: string;
  /** Whether a hash must tell it from another pair's. */
  readonly ambiguous: boolean;
}

export const NAME_FORMATTERS: { readonly [N in Naming]: (server: string, tool: string) => FormattedName } = {
  "mcp__{server}__{tool}": (server, tool) => ({
    text: `mcp__${server}__${tool}`,
    ambiguous: canSplitDifferently(server, tool),
  }),
  "{server}__{tool}": (server, tool) => ({ text: `${server}__${tool}`, ambiguous: canSplitDifferently(server, tool) }),
  // The first underscore after the prefix ends the server, unless the server has one itself.
  "mcp_{server}_{tool}": (server, tool) => ({ text: `mcp_${server}_${tool}`, ambiguous: server.includes("_") }),
  "mcp_{server}_{tool}_{hash8}": (server, tool) => ({ text: `mcp_${server}_${tool}`, ambiguous: true }),
  // For one server at a time; between several, the table gives the name to the first.
  "{tool}": (_, tool) => ({ text: tool, ambiguous: false }),
};

/** Whether the joined name could be cut into another pair: `a` + `b__c` or `a__b` + `c`, `a` + `_b` or `a_` + `b`. */
function canSplitDifferently(server: string, tool: string): boolean {
  const joined = `${server}__${tool}`;
  for (let at = joined.indexOf("__", 1); at >= 0; at = joined.indexOf("__", at + 1)) {
    if (at !== server.length && at + 2 < joined.length) return true;
  }
  return false;
}
