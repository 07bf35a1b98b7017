/** Implements `plugboard tools`. */
import { sanitizeLine } from "@plugboard/contracts";
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
import { connectServers, exitStatusOf, reportErrors, untrustedErrors } from "./connect-servers.ts";
import { matchingTools, parseToolFilter } from "./tool-filter.ts";
import { toolNotFound } from "./resolve-tool.ts";

interface ToolsInput extends CommandOptions {
  /** A server, or a tool in any form that `call` understands. */
  readonly name: string | undefined;
  readonly search: string | undefined;
  readonly schema: boolean;
}

/** Shows the tools of all servers or of one server, or the details of one tool. */
export function showTools({ name, search, ...options }: ToolsInput, cli: CliContext): Promise<number> {
  const show = async (context: CommandContext) => {
    const { workspace, interrupted } = context;
    const servers = await rejectOnInterrupt(workspace.status(), interrupted);
    const filter = name === undefined ? {} : parseToolFilter(name, servers);
    const { ready, errors } = await connectServers(filter.server, context);
    const listed = search === undefined ? await listTools(context) : await searchTools(search, context);
    const offered = listed.filter(({ server, origin }) => (filter.server ?? server) === server && origin === "mcp");
    const found = filter.candidates ? matchingTools(filter.candidates, offered) : offered;
    const hidden = search === undefined ? await countHidden(filter.server, context) : 0;
    if (hidden > 0 && offered.length > 0 && !options.json)
      cli.stderr.write(`Hidden tools (denied by a rule, excluded by a definition, or switched off): ${hidden}\n`);
    if (name !== undefined && filter.candidates && found.length === 0) throw toolNotFound(name, offered);
    const [only, ...others] = found;
    if (options.json) printJson(filter.candidates && only && others.length === 0 ? only : found, cli);
    else if (only) printTools(found, { ...options, details: filter.candidates !== undefined }, cli);
    else cli.stdout.write(renderNoTools({ servers: selected(servers, filter.server), ready, hidden, search }, cli.env));
    const untrusted = filter.server === undefined ? untrustedErrors(servers) : {};
    reportErrors({ ...untrusted, ...errors }, options, cli);
    return ready.length === 0 ? exitStatusOf(errors) : 0;
  };
  const loginsOfAllServers: LoginHandling = {};
  return withWorkspace(options, cli, show, loginsOfAllServers);
}

function listTools({ workspace, interrupted }: CommandContext): Promise<OfferedTool[]> {
  return rejectOnInterrupt(workspace.tools.list(), interrupted);
}

/** More hits would not be read. */
const MAX_HITS = 50;

async function searchTools(query: string, { workspace, interrupted }: CommandContext): Promise<OfferedTool[]> {
  const hits = await rejectOnInterrupt(workspace.tools.search(query, { limit: MAX_HITS }), interrupted);
  return hits.map(({ tool }) => tool);
}

/** Returns the number of tools that are not offered because they are denied, excluded or switched off. */
async function countHidden(server: string | undefined, { workspace, interrupted }: CommandContext): Promise<number> {
  const servers = await rejectOnInterrupt(workspace.status(), interrupted);
  return selected(servers, server).reduce((sum, { hiddenTools = 0 }) => sum + hiddenTools, 0);
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
