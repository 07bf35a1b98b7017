import { renderJson } from "../render/json.ts";
import { renderTable } from "../render/table.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** What is configured. Starts nothing. */
export function listServers(options: CommonOptions, surroundings: Surroundings): Promise<number> {
  return withWorkspace(options, surroundings, async ({ workspace }) => {
    const servers = await workspace.status();
    const { stdout } = surroundings;
    if (options.json) {
      stdout.write(
        renderJson(
          servers.map(({ id, transport, source, enabled, target }) => ({ id, transport, source, enabled, target })),
        ),
      );
    } else if (servers.length === 0) {
      stdout.write("No MCP servers configured. Add one to your config file, or give one with --mcp-server.\n");
    } else {
      const rows = servers.map(({ id, transport, source, enabled, target }) => [
        id,
        transport,
        source,
        enabled ? "yes" : "no",
        target,
      ]);
      stdout.write(renderTable(["SERVER", "TRANSPORT", "SOURCE", "ENABLED", "RUNS"], rows));
    }
    return 0;
  });
}
