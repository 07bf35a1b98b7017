/** Writes the file with the statistics of past calls, because tests of a running host can't wait for hours. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface PastCalls {
  readonly server: string;
  readonly tool: string;
  readonly minutesAgo: number;
  readonly calls: number;
  /** True if the calls failed with SERVER_CRASHED. */
  readonly failed?: boolean;
}

/** The lengths of buckets in seconds, and for how many minutes each is kept. */
const BUCKETS = [
  { seconds: 10, minutes: 15 },
  { seconds: 60, minutes: 3 * 60 },
  { seconds: 900, minutes: 36 * 60 },
  { seconds: 3600, minutes: 60 * 24 * 60 },
];

export async function writeCallStats(stateFolder: string, past: readonly PastCalls[]): Promise<void> {
  const series = past.map(({ server, tool, failed = false }) => ({
    caller: "cli",
    server,
    tool,
    outcome: failed ? "SERVER_CRASHED" : "complete",
  }));
  const rows = past.flatMap(({ minutesAgo, calls, failed = false }, index) =>
    BUCKETS.filter(({ minutes }) => minutesAgo <= minutes).map(({ seconds }) => {
      const bucket = Math.floor((Date.now() - minutesAgo * 60_000) / 1000 / seconds);
      // The format of `CallHistory.toJSON` and `CallCell.pack` in `host/src/activity`: no bytes, and for each call a
      // latency of 8 µs, which has the bucket 8.
      return `${seconds} ${bucket} ${index} ${calls} ${failed ? calls : 0} 0 0 0 ${8 * calls} 8 1 8 ${calls}`;
    }),
  );
  await mkdir(stateFolder, { recursive: true, mode: 0o700 });
  await writeFile(join(stateFolder, "call-stats.json"), JSON.stringify({ version: 1, history: { series, rows } }));
}
