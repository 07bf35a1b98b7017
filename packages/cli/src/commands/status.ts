import { ERROR_TABLE } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { renderJson } from "../render/json.ts";
import { renderTable } from "../render/table.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** The state of the servers; with `--connect`, after trying to reach every one. Fails if one that should be ready isn't. */
export function showStatus(
  options: CommonOptions & { connect?: boolean },
  surroundings: Surroundings,
): Promise<number> {
  return withWorkspace(options, surroundings, async ({ workspace }) => {
    const errors = options.connect ? Object.values((await workspace.start()).errors) : [];
    const servers = await workspace.status();
    surroundings.stdout.write(options.json ? renderJson(servers) : renderStatus(servers));
    const [first] = errors;
    return first ? ERROR_TABLE[first.code].exit : 0;
  });
}

function renderStatus(servers: readonly ServerStatus[]): string {
  if (servers.length === 0) return "No MCP servers configured.\n";
  const rows = servers.map((server) => [
    server.id,
    server.transport,
    server.source,
    server.state,
    String(server.tools),
    server.era ? `${server.era} (${server.version})` : "–",
    server.pid === undefined ? "–" : String(server.pid),
  ]);
  const table = renderTable(["SERVER", "TRANSPORT", "SOURCE", "STATE", "TOOLS", "ERA", "PID"], rows);
  const notes = servers.flatMap((server) => [
    ...(server.last_error ? [[server.id, server.last_error.message]] : []),
    ...(server.dropped_tools ?? []).map(({ tool, reason }) => [server.id, `tool ${tool} left out: ${reason}`]),
  ]);
  return notes.length === 0 ? table : `${table}\n${renderTable(["SERVER", "NOTE"], notes)}`;
}
