/** Implements `plugboard logs` without a server: the logs of all servers, merged by time. */
import { listServers, loadServerLog } from "@plugboard/host/offline";
import type { ServerLogLine } from "@plugboard/contracts";
import { renderLogLine } from "../../render/diagnosis/render-log-line.ts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { runUntilStopped } from "../../terminal/run-until-stopped.ts";
import { toWorkspaceSpec } from "../../workspace/workspace-spec.ts";
import type { ConfigOptions } from "../../workspace/workspace-spec.ts";

interface NamedLine {
  readonly server: string;
  readonly line: ServerLogLine;
}

/** `maxLines` is the number of lines of all servers together. */
export async function showAllLogs(
  input: ConfigOptions & { readonly follow: boolean; readonly maxLines: number; readonly json?: boolean },
  cli: CliContext,
): Promise<number> {
  const { follow, maxLines, json } = input;
  const { env, cwd, stdout, stderr } = cli;
  const { servers } = await listServers({ env }, toWorkspaceSpec(input, cwd));
  const ids = servers.map(({ id }) => id);
  if (ids.length === 0) {
    stderr.write(renderNoServers(env));
    return 0;
  }
  const width = Math.max(...ids.map((id) => id.length));
  const print = (lines: readonly NamedLine[]) => {
    for (const { server, line } of lines) {
      if (json) stdout.jsonLine({ server, ...line });
      else stdout.write(renderLogLine(line, server.padEnd(width)));
    }
  };
  const { readServerLog, followServerLog } = await loadServerLog();
  if (follow) {
    const onLines = mergeFirst(ids, maxLines, print);
    return runUntilStopped(cli, async (signal) => {
      const following = ids.map((server) =>
        followServerLog(env, server, { maxLines, signal, onLines: (lines) => onLines(server, lines) }),
      );
      await Promise.all(following);
    });
  }
  const logs = await Promise.all(
    ids.map(async (server) => withName(server, (await readServerLog(env, server, maxLines)) ?? [])),
  );
  const merged = merge(logs, maxLines);
  if (merged.length === 0)
    stderr.write("No server has printed anything yet. Plugboard records stderr and log messages while servers run.\n");
  print(merged);
  return 0;
}

/**
 * Returns a function that takes the lines of each server. It prints the existing lines of all servers together, and
 * then each new line at once.
 */
function mergeFirst(
  ids: readonly string[],
  maxLines: number,
  print: (lines: readonly NamedLine[]) => void,
): (server: string, lines: readonly ServerLogLine[]) => void {
  const first = new Map<string, readonly NamedLine[]>();
  // New lines that arrive while the log of another server is still being read.
  const later: NamedLine[] = [];
  let isMerged = false;
  return (server, lines) => {
    const named = withName(server, lines);
    if (isMerged) return print(named);
    if (first.has(server)) later.push(...named);
    else first.set(server, named);
    if (first.size < ids.length) return;
    isMerged = true;
    print([...merge([...first.values()], maxLines), ...later]);
  };
}

function merge(logs: readonly (readonly NamedLine[])[], maxLines: number): readonly NamedLine[] {
  const all = logs.flat().toSorted((a, b) => a.line.at - b.line.at);
  return maxLines === 0 ? [] : all.slice(-maxLines);
}

function withName(server: string, lines: readonly ServerLogLine[]): readonly NamedLine[] {
  return lines.map((line) => ({ server, line }));
}
