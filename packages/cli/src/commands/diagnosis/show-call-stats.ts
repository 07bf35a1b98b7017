/** Implements `plugboard activity --stats`. */
import { sanitizeLine } from "@plugboard/contracts";
import { followEvents } from "../../events/follow-events.ts";
import { renderCallStats, SPANS } from "../../render/diagnosis/render-call-stats.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import type { CommandContext } from "../../workspace/with-workspace.ts";
import type { CallStatsLine } from "../../outputs/host-outputs.ts";

/** Throws SERVER_UNKNOWN, with a suggestion, if there is neither a call nor a server of that name. */
export async function showCallStats(
  { server, json = false }: { readonly server: string | undefined; readonly json?: boolean },
  { stdout, stderr }: CliContext,
  { api, workspace, interrupted }: CommandContext,
): Promise<number> {
  const read = async (spanMs: number) => ({
    spanMs,
    stats: await workspace.activity.stats({ spanMs, by: "tool", ...(server !== undefined && { server }) }),
  });
  const { seq } = await rejectOnInterrupt(workspace.snapshot(), interrupted);
  // Reports a damaged file of statistics, which the host notices only when it reads the file.
  const problems = followEvents(api, seq, (event) => {
    if (event.type === "state.failed") stderr.write(`${sanitizeLine(`${event.error.code}: ${event.error.message}`)}\n`);
  });
  const spans = await rejectOnInterrupt(Promise.all(SPANS.map(({ spanMs }) => read(spanMs))), interrupted);
  await problems.stop();
  if (server !== undefined && spans.every(({ stats }) => stats.calls === 0)) {
    await rejectOnInterrupt(workspace.servers.detail(server), interrupted);
  }
  if (!json) stdout.write(renderCallStats(spans));
  const at = Date.now();
  for (const { spanMs, stats } of json ? spans : []) {
    const { buckets: _, bucketMs: __, groups, ...totals } = stats;
    const tools = groups.map(({ counts: ___, ...group }) => group);
    stdout.jsonLine({ type: "stats", at, spanMs, ...totals, tools } satisfies CallStatsLine);
  }
  return 0;
}
