/**
 * How a request to a server ends. If the server first needs something from the user, that is an outcome too: a value
 * that can be stored, passed on and resumed, the same in both eras.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { JsonObject, PeerError, CancelSignal } from "@plugboard/contracts";
import type { Ask, AskAnswer, AskAnswers } from "./ask.ts";
import { wireMethod } from "./op.ts";
import type { Op, PortableCall } from "./op.ts";

export type Outcome =
  | { readonly type: "complete"; readonly result: JsonObject }
  | { readonly type: "failed"; readonly error: HostError }
  | TaskOutcome
  | Suspended;

export interface Suspended {
  readonly type: "asks";
  readonly asks: { readonly [key: string]: Ask };
  /** Present if the server keeps no state for the call, so that another request can continue it. */
  readonly portable?: PortableCall;
  /**
   * True if the server has rejected the call with an error that names what it needs, and no longer works on it.
   * `resume` sends the call again. Without answers, it returns the error.
   */
  readonly rejected?: true;
  /**
   * Aborts when the answers are no longer needed, because the call has ended or the server has cancelled its questions.
   * `resume` then returns the outcome of the call.
   */
  readonly obsolete: AbortSignal;
  /** Present if the server waits for each answer separately, and can ask more questions until the call resumes. */
  readonly live?: LiveAsks;
  /** Continues the call. May be called once. The timeouts of the call run again from here. */
  resume(answers: AskAnswers, ctx: ResumeContext): Promise<Outcome>;
  /** Cancels the call, and notifies the server if its era has a notification for it. */
  abandon(reason: string): void;
}

export interface LiveAsks {
  /**
   * Calls the listener for each question that the server has asked since the call was suspended. The listener returns
   * false for a question that it does not take. Such a question is part of the next outcome, like every question
   * without a listener. Returns a function that removes the listener.
   */
  onAsk(listener: (key: string, ask: Ask) => boolean): () => void;
  /** Sends one answer to the server. The call stays suspended. */
  answer(key: string, answer: AskAnswer): void;
}

/** A call that the server continues as a task. A task can be followed now, later, or after a restart. */
export interface TaskOutcome {
  readonly type: "task";
  /** The server's description of the task, including its `taskId`. */
  readonly task: JsonObject;
  /** Polls until the task has ended or asks something. */
  follow(ctx: ResumeContext): Promise<Outcome>;
  /** Asks the server to stop. The server may ignore it. */
  cancel(): Promise<void>;
  /** Called if a client of the gateway follows the task itself. */
  handOver?(): void;
}

/** Returns the `obsolete` signal of a call whose server sends nothing while the call is suspended. It never aborts. */
export function neverObsolete(): AbortSignal {
  return new AbortController().signal;
}

export interface ResumeContext {
  readonly signal?: CancelSignal | undefined;
  /** Whether the request that brought the answers may approve calls. By default false. */
  readonly mayApprove?: boolean | undefined;
}

export function failedOutcome(thrown: unknown): Outcome {
  return { type: "failed", error: toHostError(thrown) };
}

/** The outcome of a request that the server answered with a JSON-RPC error. Keeps that error as the cause. */
export function peerErrorOutcome(server: string, op: Op, error: PeerError): Outcome {
  if (op.method === "tools/call") {
    const details = { server, code: error.code, message: truncate(error.message), tool: op.params.name };
    return failedOutcome(new HostError("TOOL_EXECUTION_FAILED", details, { cause: error }));
  }
  return failedOutcome(requestFailed(server, wireMethod(op), error));
}

/** The error of a request, other than a tool call, that the server answered with a JSON-RPC error. */
export function requestFailed(server: string, method: string, error: PeerError): HostError {
  const { code, message } = error;
  return new HostError("REQUEST_FAILED", { server, method, code, message: truncate(message) }, { cause: error });
}

const MAX_MESSAGE_CHARS = 4000;

/** Shortens a long message of a server, because errors are stored and shown. The cause keeps the whole message. */
function truncate(text: string): string {
  return text.length <= MAX_MESSAGE_CHARS ? text : `${text.slice(0, MAX_MESSAGE_CHARS)}…`;
}
