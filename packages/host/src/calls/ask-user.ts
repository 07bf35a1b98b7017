/**
 * Puts what a server asks to whoever owns the call, and brings back the answer.
 * Where nobody is there to be asked, that is stated and nothing is answered.
 */
import type { Caller, HostEventData, QuestionOwner } from "@plugboard/contracts";
import type { Ask, AskAnswer } from "@plugboard/mcp";
import type { QuestionInbox } from "../inbox/question-inbox.ts";
import { toAskAnswer } from "./run-to-completion.ts";
import type { Sampling } from "./sampling.ts";

export interface QuestionSubject {
  readonly owner: QuestionOwner;
  readonly server: string;
  readonly tool?: string;
}

export interface AskUserPorts {
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  /** Whether somebody is there to answer for that caller. */
  readonly attended: (caller: Caller) => boolean;
  /** Without it no server gets anything of the model. */
  readonly sampling?: Sampling | undefined;
}

/** For one call: what its server may want of the model is counted by it. */
export function askUser(
  subject: QuestionSubject,
  ports: AskUserPorts,
): (ask: Ask, signal: AbortSignal) => Promise<AskAnswer> {
  const { inbox, emit, attended, sampling } = ports;
  const { owner } = subject;
  const sample = sampling?.forCall(subject);
  return async (ask, signal) => {
    if (owner !== "workspace" && !attended(owner)) {
      const message = ask.type === "sampling" ? "It wants a text of the model." : ask.elicitation.message;
      emit({ type: "question.unattended", ...subject, owner, message });
      return { action: "cancel" };
    }
    if (ask.type === "elicitation") {
      return toAskAnswer(await inbox.ask({ type: "elicitation", elicitation: ask.elicitation, ...subject }, signal));
    }
    return sample ? sample(ask.rawParams, signal) : { action: "cancel" };
  };
}
