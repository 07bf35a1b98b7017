/** Asks a question on the terminal that only "y" or "yes" agrees to. */
import { HostError } from "@plugboard/contracts";
import type { CliContext } from "../terminal/cli-context.ts";
import { NoAnswerError, openTerminalLines } from "../terminal/terminal-lines.ts";

export interface ConfirmContext {
  /** Aborts when the user interrupts the command. */
  readonly interrupted: AbortSignal;
  /** Called when the user types Ctrl-C at the question. */
  readonly interrupt: () => void;
  /** What to do without a terminal, such as "Add --yes". */
  readonly withoutTerminal: string;
}

/** Throws USAGE without a terminal. */
export async function confirm(
  question: string,
  { interrupted, interrupt, withoutTerminal }: ConfirmContext,
  cli: CliContext,
): Promise<boolean> {
  if (!cli.isInteractive) {
    throw new HostError("USAGE", { message: `There is no terminal to ask on. ${withoutTerminal}` });
  }
  const lines = openTerminalLines(cli, interrupted, interrupt);
  try {
    return isYes(await lines.read(`${question} y / n: `));
  } catch (thrown) {
    if (!(thrown instanceof NoAnswerError)) throw thrown;
    lines.show("\n");
    return false;
  } finally {
    lines.close();
  }
}

export function isYes(typed: string): boolean {
  return /^y(es)?$/i.test(typed.trim());
}
