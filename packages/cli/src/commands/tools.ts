import { ERROR_TABLE, sanitiseLine } from "@plugboard/contracts";
import type { HostErrorJson, OfferedTool, ServerStatus, StartReport } from "@plugboard/contracts";
import { findTool, serverNamed, toolNotFound } from "../find-tool.ts";
import { unlessInterrupted } from "../interruption.ts";
import { renderJsonLine, tryRenderJson } from "../render/json.ts";
import { renderTool, renderToolList } from "../render/tool.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions, Opened } from "../with-workspace.ts";

/** What all servers offer, what one server offers, or one tool with all that the model would see of it. */
export function showTools(
  what: string | undefined,
  options: CommonOptions,
  surroundings: Surroundings,
): Promise<number> {
  const show = async (opened: Opened) => {
    const { workspace, interrupted } = opened;
    const known = await unlessInterrupted(workspace.status(), interrupted);
    const server = what === undefined ? undefined : serverNamed(what, known);
    const { ready, errors } = await connect(server, opened);
    const all = await unlessInterrupted(workspace.tools.list(), interrupted);
    // The host's own are for models: whoever types has commands for what they do.
    const offered = all.filter((tool) => (server === undefined ? tool.origin === "mcp" : tool.server === server));
    const one = what === undefined || what === server ? undefined : findTool(what, offered);
    if (!one && !options.json) await noteHidden(offered, server, opened, surroundings);
    if (!one && what !== server) throw toolNotFound(what!, offered);
    const { stdout } = surroundings;
    if (one) stdout.write(options.json ? renderToolJson(one, surroundings) : renderTool(one));
    else stdout.write(options.json ? renderAllJson(offered, surroundings) : renderToolList(offered));
    showErrors({ ...untrusted(known, server), ...errors }, options, surroundings);
    // A server that can't be reached does not hide what the others offer; if none can be, it has failed.
    const [first] = Object.values(errors);
    return first && ready.length === 0 ? ERROR_TABLE[first.code].exit : 0;
  };
  return withWorkspace(options, surroundings, show, {});
}

/** What is denied whatever its arguments, excluded or switched off is not offered; somebody who looks for it shall know. */
async function noteHidden(
  offered: readonly OfferedTool[],
  server: string | undefined,
  { workspace, interrupted }: Opened,
  { stderr }: Surroundings,
): Promise<void> {
  const servers = await unlessInterrupted(workspace.status(), interrupted);
  const meant = servers.filter(({ id }) => server === undefined || id === server);
  const hidden = meant.reduce((sum, { tools }) => sum + tools, 0) - offered.length;
  if (hidden > 0) stderr.write(`Not shown, because rules deny or definitions exclude them: ${hidden}\n`);
}

async function connect(server: string | undefined, { workspace, interrupted }: Opened): Promise<StartReport> {
  if (server === undefined) return unlessInterrupted(workspace.start({ signal: interrupted }), interrupted);
  await unlessInterrupted(workspace.servers.connect(server, { signal: interrupted }), interrupted);
  return { ready: [server], errors: {} };
}

function renderAllJson(tools: readonly OfferedTool[], surroundings: Surroundings): string {
  const whole = tryRenderJson(tools);
  if (whole !== undefined) return whole;
  return tryRenderJson(tools.filter((tool) => renderToolJson(tool, surroundings) !== ""))!;
}

/** Nothing, and a word on stderr, for one that can't be written. */
function renderToolJson(tool: OfferedTool, { stderr }: Surroundings): string {
  const written = tryRenderJson(tool);
  if (written === undefined) {
    stderr.write(
      `${sanitiseLine(`${tool.server}:${tool.tool}`)} is left out: it is nested too deeply to be printed.\n`,
    );
  }
  return written ?? "";
}

/** Of all servers, those that wait for consent; of one, it has been asked for. */
function untrusted(known: readonly ServerStatus[], server: string | undefined): { [server: string]: HostErrorJson } {
  const waiting = known.filter(({ last_error }) => server === undefined && last_error?.code === "SERVER_UNTRUSTED");
  return Object.fromEntries(waiting.map(({ id, last_error }) => [id, last_error!]));
}

function showErrors(
  errors: { readonly [server: string]: HostErrorJson },
  { json }: CommonOptions,
  { stderr }: Surroundings,
): void {
  for (const [server, error] of Object.entries(errors)) {
    stderr.write(
      json ? renderJsonLine({ server, error }) : `${server}: ${error.code}: ${sanitiseLine(error.message)}\n`,
    );
  }
}
