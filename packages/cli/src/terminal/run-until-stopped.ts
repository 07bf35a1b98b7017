/** Runs endless work, such as following a log, until the user stops it or the reader of the output closes the pipe. */
import { Interruption } from "./interruption.ts";
import type { CliContext } from "./cli-context.ts";

/** For commands without a workspace. Returns the exit status. */
export async function runUntilStopped(cli: CliContext, work: (signal: AbortSignal) => Promise<void>): Promise<number> {
  const interruption = new Interruption(cli);
  try {
    await whileOutputIsRead(cli, interruption.signal, work);
    return interruption.exitStatus ?? 0;
  } finally {
    interruption.stopListening();
  }
}

/** Aborts the signal on `interrupted`, and when stdout closes. Hides the live line meanwhile. */
export async function whileOutputIsRead<T>(
  { stdout: { stream }, liveLine }: CliContext,
  interrupted: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const outputClosed = new AbortController();
  const stop = () => outputClosed.abort();
  const resumeLiveLine = liveLine.pause();
  stream.once("error", stop);
  try {
    return await work(AbortSignal.any([interrupted, outputClosed.signal]));
  } finally {
    stream.off("error", stop);
    resumeLiveLine();
  }
}
