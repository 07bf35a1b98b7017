/** Asks a person whether a tool may be called, and applies the answer. */
import { cancelled, findAnswer, HostError, toHostError } from "@plugboard/contracts";
import type { Caller, HostEventData, JsonObject, PermissionAnswer, Settlement, Tool } from "@plugboard/contracts";
import type { QuestionDraft, QuestionInbox } from "../inbox/question-inbox.ts";
import { diffTools } from "../lib/json-diff.ts";
import type { DecisionKey, DecisionStore, ToolPins } from "./decision-store.ts";

export interface PermissionRequest {
  /** The id of the call. */
  readonly call: string;
  readonly caller: Caller;
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly definition: Tool;
  /** The key under which the answer is stored. A `session` answer is valid for the session of `key.caller`. */
  readonly key: DecisionKey & { readonly caller: Caller };
  /** The pins of all tools that the server has when the question is asked. */
  readonly serverPins: ToolPins;
  /** Whether the question goes to the user of the caller, or to a user who watches the inbox. */
  readonly asks: "caller" | "watchers";
  /** The definition that was allowed before the tool changed. */
  readonly previouslyApproved: Tool | undefined;
  /** Shows what the call would do. */
  readonly preview?: string;
  readonly signal: AbortSignal | undefined;
  /** Aborts when the call's workspace is released. The reason is the error of the call. */
  readonly released: AbortSignal;
}

export interface AskPermissionPorts {
  readonly inbox: QuestionInbox;
  readonly decisions: DecisionStore;
  readonly emit: (event: HostEventData) => void;
}

/** The reasons for which a call is denied without an answer. */
const DENIED_BY_DEFAULT: ReadonlyMap<Settlement["by"], string> = new Map([
  ["deadline", "nobody answered in time"],
  ["limit", "too many questions are waiting for an answer"],
]);

/** Resolves if the call is allowed. Throws TOOL_DENIED or NOBODY_TO_ASK if it is not. */
export async function askPermission(request: PermissionRequest, ports: AskPermissionPorts): Promise<void> {
  const { server, tool, signal, released } = request;
  const settlement = await waitForAnswer(request, ports);
  if (released.aborted) throw released.reason as HostError;
  if (signal?.aborted) throw cancelled();
  if (settlement === "allowed meanwhile") return emitDecision(request, ports, "allow", "stored");
  if (settlement === "unwatched") throw nobodyToAsk(request, ports, { inbox: true });
  if (settlement.by !== "answered" || settlement.answer.type !== "permission") {
    const cause = DENIED_BY_DEFAULT.get(settlement.by);
    if (cause === undefined) throw dismissedPermission(request, ports);
    emitDecision(request, ports, settlement.by === "deadline" ? "deadline" : "deny", "default");
    throw new HostError("TOOL_DENIED", { server, tool, by: `default, because ${cause}` });
  }
  await applyAnswer(settlement.answer, request, ports);
}

/** Stops waiting when the answer to another question allows this call too. */
async function waitForAnswer(
  request: PermissionRequest,
  { inbox, decisions }: AskPermissionPorts,
): Promise<Settlement | "allowed meanwhile" | "unwatched"> {
  const { key, signal, released, asks, caller } = request;
  const allowed = new AbortController();
  const withdrawn = AbortSignal.any([released, allowed.signal, ...(signal ? [signal] : [])]);
  const stopListening = decisions.onRemembered(() => {
    if (decisions.find(key) === "allow") allowed.abort();
  });
  try {
    const question = permissionQuestion(request);
    const settlement = await (asks === "caller"
      ? inbox.ask(question, withdrawn)
      : inbox.askWatchers({ ...question, requestedBy: caller }, withdrawn));
    if (settlement === "unwatched" || settlement.by !== "withdrawn" || !allowed.signal.aborted) return settlement;
    return "allowed meanwhile";
  } finally {
    stopListening();
  }
}

