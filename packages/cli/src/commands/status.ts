import { ERROR_TABLE } from "@plugboard/contracts";
import { unlessInterrupted } from "../interruption.ts";
import { renderJson } from "../render/json.ts";
import { renderNoServers } from "../render/no-servers.ts";
import { renderStatus } from "../render/status.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** The state of the servers; with `--connect`, after trying to reach every one. Fails if one that should be ready isn't. */
export function showStatus(
  options: CommonOptions & { connect?: boolean },
  surroundings: Surroundings,
): Promise<number> {
  const { stdout, env } = surroundings;
  return withWorkspace(options, surroundings, async ({ workspace, interrupted }) => {
    const report = options.connect
      ? await unlessInterrupted(workspace.start({ signal: interrupted }), interrupted)
      : undefined;
    const servers = await unlessInterrupted(workspace.status(), interrupted);
    if (options.json) stdout.write(renderJson(servers));
    else stdout.write(servers.length === 0 ? renderNoServers(env) : renderStatus(servers, Date.now()));
    const [first] = Object.values(report?.errors ?? {});
    return first ? ERROR_TABLE[first.code].exit : 0;
  });
}
