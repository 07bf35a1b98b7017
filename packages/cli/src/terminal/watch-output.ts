/** What we print may not get through: the reader has gone, the disk is full. The command still ends as it should. */
import type { CliContext } from "./cli-context.ts";

export interface OutputWatch {
  /** When all is written; with the exit status if it could not be. */
  finished(): Promise<number | undefined>;
}

/** As a shell reports a program that SIGPIPE ended. */
const EXIT_SIGPIPE = 141;
/** EX_IOERR */
const EXIT_IO_ERROR = 74;

export function watchOutput({ stdout, stderr }: CliContext): OutputWatch {
  let status: number | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (status !== undefined) return;
    status = error.code === "EPIPE" ? EXIT_SIGPIPE : EXIT_IO_ERROR;
    if (status === EXIT_IO_ERROR) stderr.write(`The output could not be written: ${error.message}.\n`);
  });
  // There is nowhere left to say so.
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
