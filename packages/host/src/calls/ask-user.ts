/**
 * Passes a question that a server asks during a request to the person who made the request, and returns the answer.
 * Answers `cancel` if nobody can answer.
 */
import { sameCaller } from "@plugboard/contracts";
import type { Caller, HostEventData, Progress, QuestionOwner, Root, Settlement } from "@plugboard/contracts";
import type {
  Ask,
  AskAnswer,
  CallContext,
  CallInFlight,
  ElicitationSupport,
  OnUnattributedRequest,
  SamplingSupport,
} from "@plugboard/mcp";
import { SAMPLING_UNSUPPORTED } from "@plugboard/mcp";
import type { QuestionInbox, QuestionSubject } from "../inbox/question-inbox.ts";
import type { Sampling } from "./sampling.ts";

export interface AskUserPorts {
  readonly inbox: QuestionInbox;
  readonly emit: (event: HostEventData) => void;
  /** Returns whether a person can answer for the caller. */
  readonly attended: (caller: Caller) => boolean;
  /** Undefined if no caller of the host has a model to share. */
  readonly sampling?: Sampling | undefined;
}

/** The part of a request's context that decides which connection the request uses. */
export interface ClientContext extends Pick<RequestContext, "caller" | "client" | "listRoots"> {
  /** True if an unshared server keeps the roots that it has, and the client is not asked for its roots again. */
  readonly keepsRoots?: boolean | undefined;
}

/** The caller of a request that is no tool call, what this caller can answer, and how the request can be cancelled. */
export interface RequestContext {
  readonly caller: Caller;
  /** Whether the receiver of the outcome can answer elicitations. By default, whether the caller is attended. */
  readonly elicitation?: boolean | ElicitationSupport | undefined;
  /**
   * How the receiver of the outcome answers sampling requests with its own model. By default the host samples for the
   * caller, if it can and if the definition of the server allows it.
   */
  readonly sampling?: SamplingSupport | undefined;
  /**
   * The session that the caller belongs to. An answer "for this session" is valid for it. By default the caller itself.
   */
  readonly session?: Caller | undefined;
  /**
   * Identifies the client that makes the request, among the clients that share a server. By default the caller's id.
   */
  readonly client?: string | undefined;
  /** Asks the client for its roots, for a server that no other client uses. */
  readonly listRoots?: ListRoots | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The parts of a gateway client's request that are passed on to the server. */
  readonly forwarded?: ForwardedContext | undefined;
}

/** Returns the roots of a gateway client, or undefined if it does not answer. */
export type ListRoots = () => Promise<readonly Root[] | undefined>;

type ForwardedContext = Pick<CallContext, "meta" | "roots" | "extensions" | "logLevel" | "onLog">;

/**
 * Returns whether a server may ask questions during a request. `supported` says which questions the receiver of the
 * outcome can answer. Questions that it can't answer go to a user who watches the inbox.
 */
export function allowedElicitation(
  caller: Caller,
  supported: RequestContext["elicitation"],
  ports: Pick<AskUserPorts, "inbox" | "attended">,
): CallContext["elicitation"] {
  return supported === undefined ? ports.attended(caller) : ports.inbox.watchers.present || supported;
}

/** `own` is the sampling of the receiver itself. `isAllowed` says whether the server's definition allows sampling. */
export function allowedSampling(
  caller: Caller,
  own: RequestContext["sampling"],
  isAllowed: boolean,
  ports: Pick<AskUserPorts, "sampling">,
): CallContext["sampling"] {
  return own ?? (isAllowed && (ports.sampling?.supportFor(caller) ?? false));
}

/**
 * Returns the function that answers the server's questions during one call. Counts the sampling requests of the call.
 * `samplingAllowed` says whether the server's definition allows them.
 */
export function askUser(
  subject: QuestionSubject,
  samplingAllowed: boolean,
  ports: AskUserPorts,
): (ask: Ask, signal: AbortSignal) => Promise<AskAnswer> {
  const { inbox, emit, attended, sampling } = ports;
  const { owner } = subject;
  const sample = samplingAllowed ? sampling?.forCall(subject) : undefined;
  return async (ask, signal) => {
    // Only gateway clients have roots, and they get such asks through the outcome of their request.
    if (ask.type === "roots") return { action: "cancel" };
    if (ask.type === "sampling" && !sample) return SAMPLING_UNSUPPORTED;
    if (owner === "workspace" ? !inbox.watchers.present : !attended(owner)) {
      const message = ask.type === "sampling" ? "It wants to sample your model." : ask.elicitation.message;
      const { server, tool } = subject;
      emit({ type: "question.unattended", owner, server, ...(tool !== undefined && { tool }), message });
      return { action: "cancel" };
    }
    if (ask.type === "elicitation") {
      const question = { type: "elicitation", elicitation: ask.elicitation, ...subject } as const;
      if (owner !== "workspace") return toAskAnswer(await inbox.ask(question, signal));
      const settlement = await inbox.askWatchers(question, signal);
      return settlement === "unwatched" ? { action: "cancel" } : toAskAnswer(settlement);
    }
    return sample!(ask.rawParams, signal);
  };
}

/** The connection on which a server's requests arrive. */
interface UnattributedSource {
  readonly server: string;
  readonly samplingAllowed?: boolean | undefined;
  readonly ownLogin?: boolean | undefined;
}

/**
 * Returns the handler for a server's requests that name no call. If calls of several callers run, a user who watches
 * the inbox is asked. Without such a user, the request waits. On a connection with the own login of a gateway principal
 * (`ownLogin`), the owner is never asked.
 */
export function handleUnattributedRequests(
  { server, samplingAllowed = false, ownLogin = false }: UnattributedSource,
  ports: AskUserPorts,
): OnUnattributedRequest {
  return (ask, inFlight, signal) => {
    const owner = questionOwner(inFlight);
    const isFront = owner !== "workspace" && owner.kind === "front";
    // A front can be asked only as part of one of its calls. Any of its calls will do.
    const call = isFront ? inFlight.findLast((one) => one.active) : undefined;
    if (call) return call;
    const isAmbiguous = owner === "workspace" && inFlight.length > 0;
    const canAskWatchers = !ownLogin && ask.type === "elicitation" && ports.inbox.watchers.present;
    if (isAmbiguous && !canAskWatchers) return undefined;
    if (ownLogin) return Promise.resolve({ action: "cancel" });
    return askUser({ owner: isFront ? "workspace" : owner, server }, samplingAllowed, ports)(ask, signal);
  };
}

/**
 * Returns the caller if all calls in flight are from one caller, otherwise the workspace. `inFlight` includes
 * cancelled calls that the server has not answered yet.
 */
export function questionOwner(inFlight: readonly CallInFlight[]): QuestionOwner {
  const [first, ...others] = inFlight;
  if (!first) return "workspace";
  return others.every((other) => sameCaller(other.caller, first.caller)) ? first.caller : "workspace";
}

/** Converts a settled question to the protocol's answer. Without a person's answer, the answer is `cancel`. */
export function toAskAnswer(settlement: Settlement): AskAnswer {
  if (settlement.by !== "answered" || settlement.answer.type !== "elicitation") return { action: "cancel" };
  const { type: _, ...answer } = settlement.answer;
  return answer;
}
