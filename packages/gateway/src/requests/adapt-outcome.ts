/**
 * Adapts the outcome of a request to the client. Passes questions that the client does not support to a user who
 * watches the inbox. Rewrites names and URIs in the result to those that the client knows.
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
 * If the client supports none of the questions, forms and URLs go to a user who watches the inbox, and the call resumes
 * without answers to the others. If the call then fails or returns an error, a modern client is told which capabilities
 * it lacks. Follows tasks to their end if the client can't. Turns denials and invalid arguments into results that the
 * model can read.
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
    // Such a client gets the server's error, which names the URLs to visit.
    const passesError = suspended.rejected && ctx.revision.hasVisitErrors;
    const supported = Object.entries(suspended.asks).filter(([, ask]) => passesError || isSupported(ask, ctx));
    if (supported.length > 0 || Object.keys(suspended.asks).length === 0) {
      // Without `live`, further questions wait for the next round, which is checked here too.
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

/** Returns the instructions for the login. Used for clients that can't be asked to visit a URL. */
function tellToLogIn(instructions: string, { server, tool }: Adaptation): Outcome {
  if (tool !== undefined) return errorResult(instructions);
  return { type: "failed", error: new HostError("AUTH_REQUIRED", { server, reason: instructions, own: true }) };
}

/** Returns why the call failed without the answers, or undefined if it succeeded. Many servers need no model. */
function reasonOf(end: Extract<Outcome, { type: "complete" | "failed" }>): string | undefined {
  if (end.type === "failed") return end.error.peer?.message;
  return end.result["isError"] === true ? "the tool returned an error without it" : undefined;
}

/** Asks the users who watch the inbox. Adds the types of questions that they can't answer to `unsupported`. */
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
