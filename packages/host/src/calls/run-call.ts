/**
 * The whole way of a tool call, for every caller, in the order of its stages: resolve, permit, connect, check the
 * arguments, take a turn, send, check the result, record. Each stage stores its findings in the call. A stage that need
 * not wait returns undefined instead of a promise. The call begins again with the permission after a login, and if the
 * tool has changed while the call waited.
 */
import { toHostError, toAbortSignal } from "@plugboard/contracts";
import type { HostError, Tool, ToolResult } from "@plugboard/contracts";
import type { Connection, Outcome, PortableCall, ResumeContext, Suspended } from "@plugboard/mcp";
import type { PendingPermission } from "../policy/pending-permission.ts";
import { toolOffError } from "../tools/resolved-tool.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import { askClientToLogIn } from "./ask-client-to-log-in.ts";
import { allowedElicitation, allowedSampling, askUser } from "./ask-user.ts";
import type { AskUserPorts } from "./ask-user.ts";
import type { Call } from "./call.ts";
import type { CallTracker } from "./call-tracker.ts";
import type { CallerQueue } from "./caller-queue.ts";
import { checkArguments, checkResult, toolNotFound } from "./check-call.ts";
import type { CheckResultPorts } from "./check-call.ts";
import { isSameDefinition, permit } from "./permit-call.ts";
import type { PermitPorts } from "./permit-call.ts";
import { errorAfterLogin } from "./retry-after-login.ts";
import { runNative } from "./run-native.ts";
import { runToCompletion } from "./run-to-completion.ts";
import { yieldTurn } from "./yield-turn.ts";

export interface CallPorts extends AskUserPorts, PermitPorts, CheckResultPorts {
  readonly queue: CallerQueue;
  readonly tracker: CallTracker;
}

/** Passes the server's questions to the caller and returns the final result. Throws a HostError if the call fails. */
export function callTool(call: Call, ports: CallPorts): Promise<ToolResult> {
  return travel(call, ports, toResult);
}

/** Returns the server's questions as an outcome, for callers that pass them on themselves. Never rejects. */
export function runCall(call: Call, ports: CallPorts): Promise<Outcome> {
  return travel(call, ports, record);
}

/** The last stage of a call, which converts the outcome to the value that the caller gets. */
type End<Value> = (outcome: Outcome, call: Call, ports: CallPorts) => Value | Promise<Value>;

/**
 * Brings the call to its server and back. Begins again with the permission if something has changed
 * while the call waited. One function for all stages, because each further async function costs time and
 * memory per call (bench row `host-cpu-64`).
 */
async function travel<Value>(call: Call, ports: CallPorts, end: End<Value>): Promise<Value> {
  let outcome: Outcome | undefined;
  for (let logins = 0; !outcome;) {
    try {
      // A call that goes on after a question of the host has a record, and is resolved already.
      if (!call.record) {
        const resolving = call.scope.resolve(call);
        if (resolving) await resolving;
        ports.tracker.start(call);
      }
      const { connection, scope } = call;
      const isReady = connection === undefined || connection.state.phase === "ready";
      const tool = scope.find(call);
      if (isReady && !tool) throw toolNotFound(call);
      // The tool may have been listed for the first time just now.
      if (connection && tool && (tool.excluded || tool.disabled)) throw toolOffError(tool);
      // A denied call must fail before it starts a server.
      const permitting = permit(call, tool, ports);
      if (permitting) await permitting;
      if (call.permission) {
        outcome = suspendForPermission(call.permission, call, ports);
        break;
      }
      if (!isReady) await connect(call, connection);
      // The tool may have changed or been switched off meanwhile. A permitted definition passes `permit` at once.
      if (permitting || !isReady) continue;
      const checking = checkArguments(call, ports);
      if (checking) await checking;
      if (!connection) {
        outcome = await callNative(tool!, call);
        break;
      }
      const waiting = takeTurn(call, connection, ports);
      if (waiting) await waiting;
      const isCurrent = connection.state.phase === "ready" && isSameDefinition(call, scope.find(call), ports);
      if (isCurrent) outcome = settleTurn(await send(call, connection, ports), call);
      // Otherwise the call begins again, with the permission for the tool as it is now.
      else call.turn!.release();
    } catch (thrown) {
      const error = toHostError(thrown);
      if (!call.record) return end({ type: "failed", error }, call, ports);
      const final = await errorAfterLogin(error, call, logins++);
      if (final) outcome = suspendForLogin(final, call, ports);
    }
  }
  return end(outcome, call, ports);
}

/**
 * Checks and records the end of the call, also if it comes after questions. A
 * call that was not resolved is not recorded.
 */
function record(outcome: Outcome, call: Call, ports: CallPorts): Outcome | Promise<Outcome> {
  if (!call.record) return outcome;
  return ports.tracker.follow(outcome, call, (final) => checkResult(final, call, ports));
}

/**
 * Ends `travel` for a call that goes on after a question. The `record` stage that follows the question does the rest.
 */
function asIs(outcome: Outcome): Outcome {
  return outcome;
}

function toResult(outcome: Outcome, call: Call, ports: CallPorts): ToolResult | Promise<ToolResult> {
  const recorded = record(outcome, call, ports);
  return recorded instanceof Promise
    ? recorded.then((late) => resultOf(late, call, ports))
    : resultOf(recorded, call, ports);
}

/**
 * Passes the questions of the server to the caller until there is a result. Throws or rejects if the call has failed.
 */
