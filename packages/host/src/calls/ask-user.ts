/**
 * Puts what a server asks to whoever owns the call, and brings back the answer.
 * Where nobody is there to be asked, that is stated and nothing is answered.
 */
import type { Caller, HostFact, QuestionOwner } from "@plugboard/contracts";
import type { Ask, AskAnswer } from "@plugboard/mcp";
import type { Inbox } from "../inbox/inbox.ts";
import { answerOf } from "./drive.ts";
import type { Sampling } from "./sampling.ts";

export interface AskAbout {
  readonly owner: QuestionOwner;
  readonly server: string;
  readonly tool?: string;
}

export interface AskPorts {
  readonly inbox: Inbox;
  readonly state: (fact: HostFact) => void;
  /** Whether somebody is there to answer for that caller. */
  readonly attended: (caller: Caller) => boolean;
  /** Without it no server gets anything of the model. */
  readonly sampling?: Sampling | undefined;
}

/** For one call: what its server may want of the model is counted by it. */
export function askUser(about: AskAbout, ports: AskPorts): (ask: Ask, signal: AbortSignal) => Promise<AskAnswer> {
  const { inbox, state, attended, sampling } = ports;
  const { owner } = about;
  const sample = sampling?.forCall(about);
  return async (ask, signal) => {
    if (owner !== "workspace" && !attended(owner)) {
      const message = ask.type === "sampling" ? "It wants a text of the model." : ask.elicitation.message;
      state({ type: "question.unattended", ...about, owner, message });
      return { action: "cancel" };
    }
    if (ask.type === "elicitation") {
      return answerOf(await inbox.ask({ type: "elicitation", elicitation: ask.elicitation, ...about }, signal));
    }
    return sample ? sample(ask.raw, signal) : { action: "cancel" };
  };
}
