/** Makes calls without a workspace, telemetry and state files. Their user answers through the inbox. */
import { FailedCalls } from "#activity/failed-calls.js";
import { Call } from "#calls/call.js";
import type { CallScope } from "#calls/call.js";
import { CallTracker } from "#calls/call-tracker.js";
import { CallerQueue } from "#calls/caller-queue.js";
import type { CallPorts } from "#calls/run-call.js";
import { SchemaChecks } from "#calls/schemas/schema-checks.js";
import { QuestionInbox } from "#inbox/question-inbox.js";
import { DecisionStore } from "#policy/decision-store.js";
import type { Decision } from "#policy/decision-store.js";
import { pinOf } from "#tools/pins.js";
import { UnmetSchemas } from "#tools/unmet-schemas.js";
import type { Caller, JsonObject, Tool, ToolRef } from "@plugboard/contracts";
import { systemClock as clock } from "@plugboard/contracts";
import { onTestFinished } from "vitest";
import { inMemoryStoredList } from "./in-memory-stored-list.ts";
import { makeTelemetry } from "./make-telemetry.ts";

export function makeCallPorts({ queue = new CallerQueue(clock) } = {}): CallPorts {
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const emit = () => {};
  const checks = new SchemaChecks({ clock });
  onTestFinished(() => checks.close());
  const inbox = new QuestionInbox({ clock, newId, emit });
  const decisions = new DecisionStore({ stored: inMemoryStoredList<Decision>().list, newId, now: () => 0 });
  const [telemetry, failedCalls] = [makeTelemetry(), new FailedCalls()];
  const tracker = new CallTracker({ newId, monotonicNow: () => 0, emit, telemetry, failedCalls, clock });
  return {
    inbox,
    emit,
    attended: () => true,
    decisions,
    queue,
    pinOf,
    checks,
    unmetSchemas: new UnmetSchemas(),
    tracker,
  };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Makes a call that is not resolved yet: only its reference is known. */
export function makeCall(ref: ToolRef, args: JsonObject, caller: Caller, fields: Partial<Mutable<Call>> = {}): Call {
  return Object.assign(new Call(ref, args, caller), fields);
}

interface CalledTool extends Pick<CallScope, "policy"> {
  /** Returns the definition of the tool as it is now. */
  readonly definition: () => Tool | undefined;
  readonly released?: AbortSignal;
}

/** Makes a call of `server:tool` in a workspace that knows only this tool. */
export function makeResolvedCall(
  { server, tool }: { readonly server: string; readonly tool: string },
  args: JsonObject,
  caller: Caller,
  { definition, policy, released = new AbortController().signal }: CalledTool,
  fields: Partial<Mutable<Call>> = {},
): Call {
  const call = makeCall({ server, tool }, args, caller, { server, tool, definitionHash: "d", ...fields });
  call.timeoutMs = call.maxMs = 60_000;
  call.scope = {
    released,
    policy,
    resolve: () => undefined,
    find: () => {
      const found = definition();
      return found && { server, tool, definition: found };
    },
    pinsOf: () => ({}),
    askForLogin: () => Promise.resolve(false),
  };
  return call;
}