function resultOf(outcome: Outcome, call: Call, ports: CallPorts): ToolResult | Promise<ToolResult> {
  if (outcome.type === "failed") throw outcome.error;
  if (outcome.type === "complete") return call.result!;
  const { caller: owner, server, tool, signal, allowsSampling } = call;
  const ask = askUser({ owner, server, tool, call: call.record.id }, allowsSampling, ports);
  return runToCompletion(outcome, { signal, ask }).then((final) => resultOf(final, call, ports));
}

/**
 * Sends a request other than `tools/call` that names the tool, such as a request of an extension. It needs the same
 * permission as a call, and is recorded like a call. Never rejects.
 */
export async function runRequestAbout(call: Call, send: () => Promise<Outcome>, ports: CallPorts): Promise<Outcome> {
  const { tracker } = ports;
  // Answers that come with such a request permit nothing.
  call.resumed = undefined;
  try {
    await call.scope.resolve(call);
  } catch (thrown) {
    return { type: "failed", error: toHostError(thrown) };
  }
  tracker.start(call);
  let outcome: Outcome;
  try {
    const tool = call.scope.find(call);
    if (!tool) throw toolNotFound(call);
    // The arguments are not those of a call, so they are not checked against the schema of the tool. The outcome of
    // such a request can't ask for a permission.
    call.approvesByForm = false;
    await permit(call, tool, ports, () => undefined);
    call.record.isSent = true;
    outcome = await send();
  } catch (thrown) {
    outcome = { type: "failed", error: toHostError(thrown) };
  }
  return tracker.follow(outcome, call, (final) => final);
}

/** Waits until the server is connected. This time counts as the phase `start`, also if the connection fails. */
async function connect({ signal, record }: Call, connection: Connection): Promise<void> {
  const startedAt = performance.now();
  try {
    await connection.ready(signal);
  } finally {
    record.startMs += performance.now() - startedAt;
  }
}

/** Returns undefined if it is the call's turn already. */
function takeTurn(call: Call, connection: Connection, { queue }: CallPorts): Promise<void> | undefined {
  const turn = queue.acquire(connection, call);
  if (!(turn instanceof Promise)) {
    call.turn = turn;
    return undefined;
  }
  return turn.then((late) => {
    call.turn = late;
    call.record.queueMs += late.waitedMs;
  });
}

function send(call: Call, connection: Connection, ports: CallPorts): Promise<Outcome> {
  const { tool, effectiveArguments, resumed, turn } = call;
  call.elicitation = allowedElicitation(call.caller, call.clientElicitation, ports);
  call.sampling = allowedSampling(call.caller, call.clientSampling, call.allowsSampling, ports);
  call.retryable = call.trustsAnnotations && isRetryable(call.definition!);
  call.mayAsk = turn!.mayAsk;
  call.onSettled = (succeeded) => turn!.release(succeeded);
  call.record.isSent = true;
  return connection.request(
    { method: "tools/call", params: { name: tool, arguments: effectiveArguments, resumed } },
    call,
  );
}

/** Ends the turn of a failed call, and throws its error. The turn of a call that asks is kept for its next request. */
function settleTurn(outcome: Outcome, call: Call): Outcome {
  if (outcome.type === "asks") return yieldTurn(outcome, call.turn!);
  if (outcome.type !== "failed") return outcome;
  // A request that failed before it reached the server still has its turn.
  call.turn!.release();
  if (outcome.error.code === "TOO_MANY_CALLS") call.record.isSent = false;
  throw outcome.error;
}

/** Suspends the call until the caller has permitted it. Nothing has been sent to the server yet. */
function suspendForPermission(permission: PendingPermission, call: Call, ports: CallPorts): Suspended {
  return {
    type: "asks",
    asks: { permission: permission.ask() },
    ...(call.answersLater && { portable: portablePermission(permission, call) }),
    obsolete: permission.obsolete,
    resume: async (answers, { signal, mayApprove = false }) => {
      try {
        await permission.answer(answers["permission"], mayApprove);
      } catch (thrown) {
        return { type: "failed", error: toHostError(thrown) };
      }
      call.permission = undefined;
      call.definition = permission.definition;
      call.isPermitted = true;
      call.signal = signal;
      return travel(call, ports, asIs);
    },
    abandon: () => permission.abandon(),
  };
}

/**
 * Returns the state with which `permit` can apply the answer of a later request, or ask again if the tool has changed.
 */
function portablePermission({ subject }: PendingPermission, { resumed }: Call): PortableCall {
  return { round: 0, subject, permission: resumed ? { answers: resumed.answers } : {} };
}

/** Suspends a call that failed because of a missing login, if the caller's client can be asked to log in. */
function suspendForLogin(error: HostError, call: Call, ports: CallPorts): Outcome {
  const repeat = ({ signal }: ResumeContext): Promise<Outcome> => {
    call.signal = signal;
    return travel(call, ports, asIs);
  };
  return askClientToLogIn(error, call.clientElicitation, repeat) ?? { type: "failed", error };
}

async function callNative({ native }: ResolvedTool, call: Call): Promise<Outcome> {
  if (!native) throw toolNotFound(call);
  call.record.isSent = true;
  const outcome = await runNative(native, call.effectiveArguments, {
    caller: call.caller,
    signal: toAbortSignal(call.signal),
  });
  if (outcome.type === "failed") throw outcome.error;
  return outcome;
}

function isRetryable({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true;
}
