/** Handles failed writes to stdout and stderr: the reader has closed the pipe, or the disk is full. */
import { EXIT_STATUSES } from "@plugboard/contracts";
import type { ProcessContext } from "./cli-context.ts";

export interface OutputWatch {
  /** Resolves when everything is written. Returns an exit status if stdout could not be written. */
  finished(): Promise<number | undefined>;
}

export function watchOutput({ stdout, stderr }: ProcessContext): OutputWatch {
  let status: number | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (status !== undefined) return;
    const { SIGPIPE, ioError } = EXIT_STATUSES;
    status = error.code === "EPIPE" ? SIGPIPE.status : ioError.status;
    if (status === ioError.status) stderr.write(`The output could not be written: ${error.message}.\n`);
  });
  // Ignored, because there is no other stream to report it on.
  stderr.on("error", () => {});
  return {
    async finished() {
      await Promise.all([flushed(stdout), flushed(stderr)]);
      return status;
    },
  };
}

function flushed(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => setImmediate(resolve)));
}
