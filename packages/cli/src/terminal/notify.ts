/** Notifies the user through the terminal: with a notification where the terminal shows them, else with the bell. */
import { sanitizeLine } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import type { CliContext } from "./cli-context.ts";

/** Terminals that show the text of the sequence OSC 9 as a notification. Others may print it. */
const PROGRAMS: ReadonlySet<string> = new Set(["iTerm.app", "WezTerm", "ghostty", "WarpTerminal"]);

export function notify(text: string, { stderr, env }: Pick<CliContext, "stderr" | "env">): void {
  if (!stderr.canRepaint) return;
  // The sanitizer of `Output` would replace the control characters.
  stderr.stream.write(showsNotifications(env) ? `\u001b]9;${sanitizeLine(text)}\u0007` : "\u0007");
}

function showsNotifications(env: Env): boolean {
  const isKnown = PROGRAMS.has(env["TERM_PROGRAM"] ?? "");
  return isKnown || env["WT_SESSION"] !== undefined || env["KITTY_WINDOW_ID"] !== undefined;
}
