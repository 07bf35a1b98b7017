/** Sends the message of `plugboard run` and follows its turn to the end. */
import { HostError, sameCaller } from "@plugboard/contracts";
import type { ChatEvent, ChatView } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import type { CommandContext } from "../../workspace/with-workspace.ts";
import { applyTurnEvent, NOT_STARTED, toReport } from "./run-report.ts";
import type { RunReport } from "./run-report.ts";

export interface TurnListener {
  readonly onEvent: (event: ChatEvent) => void;
  /** Called when the servers have started or failed. */
  readonly onServersKnown: () => Promise<void>;
  /** Called at the end for each tool, as `server:tool`, that was denied because nobody could be asked. */
  readonly onDenied: (tool: string) => void;
}

/**
 * Sends the message and passes on the events of its turn. Cancels the turn on Ctrl-C, or when the reader of stdout
 * closes the pipe.
 */
export async function followTurn(
  text: string,
  { chat: { id }, seq, caller }: ChatView,
  { api, interrupted }: CommandContext,
  { stdout: { stream } }: CliContext,
  { onEvent, onServersKnown, onDenied }: TurnListener,
): Promise<RunReport> {
  const sent = await api.chats.send(id, { text });
  // Cancels only this turn. The chat may be open elsewhere, and the turns of other messages go on.
  const cancel = () => void api.chats.cancel(id, { input: sent.id }).catch(() => {});
  interrupted.addEventListener("abort", cancel);
  stream.once("error", cancel);
  const denied = new Set<string>();
  try {
    // If the user interrupted the command before the message was sent, the listener was not called.
    if (interrupted.aborted) cancel();
    let progress = NOT_STARTED;
    let isOurs = false;
    for await (const event of api.events(seq)) {
      if (event.type === "decision.made" && event.decision === "nobody_to_ask" && sameCaller(event.caller, caller))
        denied.add(`${event.server}:${event.tool}`);
      if (event.type !== "chat.event" || event.chat !== id) continue;
      const { event: chatEvent } = event;
      if (chatEvent.type === "closed") throw new HostError("HOST_CLOSED", {});
      if (chatEvent.type === "inputs.removed" && chatEvent.inputs.includes(sent.id)) return toReport(NOT_STARTED);
      // A chat that is open elsewhere may run another turn first. A turn that can't begin has no `turn.started`.
      if (chatEvent.type === "turn.started" || chatEvent.type === "turn.finished") isOurs = chatEvent.input === sent.id;
      if (!isOurs) continue;
      progress = applyTurnEvent(progress, chatEvent);
      onEvent(chatEvent);
      if (chatEvent.type === "step.started" && chatEvent.step === 1) await onServersKnown();
      if (progress.isFinished) return toReport(progress);
    }
    throw new HostError("HOST_UNREACHABLE", { reason: "it has ended" });
  } finally {
    interrupted.removeEventListener("abort", cancel);
    stream.off("error", cancel);
    denied.forEach(onDenied);
  }
}
