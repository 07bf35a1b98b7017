/**
 * Writes and parses the lines of the journal. A line is a JSON object with snake_case keys, as in all
 * state files. It has the caller, server, tool, outcome and times. It never includes arguments, results,
 * messages or answers, which may be secret.
 */
import { clientNameOf, isJsonObject } from "@plugboard/contracts";
import type { ActivityEntry, Caller, HostEvent, Settlement } from "@plugboard/contracts";
import { toCamelKeys } from "@plugboard/config";
import { LineBytes } from "./line-bytes.ts";

const ENTRY_TYPES: ReadonlySet<unknown> = new Set<ActivityEntry["type"]>([
  "call",
  "decision",
  "server",
  "config",
  "lost",
]);

const RECORDED: ReadonlySet<HostEvent["type"]> = new Set([
  "call.ended",
  "question.settled",
  "decision.dropped",
  "decision.lapsed",
  "server.changed",
] as const);

export function isRecorded(event: HostEvent): boolean {
  if (event.type !== "config.changed") return RECORDED.has(event.type);
  // The event also occurs when an invalid config file becomes valid again without a change of the servers.
  return event.added.length + event.removed.length + event.changed.length > 0;
}

/** Adds the line of a recorded event, with its line break. */
export function writeJournalLine(event: HostEvent, text: LineBytes): void {
  if (event.type === "call.ended") writeCallLine(event, text);
  else writeEntry(otherEntry(event), text);
}

/** Adds the line about entries that were dropped. */
export function writeLossLine(at: number, entries: number, text: LineBytes): void {
  writeEntry({ type: "lost", at, entries }, text);
}

/** Returns the entry that the journal has for an event. Returns undefined for an event that is not recorded. */
export function toJournalEntry(event: HostEvent): ActivityEntry | undefined {
  if (!isRecorded(event)) return undefined;
  const text = new LineBytes();
  writeJournalLine(event, text);
  return parseJournalLine(text.bytes.toString());
}

/** Returns undefined for an incomplete line, and for an entry of unknown type. */
export function parseJournalLine(line: string): ActivityEntry | undefined {
  if (line === "") return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    const camel: unknown = isJsonObject(entry) ? toCamelKeys(entry) : undefined;
    return isEntry(camel) ? camel : undefined;
  } catch {
    // The process was killed or the disk was full during the write.
    return undefined;
  }
}

function isEntry(entry: unknown): entry is ActivityEntry {
  return isJsonObject(entry) && ENTRY_TYPES.has(entry["type"]) && typeof entry["at"] === "number";
}

/** Returns the entry of an event that is not about a call. Its keys are single words, which need no conversion. */
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
    case "decision.dropped":
    case "decision.lapsed": {
      const { server, tool } = event;
      const decision = event.type === "decision.dropped" ? "dropped" : "lapsed";
      return { type: "decision", at, about: "permission", server, tool: truncateName(tool), decision };
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

function writeEntry(entry: ActivityEntry | undefined, text: LineBytes): void {
  text.text(`${JSON.stringify(entry)}\n`);
}

const LINE_START = Buffer.from('{"type":"call","at":');
const CALL = Buffer.from(',"call":');
const DURATION = Buffer.from(',"duration_ms":');
const START = Buffer.from(',"start_ms":');
const QUEUE = Buffer.from(',"queue_ms":');
const QUESTION = Buffer.from(',"question_ms":');
const RETRY = Buffer.from(',"retry_ms":');
const NOT_SENT = Buffer.from(',"not_sent":true');
const IS_ERROR = Buffer.from(',"is_error":true');
const SCHEMA_MISMATCH = Buffer.from(',"schema_mismatch":true');
const ARGUMENTS = Buffer.from(',"argument_bytes":');
const RESULT = Buffer.from(',"result_bytes":');

/**
 * Writes the JSON of a `CallEntry` byte by byte. Calls are frequent, and this takes a tenth of the time of
 * `JSON.stringify`.
 */
function writeCallLine(event: Extract<HostEvent, { type: "call.ended" }>, text: LineBytes): void {
  const { at, call, durationMs, startMs, queueMs, questionMs, retryMs, argumentBytes, resultBytes } = event;
  text.add(LINE_START);
  text.number(at);
  text.add(CALL);
  text.string(call);
  text.add(namesOf(event));
  text.add(DURATION);
  text.milliseconds(durationMs);
  if (startMs !== undefined) addMilliseconds(START, startMs, text);
  if (queueMs !== undefined) addMilliseconds(QUEUE, queueMs, text);
  if (questionMs !== undefined) addMilliseconds(QUESTION, questionMs, text);
  if (retryMs !== undefined) addMilliseconds(RETRY, retryMs, text);
  if (event.isError) text.add(IS_ERROR);
  if (event.schemaMismatch) text.add(SCHEMA_MISMATCH);
  if (event.code) text.ascii(`,"code":"${event.code}"`);
  if (event.notSent) text.add(NOT_SENT);
  if (argumentBytes !== undefined) addNumber(ARGUMENTS, argumentBytes, text);
  if (resultBytes !== undefined) addNumber(RESULT, resultBytes, text);
  text.ascii("}\n");
}

function addMilliseconds(key: Buffer, ms: number, text: LineBytes): void {
  text.add(key);
  text.milliseconds(ms);
}

function addNumber(key: Buffer, value: number, text: LineBytes): void {
  text.add(key);
  text.number(value);
}

interface CallNames {
  readonly server: string;
  readonly tool: string;
  readonly outcome: string;
  readonly bytes: Buffer;
}

/** The names in the last line of each caller. Most calls of a caller have the same names as its previous call. */
const lastNames = new WeakMap<Caller, CallNames>();

/** Returns the part of the line that names caller, tool and outcome. */
function namesOf({ caller, server, tool, outcome }: Extract<HostEvent, { type: "call.ended" }>): Buffer {
  const last = lastNames.get(caller);
  if (last?.tool === tool && last.server === server && last.outcome === outcome) return last.bytes;
  const client = clientNameOf(caller);
  const names = JSON.stringify({
    caller: caller.kind,
    ...(client !== undefined && { client: truncateName(client) }),
    server,
    tool: truncateName(tool),
    outcome,
  });
  const bytes = Buffer.from(`,${names.slice(1, -1)}`);
  lastNames.set(caller, { server, tool, outcome, bytes });
  return bytes;
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
