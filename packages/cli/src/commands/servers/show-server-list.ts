/** Implements `plugboard list`. */
import { isInvalid, isUntrusted } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { listServers } from "@plugboard/host/offline";
import { renderTableWithLogins } from "../../render/logins/render-logins.ts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import { renderProblem } from "../../render/render-problem.ts";
import { enabledCell, sandboxCell, transportCell } from "../../render/servers/render-status.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";
import type { ListedServer } from "../../outputs/host-outputs.ts";

/** Shows the configured servers. Reads only files, even if a host is running. */
export async function showServerList(
  input: ConfigOptions & { readonly json: boolean },
  cli: CliContext,
): Promise<number> {
  const { stdout, stderr, env, cwd } = cli;
  const { servers, problems } = await listServers({ env }, toWorkspaceSpec(input, cwd));
  for (const problem of problems) stderr.write(renderProblem(problem));
  if (input.json) stdout.json(servers.map(toListEntry));
  else stdout.write(servers.length === 0 ? renderNoServers(env) : renderServers(servers, Date.now()));
  return 0;
}

function toListEntry(server: ServerStatus): ListedServer {
  const { id, transport, source, enabled, target, sandbox } = server;
  const inSandbox = sandbox && { sandbox };
  return { id, transport, source, enabled, target, ...inSandbox, ...(isUntrusted(server) && { untrusted: true }) };
}

function renderServers(servers: readonly ServerStatus[], now: number): string {
  const hasSandboxes = servers.some(({ sandbox }) => sandbox !== undefined);
  const rows = servers.map((server) => [
    server.id,
    transportCell(server),
    server.source,
    isInvalid(server) ? "invalid" : isUntrusted(server) ? "untrusted" : enabledCell(server),
    ...(hasSandboxes ? [sandboxCell(server)] : []),
    server.target || "–",
  ]);
  const titles = ["SERVER", "TRANSPORT", "SOURCE", "ENABLED", ...(hasSandboxes ? ["SANDBOX"] : []), "RUNS"];
  return renderTableWithLogins(titles, rows, servers, now);
}
