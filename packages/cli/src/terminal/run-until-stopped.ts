/** Runs work that has no end of its own, such as following a log, until the user or the reader of the output stops it. */
import { Interruption } from "./interruption.ts";
import type { CliContext } from "./cli-context.ts";

/** Returns the exit status. The signal aborts on Ctrl-C, and when stdout can't be written to any more. */
export async function runUntilStopped(cli: CliContext, work: (signal: AbortSignal) => Promise<void>): Promise<number> {
  const interruption = new Interruption(cli);
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  const { stream } = cli.stdout;
  const resumeLiveLine = cli.liveLine.pause();
  interruption.signal.addEventListener("abort", stop);
  stream.once("error", stop);
  try {
    await work(stopped.signal);
    return interruption.exitStatus ?? 0;
  } finally {
    stream.off("error", stop);
    resumeLiveLine();
    interruption.stopListening();
  }
}