/** Stores the answer if it allows more than one call. Throws TOOL_DENIED if it denies the call. */
export async function applyAnswer(
  answer: PermissionAnswer,
  request: PermissionRequest,
  ports: AskPermissionPorts,
): Promise<void> {
  const { server, tool, definition, key } = request;
  const { decision } = answer;
  if (answer.decision === "no") {
    const { reason } = answer;
    emitDecision(request, ports, "no", "user");
    throw new HostError("TOOL_DENIED", { server, tool, by: "the user", ...(reason !== undefined && { reason }) });
  }
  const { grant } = findAnswer(answer)?.[1] ?? {};
  if (!grant) return emitDecision(request, ports, decision, "user");
  try {
    await ports.decisions.remember(grant, key, definition, request.serverPins);
    emitDecision(request, ports, decision, "user");
  } catch (thrown) {
    // The person has allowed the call. A failed write must not stop it.
    await ports.decisions.remember({ ...grant, lasts: "session" }, key, definition, request.serverPins);
    emitDecision(request, ports, decision, "user", toHostError(thrown));
  }
}

/** Returns the error of a call that needs a permission, if nobody can be asked for it. */
export function nobodyToAsk(
  request: PermissionRequest,
  ports: AskPermissionPorts,
  details: { readonly inbox?: true } = {},
): HostError {
  const { caller, server, tool, key } = request;
  const { rule } = key;
  emitDecision(request, ports, "nobody_to_ask", rule === undefined ? "default" : "rule");
  // The error explains these two kinds of callers in words of their own.
  const channel = caller.kind === "api" && ({ channel: true } as const);
  const chat = caller.kind === "chat" && ({ chat: true } as const);
  const reason = { ...(rule !== undefined && { rule }), ...channel, ...chat, ...details };
  return new HostError("NOBODY_TO_ASK", { server, tool, ...reason });
}

export function dismissedPermission(request: PermissionRequest, ports: AskPermissionPorts): HostError {
  const { server, tool } = request;
  emitDecision(request, ports, "dismissed", "user");
  return new HostError("TOOL_DENIED", { server, tool, by: "the user, who dismissed the question" });
}

/** Returns the error of a call if the answer came with a token that may not approve calls. */
export function unapprovedPermission(request: PermissionRequest, ports: AskPermissionPorts): HostError {
  const { server, tool } = request;
  emitDecision(request, ports, "deny", "default");
  const by = "default, because the answer came with a token that may not approve calls";
  return new HostError("TOOL_DENIED", { server, tool, by });
}

/** The maximum length of a tool's description in a question. Most model providers also get at most this length. */
const MAX_DESCRIPTION = 10_000;
const MAX_PREVIEW = 100_000;

function permissionQuestion(request: PermissionRequest): Extract<QuestionDraft, { type: "permission" }> {
  const { call, caller: owner, server, tool, arguments: args, definition, key, previouslyApproved, preview } = request;
  const { description } = definition;
  return {
    type: "permission",
    call,
    owner,
    server,
    tool,
    arguments: args,
    ...(key.rule !== undefined && { rule: key.rule }),
    pin: key.pin,
    ...(description !== undefined && { description: truncate(description, MAX_DESCRIPTION) }),
    ...(preview !== undefined && { preview: truncate(preview, MAX_PREVIEW) }),
    ...(previouslyApproved && { changes: diffTools(previouslyApproved, definition) }),
  };
}

function truncate(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… (${text.length - limit} characters more)`;
}

type DecisionEvent = Extract<HostEventData, { type: "decision.made" }>;

export function emitDecision(
  { call, caller, server, tool }: Pick<PermissionRequest, "call" | "caller" | "server" | "tool">,
  { emit }: Pick<AskPermissionPorts, "emit">,
  decision: DecisionEvent["decision"],
  by: DecisionEvent["by"],
  error?: HostError,
): void {
  emit({ type: "decision.made", call, caller, server, tool, decision, by, ...(error && { error: error.toJSON() }) });
}
