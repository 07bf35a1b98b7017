/** Implements `plugboard tools`. */
import { commandMessage, ERROR_TABLE, sanitizeLine } from "@plugboard/contracts";
import type { HostErrorJson, OfferedTool, ServerStatus, StartReport } from "@plugboard/contracts";
import { findTool, findServerId, toolNotFound } from "../../arguments/find-tool.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { renderJsonLine, tryRenderJson } from "../../terminal/render-json.ts";
import { renderTool, renderToolList } from "../../render/render-tool.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions, LoginHandling } from "../../workspace/with-workspace.ts";

/** Shows the tools of all servers or of one server, or one tool with everything that a model sees of it. */
interface ToolsInput extends CommandOptions {
  /** A server, or a tool as `server:tool` or as models see it. */
  readonly name: string | undefined;
}

export function showTools({ name, ...options }: ToolsInput, cli: CliContext): Promise<number> {
  const show = async (context: CommandContext) => {
    const { workspace, interrupted } = context;
    const servers = await rejectOnInterrupt(workspace.status(), interrupted);
    const server = name === undefined ? undefined : findServerId(name, servers);
    const { ready, errors } = await connect(server, context);
    const all = await rejectOnInterrupt(workspace.tools.list(), interrupted);
    // The host's own tools are for models. A person uses commands instead.
    const offered = all.filter((tool) => (server === undefined ? tool.origin === "mcp" : tool.server === server));
    // The argument is a tool unless it is exactly a server's id.
    const toolName = name === server ? undefined : name;
    const foundTool = toolName === undefined ? undefined : findTool(toolName, offered);
    if (!foundTool && !options.json) await reportHiddenTools(offered, server, context, cli);
    if (!foundTool && toolName !== undefined) throw toolNotFound(toolName, offered);
    const { stdout } = cli;
    if (foundTool) stdout.write(options.json ? renderToolJson(foundTool, cli) : renderTool(foundTool));
    else stdout.write(options.json ? renderAllJson(offered, cli) : renderToolList(offered));
    showErrors({ ...untrustedErrors(servers, server), ...errors }, options, cli);
    // Fails only if no server is ready.
    const [firstError] = Object.values(errors);
    return firstError && ready.length === 0 ? ERROR_TABLE[firstError.code].exit : 0;
  };
  const loginsOfAllServers: LoginHandling = {};
  return withWorkspace(options, cli, show, loginsOfAllServers);
}

/** Reports the number of tools that are not offered because they are denied, excluded or switched off. */
async function reportHiddenTools(
  offered: readonly OfferedTool[],
  server: string | undefined,
  { workspace, interrupted }: CommandContext,
  { stderr }: CliContext,
): Promise<void> {
  const servers = await rejectOnInterrupt(workspace.status(), interrupted);
  const selected = servers.filter(({ id }) => server === undefined || id === server);
  const hidden = selected.reduce((sum, { tools }) => sum + tools, 0) - offered.length;
  if (hidden > 0)
    stderr.write(`Hidden tools (denied by a rule, excluded by a definition, or switched off): ${hidden}\n`);
}

async function connect(server: string | undefined, { workspace, interrupted }: CommandContext): Promise<StartReport> {
  if (server === undefined) return rejectOnInterrupt(workspace.start({ signal: interrupted }), interrupted);
  await rejectOnInterrupt(workspace.servers.connect(server, { signal: interrupted }), interrupted);
  return { ready: [server], errors: {} };
}

function renderAllJson(tools: readonly OfferedTool[], cli: CliContext): string {
  const rendered = tryRenderJson(tools);
  if (rendered !== undefined) return rendered;
  return tryRenderJson(tools.filter((tool) => renderToolJson(tool, cli) !== ""))!;
}

/** Returns an empty string and writes a note to stderr if the tool is nested too deeply. */
function renderToolJson(tool: OfferedTool, { stderr }: CliContext): string {
  const rendered = tryRenderJson(tool);
  if (rendered === undefined) {
    stderr.write(
      `${sanitizeLine(`${tool.server}:${tool.tool}`)} is omitted because it is nested too deeply to be printed.\n`,
    );
  }
  return rendered ?? "";
}

/** Returns the errors of untrusted servers. Returns none for a single server, because the user was asked to approve it. */
function untrustedErrors(
  servers: readonly ServerStatus[],
  server: string | undefined,
): { [server: string]: HostErrorJson } {
  const waiting = servers.filter(({ lastError }) => server === undefined && lastError?.code === "SERVER_UNTRUSTED");
  return Object.fromEntries(waiting.map(({ id, lastError }) => [id, lastError!]));
}

function showErrors(
  errors: { readonly [server: string]: HostErrorJson },
  { json }: CommandOptions,
  { stderr }: CliContext,
): void {
  for (const [server, error] of Object.entries(errors)) {
    stderr.write(
      json ? renderJsonLine({ server, error }) : `${server}: ${error.code}: ${sanitizeLine(commandMessage(error))}\n`,
    );
  }
}
