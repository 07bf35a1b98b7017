/** Implements `plugboard logs`. */
import { loadServerLog } from "@plugboard/host/offline";
import type { ServerLogLine } from "@plugboard/contracts";
import { renderLogLine } from "../../render/diagnosis/render-log-line.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { runUntilStopped } from "../../terminal/run-until-stopped.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

interface LogsInput extends CommandOptions {
  readonly server: string | undefined;
  readonly follow: boolean;
  readonly lines: number | undefined;
}

const DEFAULT_LINES = 100;

/** Shows the log of a server, or of all servers. Reads only files, so it needs no host and starts no server. */
export async function showLogs(input: LogsInput, cli: CliContext): Promise<number> {
  const { server, follow, lines: maxLines = DEFAULT_LINES } = input;
  if (server === undefined) return (await import("./show-all-logs.ts")).showAllLogs({ ...input, maxLines }, cli);
  const { env, stderr } = cli;
  const print = (lines: readonly ServerLogLine[]) => printLines(lines, input, cli);
  const { readServerLog, followServerLog } = await loadServerLog();
  const log = await readServerLog(env, server, maxLines);
  if (!log) {
    const status = await checkServer(server, input, cli);
    if (status !== 0) return status;
    stderr.write(
      `"${server}" has printed nothing yet. Plugboard records its stderr and its log messages while it runs.\n`,
    );
  }
  if (follow)
    return runUntilStopped(cli, (signal) => followServerLog(env, server, { maxLines, onLines: print, signal }));
  print(log ?? []);
  return 0;
}

/** Throws SERVER_UNKNOWN, with a suggestion, if no such server is configured. */
function checkServer(server: string, input: LogsInput, cli: CliContext): Promise<number> {
  return withWorkspace({ ...input, unattended: true }, cli, async ({ workspace, interrupted }) => {
    await rejectOnInterrupt(workspace.servers.detail(server), interrupted);
    return 0;
  });
}

function printLines(lines: readonly ServerLogLine[], { json }: LogsInput, { stdout }: CliContext): void {
  for (const line of lines) {
    if (json) stdout.jsonLine(line);
    else stdout.write(renderLogLine(line));
  }
}
