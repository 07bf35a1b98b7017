/** What we print may not get through: the reader has gone, the disk is full. The command still ends as it should. */
import type { Surroundings } from "./surroundings.ts";

export interface Output {
  /** When all is written; with the exit status if it could not be. */
  finished(): Promise<number | undefined>;
}

/** As a shell reports a program that SIGPIPE ended. */
const READER_GONE = 141;
/** EX_IOERR */
const NOT_WRITTEN = 74;

export function watchOutput({ stdout, stderr }: Surroundings): Output {
  let status: number | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (status !== undefined) return;
    status = error.code === "EPIPE" ? READER_GONE : NOT_WRITTEN;
    if (status === NOT_WRITTEN) stderr.write(`The output could not be written: ${error.message}.\n`);
  });
  // There is nowhere left to say so.
  stderr.on("error", () => {});
  return {
    async finished() {
      await Promise.all([written(stdout), written(stderr)]);
      return status;
    },
  };
}

function written(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => stream.write("", () => setImmediate(resolve)));
}
