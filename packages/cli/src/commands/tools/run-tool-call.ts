/** Calls a tool, and shows on the terminal how long it takes and what progress the server reports. */
import { HostError, isHostError, formatDuration } from "@plugboard/contracts";
import type { JsonObject, Progress, ToolResult } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withElapsed } from "../../terminal/elapsed.ts";
import { interruptedError } from "../../terminal/interruption.ts";
import type { CommandContext } from "../../workspace/with-workspace.ts";

export interface CallToRun {
  readonly server: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** The call fails with REQUEST_TIMEOUT after this time. By default only the limits of the definition apply. */
  readonly timeoutMs: number | undefined;
}

/** Throws CANCELLED if the user interrupts the call. The server is sent a cancellation. */
export async function runToolCall(
  { server, tool, args, timeoutMs }: CallToRun,
  { workspace, interrupted }: CommandContext,
  { liveLine, stderr }: Pick<CliContext, "liveLine" | "stderr">,
): Promise<ToolResult> {
  // Not `performance.now`, because loading its module takes time.
  const startedAt = Date.now();
  let progress: Progress | undefined;
  const hide = liveLine.show(() => describeCall(`calling ${server}:${tool}`, Date.now() - startedAt, progress));
  try {
    return await workspace.tools.call({ server, tool }, args, {
      signal: interrupted,
      ...(timeoutMs !== undefined && { timeoutMs }),
      // Without a terminal, nobody would see the progress.
      ...(stderr.isTTY && { onProgress: (latest) => void (progress = latest) }),
    });
  } catch (thrown) {
    if (interrupted.aborted) throw interruptedError(interrupted, "call", "; the server was sent a cancellation");
    throw withOption(thrown);
  } finally {
    hide();
  }
}

/** Names the option that allows the call. Only this command has it, so the host can't name it. */
function withOption(thrown: unknown): unknown {
  if (!isHostError(thrown) || thrown.code !== "NOBODY_TO_ASK") return thrown;
  return new HostError("NOBODY_TO_ASK", { ...thrown.details, option: "--yes" }, { cause: thrown });
}

/** Returns text such as `calling files:copy … 4 s` or `calling files:copy … 3/10 notes.md, 4 s`. */
function describeCall(subject: string, elapsedMs: number, latest: Progress | undefined): string {
  if (!latest) return withElapsed(subject, elapsedMs);
  const { progress, total, message } = latest;
  const share = total === undefined ? String(progress) : `${progress}/${total}`;
  return `${subject} … ${share}${message === undefined ? "" : ` ${message}`}, ${formatDuration(elapsedMs)}`;
}
