/** Asks a question on the terminal, in a command that otherwise asks nothing. */
import type { CliContext } from "../terminal/cli-context.ts";
import { Interruption, interruptedError } from "../terminal/interruption.ts";
import { confirm } from "./confirm.ts";

/** Throws CANCELLED if the user interrupts the question. `ifInterrupted` continues the sentence of this error. */
export async function askYesNo(question: string, ifInterrupted: string, cli: CliContext): Promise<boolean> {
  const interruption = new Interruption(cli);
  const { signal } = interruption;
  try {
    const context = { interrupted: signal, interrupt: () => interruption.interrupt(), withoutTerminal: "" };
    const isConfirmed = await confirm(question, context, cli);
    if (signal.aborted) throw interruptedError(signal, "command", ifInterrupted);
    return isConfirmed;
  } finally {
    interruption.stopListening();
  }
}
