/** Finds the names in permission rules that may be typos: unknown servers, and unknown tools of known servers. */
import { isHostError, NATIVE_SERVER_ID, nearest } from "@plugboard/contracts";
import type { UnknownRuleTarget } from "@plugboard/contracts";
import { readStoredTools } from "../../offline/stored-tools.ts";
import { effectiveConfig } from "../config/effective-config.ts";
import type { OperationsPlace } from "../operations-context.ts";

/** A rule that names one server. Patterns are left out, because they may match names that don't exist yet. */
const NAMED = /^([\w-]+):([^(]+)/;

/** A tool is unknown only if the last known catalog of its server does not have it. Starts no server. */
export async function findUnknownTargets(
  rules: readonly string[],
  place: OperationsPlace,
): Promise<UnknownRuleTarget[]> {
  const named = rules.flatMap((rule) => {
    const [, server, tool = "*"] = NAMED.exec(rule) ?? [];
    return server === undefined ? [] : [{ server, tool: tool.includes("*") ? undefined : tool }];
  });
  if (named.length === 0) return [];
  const config = await effectiveConfig(place).catch(ignoreInvalidConfig);
  if (!config) return [];
  const { servers, pending } = config;
  const known = [...servers.keys(), ...pending.map(({ id }) => id), NATIVE_SERVER_ID];
  const unknown = named.map(async ({ server, tool }): Promise<UnknownRuleTarget[]> => {
    if (!known.includes(server)) return [{ server, ...suggest(server, known) }];
    const configured = servers.get(server);
    if (tool === undefined || !configured) return [];
    const tools = readStoredTools(configured, place.env);
    return tools && !tools.includes(tool) ? [{ server, tool, ...suggest(tool, tools) }] : [];
  });
  return (await Promise.all(unknown)).flat();
}

/** Ignores an invalid config file, because the rules themselves are valid. */
function ignoreInvalidConfig(thrown: unknown): undefined {
  if (!isHostError(thrown) || thrown.code !== "CONFIG_INVALID") throw thrown;
}

function suggest(name: string, known: readonly string[]): Pick<UnknownRuleTarget, "suggestion"> {
  const suggestion = nearest(name, known);
  return suggestion === undefined ? {} : { suggestion };
}
