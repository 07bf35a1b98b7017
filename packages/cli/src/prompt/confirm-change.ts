/** Asks before files are written. */
import { EXIT_STATUSES } from "@plugboard/contracts";
import { confirm } from "./confirm.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { Interruption } from "../terminal/interruption.ts";

/** Returns undefined if the user agrees, otherwise the exit status. Throws USAGE without a terminal. */
export async function confirmChange(
  question: string,
  withoutTerminal: string,
  cli: CliContext,
): Promise<number | undefined> {
  const interruption = new Interruption(cli);
  try {
    const interrupt = () => interruption.interrupt();
    const agreed = await confirm(question, { interrupted: interruption.signal, interrupt, withoutTerminal }, cli);
    if (agreed) return undefined;
    cli.stderr.write("Nothing was written.\n");
    return interruption.exitStatus ?? EXIT_STATUSES.denied.status;
  } finally {
    interruption.stopListening();
  }
}
