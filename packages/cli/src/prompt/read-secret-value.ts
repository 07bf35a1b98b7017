/** Reads the value of a secret: from a hidden prompt on a terminal, else from stdin. */
import { HostError } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { interruptedError, rejectOnInterrupt } from "../terminal/interruption.ts";
import { NoAnswerError, openTerminalLines } from "../terminal/terminal-lines.ts";

/** A secret in a config is at most this long. Also bounds what is read from a pipe. */
const MAX_BYTES = 64 * 1024;

/** Throws USAGE if there is no value. `interrupt` is called on Ctrl-C at the prompt. */
export async function readSecretValue(
  name: string,
  cli: CliContext,
  interrupted: AbortSignal,
  interrupt: () => void,
): Promise<string> {
  const value = cli.stdin.isTTY
    ? await promptForValue(name, cli, interrupted, interrupt)
    : await rejectOnInterrupt(readPipe(cli.stdin), interrupted);
  if (value !== "") return value;
  throw new HostError("USAGE", { message: "the value is empty; nothing was stored", omitHelp: true });
}

async function promptForValue(
  name: string,
  cli: CliContext,
  interrupted: AbortSignal,
  interrupt: () => void,
): Promise<string> {
  const lines = openTerminalLines(cli, interrupted, interrupt);
  try {
    return (await lines.readHidden(`Value of ${name} (not shown): `)).trim();
  } catch (error) {
    if (interrupted.aborted) throw interruptedError(interrupted, "command", "; nothing was stored");
    if (error instanceof NoAnswerError) return "";
    throw error;
  } finally {
    lines.close();
  }
}

/** Removes the line break that `echo` and other programs append. */
async function readPipe(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    // Two bytes more, for a line break at the end.
    if (bytes > MAX_BYTES + 2)
      throw new HostError("USAGE", { message: `the value is longer than ${MAX_BYTES} bytes`, omitHelp: true });
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
