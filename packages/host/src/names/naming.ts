/**
 * The formats of the tool names that a model sees. The config chooses one of them. Each formatter also says whether
 * another pair of server and tool could get the same name.
 */
import type { Naming } from "@plugboard/contracts";

/** Common model providers accept names up to this length. */
export const MAX_NAME_LENGTH = 64;

/** How the gateway names tools and prompts for its clients. */
export const FRONT_NAMING: Naming = "{server}__{tool}";

/** Shorter, because clients of the gateway add a prefix to its names, such as `mcp__plugboard__`. */
export const MAX_FRONT_NAME_LENGTH = 48;

interface FormattedName {
  readonly text: string;
  /** True if another pair could produce the same text, so that a hash must be added. */
  readonly ambiguous: boolean;
}

export const NAME_FORMATTERS: { readonly [N in Naming]: (server: string, tool: string) => FormattedName } = {
  "mcp__{server}__{tool}": (server, tool) => ({
    text: `mcp__${server}__${tool}`,
    ambiguous: canSplitEarlier(server, tool),
  }),
  "{server}__{tool}": (server, tool) => ({ text: `${server}__${tool}`, ambiguous: canSplitEarlier(server, tool) }),
  // Unambiguous if the server has no underscore: then the first underscore after `mcp_` ends the server.
  "mcp_{server}_{tool}": (server, tool) => ({ text: `mcp_${server}_${tool}`, ambiguous: server.includes("_") }),
  "mcp_{server}_{tool}_{hash8}": (server, tool) => ({ text: `mcp_${server}_${tool}`, ambiguous: true }),
  // Meant for a single server. If tools of several servers share a name, the name table gives it to the first.
  "{tool}": (_, tool) => ({ text: tool, ambiguous: false }),
};

/**
 * Returns true if the joined name can be split at an earlier separator, for example `a__b` + `c` as `a` + `b__c`. Of
 * all pairs with the same joined name, only the pair with the shortest server keeps the name. So the names stay
 * readable if a gateway is a server of another gateway: `inner` + `files__read_file`.
 */
function canSplitEarlier(server: string, tool: string): boolean {
  return `${server}__${tool}`.indexOf("__", 1) !== server.length;
}
