import type { ServerStatus } from "@plugboard/contracts";
import { unlessInterrupted } from "../interruption.ts";
import { renderJson } from "../render/json.ts";
import { renderWithLogins } from "../render/logins.ts";
import { renderNoServers } from "../render/no-servers.ts";
import { enabledOf, isInvalid, transportOf } from "../render/status.ts";
import type { Surroundings } from "../surroundings.ts";
import { withWorkspace } from "../with-workspace.ts";
import type { CommonOptions } from "../with-workspace.ts";

/** What is configured. Starts nothing. */
export function listServers(options: CommonOptions, surroundings: Surroundings): Promise<number> {
  const { stdout, env } = surroundings;
  return withWorkspace(options, surroundings, async ({ workspace, interrupted }) => {
    const servers = await unlessInterrupted(workspace.status(), interrupted);
    if (options.json) stdout.write(renderJson(servers.map(configured)));
    else stdout.write(servers.length === 0 ? renderNoServers(env) : renderServers(servers, Date.now()));
    return 0;
  });
}

function configured(server: ServerStatus): object {
  const { id, transport, source, enabled, target } = server;
  return { id, transport, source, enabled, target, ...(isUntrusted(server) && { untrusted: true }) };
}

function renderServers(servers: readonly ServerStatus[], now: number): string {
  const rows = servers.map((server) => [
    server.id,
    transportOf(server),
    server.source,
    isInvalid(server) ? "invalid" : isUntrusted(server) ? "untrusted" : enabledOf(server),
    server.target || "–",
  ]);
  return renderWithLogins(["SERVER", "TRANSPORT", "SOURCE", "ENABLED", "RUNS"], rows, servers, now);
}

function isUntrusted({ last_error }: ServerStatus): boolean {
  return last_error?.code === "SERVER_UNTRUSTED";
}
