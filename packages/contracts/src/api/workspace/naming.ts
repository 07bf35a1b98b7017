/** The formats of the tool names that a model sees. */
export const NAMINGS = [
  "mcp__{server}__{tool}",
  "{server}__{tool}",
  "mcp_{server}_{tool}",
  "mcp_{server}_{tool}_{hash8}",
  "{tool}",
] as const;

export type Naming = (typeof NAMINGS)[number];

export const DEFAULT_NAMING: Naming = "mcp__{server}__{tool}";
