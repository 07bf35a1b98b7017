/** Implements `plugboard tools`. */
import { formatDuration, HostError, isHostError, sanitizeLine } from "@plugboard/contracts";
import type { OfferedTool, ServerStatus } from "@plugboard/contracts";
import { renderNoTools } from "../../render/tools/render-no-tools.ts";
import { renderTool } from "../../render/tools/render-tool.ts";
import { renderToolList } from "../../render/tools/render-tool-list.ts";
import { renderToolSchemas } from "../../render/tools/render-tool-schemas.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { tryRenderJson } from "../../terminal/render-json.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions, LoginHandling } from "../../workspace/with-workspace.ts";
import { connectUnlisted, exitStatusOf, refreshServers, reportErrors, untrustedErrors } from "./connect-servers.ts";
import { matchingTools } from "../../arguments/matching-tools.ts";
import type { ToolCandidate } from "../../arguments/parse-tool-words.ts";
import { parseToolFilter } from "./tool-filter.ts";
import { toolNotFound } from "./resolve-tool.ts";

interface ToolsInput extends CommandOptions {
  /** A server, or a tool in any form that `call` understands. */
  readonly name: string | undefined;
  readonly search: string | undefined;
  readonly schema: boolean;
  readonly limit: number | undefined;
  readonly refresh: boolean;
}

/**
 * Shows the tools of all servers or of one server, or the details of one tool. Starts only servers whose tools are not
 * known from an earlier run.
 */
export function showTools({ name, search, limit, refresh, ...options }: ToolsInput, cli: CliContext): Promise<number> {
  const show = async (context: CommandContext) => {
    const { workspace, interrupted } = context;
    const servers = await rejectOnInterrupt(workspace.status(), interrupted);
    const filter = name === undefined ? {} : parseToolFilter(name, servers);
    const connect = refresh ? refreshServers : connectUnlisted;
    // `stored` are the servers whose tools are known from an earlier run. They are not started.
    const { ready, stored = [], errors } = await connect(filter.server, context);
    const listed = search === undefined ? await listTools(context) : await searchTools(search, context);
    const current = await rejectOnInterrupt(workspace.status(), interrupted);
    const offered = listed.filter(({ server, origin }) => (filter.server ?? server) === server && origin === "mcp");
    const matching = filter.candidates ? matchingTools(filter.candidates, offered) : offered;
    const found = matching.slice(0, limit ?? (search === undefined ? undefined : DEFAULT_HITS));
    const hidden = search === undefined ? countHidden(selected(current, filter.server)) : 0;
    if (name !== undefined && filter.candidates && found.length === 0) {
      await rejectHidden(filter.candidates, context);
      throw toolNotFound(name, offered);
    }
    if (hidden > 0 && offered.length > 0 && !options.json)
      cli.stderr.write(`Hidden tools (denied by a rule, excluded by a definition, or switched off): ${hidden}\n`);
    const [only, ...others] = found;
    // A named tool is printed as an object, everything else as a list.
    if (options.json) printJson(filter.candidates && only && others.length === 0 ? only : found, cli);
    else if (only) printTools(found, { ...options, details: filter.candidates !== undefined }, cli);
    else {
      const noTools = { servers: selected(servers, filter.server), ready: [...ready, ...stored], hidden, search };
      cli.stdout.write(renderNoTools(noTools, cli.env));
    }
    if (matching.length > found.length && !options.json)
      cli.stderr.write(`${matching.length - found.length} more. --limit sets how many are shown.\n`);
    const listedBefore = current.filter(({ id }) => stored.includes(id));
    reportStored(listedBefore, options, cli);
    const untrusted = filter.server === undefined ? untrustedErrors(servers) : {};
    reportErrors({ ...untrusted, ...errors }, options, cli);
    return ready.length + stored.length === 0 ? exitStatusOf(errors) : 0;
  };
  const loginsOfAllServers: LoginHandling = {};
  return withWorkspace(options, cli, show, loginsOfAllServers);
}

