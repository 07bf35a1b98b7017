/**
 * Adapts the outcome of a request to the client: passes questions that the client can't be asked to a user who watches
 * the inbox, and puts the names and URIs into the result that the client knows.
 */
import { frontMessage, HostError } from "@plugboard/contracts";
import type { Caller, JsonObject } from "@plugboard/contracts";
import { answerAsks, loginInstructions } from "@plugboard/host/forwarding";
import type { Call } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Ask, AskAnswers, FrontContext, Outcome, Suspended, TaskOutcome } from "@plugboard/mcp";
import { SAMPLING_UNSUPPORTED } from "@plugboard/mcp";
import { missingCapabilities } from "./peer-failure.ts";

export interface Adaptation {
  readonly ctx: FrontContext;
  readonly workspace: OpenWorkspace;
  /** The server of the request, and the tool if it is a call. */
  readonly server: string;
  readonly tool?: string;
  readonly call?: Call;
  readonly caller: Caller;
  readonly adaptResult: (result: JsonObject) => JsonObject | Promise<JsonObject>;
  /** Returns the task for the client. Without it, tasks are followed to their end. */
  readonly adaptTask?: ((task: JsonObject) => JsonObject | Promise<JsonObject>) | undefined;
}

/**
 * While the client supports none of the call's questions, forms and URLs go to a user who watches the inbox, and the
 * call resumes without the other answers. If the call then fails, or returns an error, a modern client gets the
 * capabilities that it lacks. Follows tasks to their end if the client can't. Turns denials and invalid arguments into
 * results that the model can read.
 */
export async function adaptOutcome(outcome: Outcome, adaptation: Adaptation): Promise<Outcome> {
  const { ctx, adaptResult, adaptTask } = adaptation;
  let unsupported: Set<string> | undefined;
  let current = outcome;
  while (current.type === "asks" || current.type === "task") {
    if (current.type === "task") {
      if (ctx.tasks && adaptTask) return handOver(current, await adaptTask(current.task));
      current = await current.follow({ signal: ctx.signal });
      continue;
    }
    const suspended = current;
    const passesError = suspended.rejected && ctx.revision.hasVisitErrors;
    const supported = Object.entries(suspended.asks).filter(([, ask]) => passesError || isSupported(ask, ctx));
    if (supported.length > 0 || Object.keys(suspended.asks).length === 0) {
      // The client is asked in rounds, so that each is checked here.
      const { live: _, ...round } = suspended;
      return {
        ...round,
        asks: Object.fromEntries(supported),
        resume: async (answers, { signal = ctx.signal, mayApprove }) => {
          const next = await suspended.resume(answers, { signal, mayApprove });
          return adaptOutcome(next, { ...adaptation, ctx: { ...ctx, signal } });
        },
      };
    }
    unsupported ??= new Set();
    current = await suspended.resume(await askWatchers(suspended, unsupported, adaptation), { signal: ctx.signal });
  }
  if (unsupported && unsupported.size > 0 && ctx.revision.hasCapabilityErrors) {
    const reason = reasonOf(current);
    if (reason !== undefined) return missingCapabilities(unsupported, reason);
  }
  if (current.type === "complete") {
    const adapted = adaptResult(current.result);
    // Awaiting a value would delay every result.
    return { type: "complete", result: adapted instanceof Promise ? await adapted : adapted };
  }
  const instructions = loginInstructions(current.error);
  if (instructions !== undefined) return tellToLogIn(instructions, adaptation);
  return READABLE_CODES.has(current.error.code) || isOwnLogin(current.error)
    ? errorResult(frontMessage(current.error))
    : current;
}

/** Tells a client that can't be asked how its user logs in. */
function tellToLogIn(instructions: string, { server, tool }: Adaptation): Outcome {
  if (tool !== undefined) return errorResult(instructions);
  return { type: "failed", error: new HostError("AUTH_REQUIRED", { server, reason: instructions, own: true }) };
}

/** Returns why the server could not go on. Returns undefined if it could: many servers do without a model. */
function reasonOf(end: Extract<Outcome, { type: "complete" | "failed" }>): string | undefined {
  if (end.type === "failed") return end.error.peer?.message;
  return end.result["isError"] === true ? "the tool returned an error without it" : undefined;
}

/** Adds the types of questions that have no answer to `unsupported`. */
function askWatchers(
  suspended: Suspended,
  unsupported: Set<string>,
  { workspace, server, tool, call, caller: requestedBy, ctx }: Adaptation,
): Promise<AskAnswers> {
  return answerAsks(suspended, {
    signal: ctx.signal,
    takes: (ask) => !isSupported(ask, ctx),
    ask: async (ask, signal) => {
      if (ask.type === "elicitation") {
        return workspace.forwarding.askWatchers(ask, { server, tool, call: call?.record.id, requestedBy }, signal);
      }
      // Sampling and roots can't be cancelled: the call goes on without these answers.
      unsupported.add(ask.type);
      return ask.type === "sampling" ? SAMPLING_UNSUPPORTED : { action: "cancel" };
    },
  });
}

function handOver(outcome: TaskOutcome, task: JsonObject): Outcome {
  outcome.handOver?.();
  return {
    type: "task",
    task,
    follow: (ctx) => outcome.follow(ctx),
    cancel: () => outcome.cancel(),
  };
}

function isSupported(ask: Ask, { elicitation, sampling, roots = false }: FrontContext): boolean {
  switch (ask.type) {
    case "elicitation":
      return elicitation[ask.elicitation.mode];
    case "roots":
      return roots;
    case "sampling": {
      const { tools, toolChoice } = ask.rawParams;
      const needsTools = tools !== undefined || toolChoice !== undefined;
      return needsTools ? sampling === "with-tools" : sampling !== false;
    }
  }
}

/** Returns true if the client's own user has to log in again. */
function isOwnLogin({ code, details }: HostError): boolean {
  return (code === "AUTH_REQUIRED" || code === "LOGIN_FAILED") && "own" in details;
}

/** Errors that the model can do something about. */
const READABLE_CODES: ReadonlySet<string> = new Set(["TOOL_DENIED", "NOBODY_TO_ASK", "INVALID_ARGUMENTS"]);

function errorResult(text: string): Outcome {
  return { type: "complete", result: { content: [{ type: "text", text }], isError: true } };
}
