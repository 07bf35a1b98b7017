/**
 * The lines of the journal: one JSON object each, with snake_case keys as all state files have. A line says caller, server,
 * tool, outcome and times. It never includes arguments, results, messages or answers, because they may contain secrets.
 */
import { clientNameOf, isJsonObject } from "@plugboard/contracts";
import type { ActivityEntry, Caller, HostEvent, Settlement } from "@plugboard/contracts";
import { toCamelKeys } from "../lib/key-case.ts";

const ENTRY_TYPES: ReadonlySet<unknown> = new Set<ActivityEntry["type"]>([
  "call",
  "decision",
  "server",
  "config",
  "lost",
]);

/** Returns the line of an event, with its line break. Returns undefined for an event that is not recorded. */
export function journalLine(event: HostEvent): string | undefined {
  if (event.type === "call.ended") return callLine(event);
  const entry = otherEntry(event);
  return entry && `${JSON.stringify(entry)}\n`;
}

/** Returns the line about entries that were dropped. */
export function lossLine(at: number, entries: number): string {
  const entry: ActivityEntry = { type: "lost", at, entries };
  return `${JSON.stringify(entry)}\n`;
}

/** Returns undefined for an incomplete line, and for an entry of unknown type. */
export function parseJournalLine(line: string): ActivityEntry | undefined {
  if (line === "") return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    const isValid = isJsonObject(entry) && ENTRY_TYPES.has(entry["type"]) && typeof entry["at"] === "number";
    return isValid ? (toCamelKeys(entry) as unknown as ActivityEntry) : undefined;
  } catch {
    // The process was killed or the disk was full during the write.
    return undefined;
  }
}

/** Only the entries of calls have keys of several words. */
function otherEntry(event: HostEvent): Exclude<ActivityEntry, { type: "call" }> | undefined {
  const { at } = event;
  switch (event.type) {
    case "question.settled": {
      const { question } = event;
      const { type: about, server } = question;
      const call = "call" in question ? question.call : undefined;
      const tool = "tool" in question ? question.tool : undefined;
      return {
        type: "decision",
        at,
        about,
        ...(call !== undefined && { call }),
        server,
        ...(tool !== undefined && { tool: truncateName(tool) }),
        decision: decisionOf(event.settlement),
      };
    }
    case "decision.dropped": {
      const { server, tool } = event;
      return { type: "decision", at, about: "permission", server, tool: truncateName(tool), decision: "dropped" };
    }
    case "server.changed": {
      const { server, state, error } = event;
      return { type: "server", at, server, state, ...(error && { code: error.code }) };
    }
    case "config.changed": {
      const { added, removed, changed } = event;
      return { type: "config", at, added, removed, changed };
    }
    default:
      return undefined;
  }
}

/**
 * Writes the text itself, with the keys of `CallEntry`: calls are frequent, and an object for `JSON.stringify` takes three
 * times as long.
 */
function callLine(event: Extract<HostEvent, { type: "call.ended" }>): string {
  const { at, call, durationMs, queueMs, questionMs, retryMs, isError, code, argumentBytes, resultBytes } = event;
  let line = `{"type":"call","at":${at},"call":${JSON.stringify(call)}${namesOf(event)}${toMicroseconds(durationMs)}`;
  if (queueMs !== undefined) line += `,"queue_ms":${toMicroseconds(queueMs)}`;
  if (questionMs !== undefined) line += `,"question_ms":${toMicroseconds(questionMs)}`;
  if (retryMs !== undefined) line += `,"retry_ms":${toMicroseconds(retryMs)}`;
  if (isError) line += `,"is_error":true`;
  if (code) line += `,"code":"${code}"`;
  if (argumentBytes !== undefined) line += `,"argument_bytes":${argumentBytes}`;
  return resultBytes === undefined ? `${line}}\n` : `${line},"result_bytes":${resultBytes}}\n`;
}

/** The names of the call before, because most calls are like the one before. */
let last:
  | { readonly caller: Caller; readonly server: string; readonly tool: string; readonly outcome: string }
  | undefined;
let lastNames = "";

/** Returns the part of the line that names caller, tool and outcome, up to the duration. */
function namesOf({ caller, server, tool, outcome }: Extract<HostEvent, { type: "call.ended" }>): string {
  if (last?.tool === tool && last.server === server && last.caller === caller && last.outcome === outcome)
    return lastNames;
  const client = clientNameOf(caller);
  const names = JSON.stringify({
    caller: caller.kind,
    ...(client !== undefined && { client: truncateName(client) }),
    server,
    tool: truncateName(tool),
    outcome,
  });
  last = { caller, server, tool, outcome };
  lastNames = `,${names.slice(1, -1)},"duration_ms":`;
  return lastNames;
}

/** Rounds milliseconds to microseconds. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function decisionOf(settlement: Settlement): string {
  if (settlement.by !== "answered") return settlement.by;
  const { answer } = settlement;
  return "decision" in answer ? answer.decision : answer.action;
}

const MAX_NAME_LENGTH = 200;

/** Limits the length, because a server chooses the names of its tools. */
export function truncateName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}
