/**
 * The whole way of a tool call, for every caller, in the order of its stages: resolve, permit, connect, check the arguments,
 * take a turn, send, check the result, record. Each stage sets on the call what it learns. A stage that need not wait
 * returns undefined instead of a promise. After a login, and if the tool has changed while the call waited, it begins again
 * with the permission.
 */
import { toHostError } from "@plugboard/contracts";
import type { HostError, Tool, ToolResult } from "@plugboard/contracts";
import { toAbortSignal } from "@plugboard/mcp";
import type { Connection, Outcome, ResumeContext, Suspended } from "@plugboard/mcp";
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
export async function callTool(call: Call, ports: CallPorts): Promise<ToolResult> {
  let outcome = await runCall(call, ports);
  if (outcome.type === "asks" || outcome.type === "task") {
    const { caller: owner, server, tool, record, signal, allowsSampling } = call;
    const ask = askUser({ owner, server, tool, call: record.id }, allowsSampling, ports);
    outcome = await runToCompletion(outcome, { signal, ask });
  }
  if (outcome.type === "failed") throw outcome.error;
  return call.result!;
}

/** Returns the server's questions as an outcome, for callers that pass them on themselves. Never rejects. */
export async function runCall(call: Call, ports: CallPorts): Promise<Outcome> {
  const { tracker } = ports;
  try {
    const resolving = call.scope.resolve(call);
    if (resolving) await resolving;
    tracker.start(call);
  } catch (thrown) {
    return { type: "failed", error: toHostError(thrown) };
  }
  return tracker.follow(await attempt(call, ports), call, (final) => checkResult(final, call, ports));
}

/**
 * Sends another request that names the tool, such as one of an extension. It needs the same permission as a call, and is
 * recorded like one. Never rejects.
 */
export async function runRequestAbout(call: Call, send: () => Promise<Outcome>, ports: CallPorts): Promise<Outcome> {
  const { tracker } = ports;
  // Answers that the other request brings permit nothing.
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
    // The arguments are those of the other request, and its outcome can't ask for the permission of this one.
    call.approvesByForm = false;
    await permit(call, tool, ports, () => undefined);
    call.record.isSent = true;
    outcome = await send();
  } catch (thrown) {
    outcome = { type: "failed", error: toHostError(thrown) };
  }
  return tracker.follow(outcome, call, (final) => final);
}

/** Brings the call to its server, again from the first stage if something has changed while it waited. Never rejects. */
async function attempt(call: Call, ports: CallPorts): Promise<Outcome> {
  const { connection, scope } = call;
  for (let logins = 0; ;) {
    try {
      const isReady = connection === undefined || connection.state.phase === "ready";
      const tool = scope.find(call);
      if (isReady && !tool) throw toolNotFound(call);
      // The tool may have been listed for the first time just now.
      if (connection && tool && (tool.excluded || tool.disabled)) throw toolOffError(tool);
      // A denied call must fail before it starts a server.
      const permitting = permit(call, tool, ports);
      if (permitting) await permitting;
      if (call.permission) return suspendForPermission(call.permission, call, ports);
      if (!isReady) await connect(call, connection);
      // The tool may have changed or been switched off meanwhile.
      if (permitting || !isReady) continue;
      const checking = checkArguments(call, ports);
      if (checking) await checking;
      if (!connection) return await callNative(tool!, call);
      const waiting = takeTurn(call, connection, ports);
      if (waiting) await waiting;
      const isCurrent = connection.state.phase === "ready" && isSameDefinition(call, scope.find(call), ports);
      const outcome = isCurrent ? await send(call, connection, ports) : undefined;
      if (outcome?.type === "asks") return yieldTurn(outcome, call.turn!);
      if (outcome && outcome.type !== "failed") return outcome;
      // A request that failed before it reached the server still has its turn.
      call.turn!.release();
      if (outcome?.error.code === "TOO_MANY_CALLS") call.record.isSent = false;
      if (outcome) throw outcome.error;
    } catch (thrown) {
      const error = await errorAfterLogin(toHostError(thrown), call, logins++);
      if (error) return suspendForLogin(error, call, ports);
    }
  }
}

/** Waits until the server is connected. That is no time of the server, also if it fails. */
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

/** Suspends the call until the caller has permitted it. Nothing has been sent to the server yet. */
function suspendForPermission(permission: PendingPermission, call: Call, ports: CallPorts): Suspended {
  return {
    type: "asks",
    asks: { permission: permission.ask() },
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
      return attempt(call, ports);
    },
    abandon: () => permission.abandon(),
  };
}

/** Suspends the call until the caller has logged in, if that is why it failed and the caller's client can be asked. */
function suspendForLogin(error: HostError, call: Call, ports: CallPorts): Outcome {
  const repeat = ({ signal }: ResumeContext): Promise<Outcome> => {
    call.signal = signal;
    return attempt(call, ports);
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
