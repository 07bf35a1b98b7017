/** Makes the `Calls` of a host without telemetry and state files. Its user answers through the inbox. */
import { FailedCalls } from "#activity/failed-calls.js";
import { CallTracker } from "#calls/call-tracker.js";
import { CallerQueue } from "#calls/caller-queue.js";
import { Calls } from "#calls/calls.js";
import { SchemaChecks } from "#calls/schemas/schema-checks.js";
import { QuestionInbox } from "#inbox/question-inbox.js";
import { DecisionStore } from "#policy/decision-store.js";
import type { Decision } from "#policy/decision-store.js";
import { Pins } from "#tools/pins.js";
import { systemClock as clock } from "@plugboard/mcp";
import { onTestFinished } from "vitest";
import { inMemoryStoredList } from "./in-memory-stored-list.ts";
import { makeTelemetry } from "./make-telemetry.ts";

export function makeCalls({ queue = new CallerQueue(clock) } = {}) {
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const emit = () => {};
  const checks = new SchemaChecks({ clock });
  onTestFinished(() => checks.close());
  const inbox = new QuestionInbox({ clock, newId, emit });
  const decisions = new DecisionStore({ stored: inMemoryStoredList<Decision>().list, newId, now: () => 0 });
  const [telemetry, failedCalls] = [makeTelemetry(), new FailedCalls()];
  const tracker = new CallTracker({ newId, monotonicNow: () => 0, emit, telemetry, failedCalls, clock });
  const asking = { inbox, emit, attended: () => true, decisions };
  return { inbox, calls: new Calls({ ...asking, queue, pins: new Pins(), checks, tracker }) };
}