/** Throws TOOL_OFF or TOOL_DENIED if a server has the tool, but does not offer it. */
async function rejectHidden(candidates: readonly ToolCandidate[], { workspace, interrupted }: CommandContext) {
  for (const { server, tool } of candidates) {
    if (server === undefined) continue;
    const described = workspace.tools.describe({ server, tool }).catch((error: unknown) => {
      if (isHostError(error) && (error.code === "TOOL_NOT_FOUND" || error.code === "SERVER_UNKNOWN")) return undefined;
      throw error;
    });
    const hidden = await rejectOnInterrupt(described, interrupted);
    if (hidden?.off) throw new HostError("TOOL_OFF", { tool: `${server}:${tool}`, by: hidden.off });
    if (hidden) throw new HostError("TOOL_DENIED", { server, tool, by: "a rule, see `plugboard permissions list`" });
  }
}

function listTools({ workspace, interrupted }: CommandContext): Promise<OfferedTool[]> {
  return rejectOnInterrupt(workspace.tools.list(), interrupted);
}

const DEFAULT_HITS = 20;
const MAX_HITS = 1000;
/** Hits below this share of the best score are left out. They have only some of the words, in less important places. */
const MIN_SCORE_SHARE = 0.25;

async function searchTools(query: string, { workspace, interrupted }: CommandContext): Promise<OfferedTool[]> {
  const hits = await rejectOnInterrupt(workspace.tools.search(query, { limit: MAX_HITS }), interrupted);
  const minScore = (hits[0]?.score ?? 0) * MIN_SCORE_SHARE;
  return hits.flatMap(({ tool, score }) => (score < minScore ? [] : tool));
}

/** Returns the number of tools that are not offered because they are denied, excluded or switched off. */
function countHidden(servers: readonly ServerStatus[]): number {
  return servers.reduce((sum, { hiddenTools = 0 }) => sum + hiddenTools, 0);
}

/** Says which lists are from an earlier run, and how old they are. */
function reportStored(
  servers: readonly ServerStatus[],
  { json }: Pick<CommandOptions, "json">,
  { stderr }: CliContext,
): void {
  const dated = servers.flatMap(({ id, toolsListedAt }) => (toolsListedAt === undefined ? [] : { id, toolsListedAt }));
  if (json) for (const { id, toolsListedAt } of dated) stderr.jsonLine({ server: id, toolsListedAt });
  else if (dated.length > 0) {
    const age = (at: number) => `${formatDuration(Date.now() - at)} ago`;
    const lists = dated.map(({ id, toolsListedAt }) => `${sanitizeLine(id)} (${age(toolsListedAt)})`);
    stderr.write(`Listed by an earlier run: ${lists.join(", ")}. --refresh asks the servers.\n`);
  }
}

function selected(servers: readonly ServerStatus[], server: string | undefined): readonly ServerStatus[] {
  return servers.filter(({ id }) => server === undefined || id === server);
}

interface PrintOptions {
  readonly schema: boolean;
  /** True if a tool was named, so that a single one is shown in detail. */
  readonly details: boolean;
}

function printTools(tools: readonly OfferedTool[], { schema, details }: PrintOptions, { stdout }: CliContext): void {
  const [only, ...others] = tools;
  if (schema) stdout.write(tools.map((tool, index) => [index === 0 ? "" : "\n", renderToolSchemas(tool)]));
  else if (details && only && others.length === 0) stdout.write(renderTool(only, stdout.columns));
  else stdout.write(renderToolList(tools, stdout.columns));
}

/** Leaves out tools that are nested too deeply to be serialized, and says so. */
function printJson(tools: OfferedTool | readonly OfferedTool[], { stdout, stderr }: CliContext): void {
  const rendered = tryRenderJson(tools);
  if (rendered !== undefined) return stdout.write(rendered);
  const [printable, omitted] = [true, false].map((isPrintable) =>
    [tools].flat().filter((tool) => (tryRenderJson(tool) !== undefined) === isPrintable),
  );
  for (const { server, tool } of omitted!) {
    stderr.write(`${sanitizeLine(`${server}:${tool}`)} is omitted because it is nested too deeply to be printed.\n`);
  }
  if (Array.isArray(tools)) stdout.json(printable);
}
