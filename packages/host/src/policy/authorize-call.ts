/**
 * Whether a call goes ahead: by the rules, by what a person has allowed before,
 * or by asking one. `permitNow` answers without waiting where nobody has to be
 * asked; `permit` returns if the call may run and throws if it may not.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostEventData, PermissionAnswer, Settlement, Tool } from "@plugboard/contracts";
import type { QuestionInbox } from "../inbox/question-inbox.ts";
import type { DecisionStore } from "./decision-store.ts";
import type { PolicyDefaults, Evaluation } from "./evaluate.ts";
import { permissionQuestion } from "./permission-question.ts";
import type { PermissionRequest } from "./permission-question.ts";
import type { Policy } from "./policy.ts";

/** `definition` and `pin`: what the server says of the tool; nothing if it has not said yet. */
export interface CallToAuthorize extends PermissionRequest {
  /** The hash of the server's own definition. */
  readonly definitionHash: string;
  readonly policy: Policy;
  readonly defaults: PolicyDefaults;
  /** Whether somebody is there to answer for the caller. */
  readonly attended: boolean;
  readonly signal: AbortSignal | undefined;
  /** Fires when the workspace it belongs to is let go. */
  readonly released: AbortSignal;
}

export interface AuthorizePorts {
  readonly inbox: QuestionInbox;
  readonly decisions: DecisionStore;
  readonly emit: (event: HostEventData) => void;
}

/** Whether it may run without anybody being asked; if not, `permit` says why or asks. */
export function isPreauthorized(call: CallToAuthorize, { decisions }: Pick<AuthorizePorts, "decisions">): boolean {
  const evaluation = call.policy.evaluate(call, call.defaults);
  return (
    evaluation.effect === "allow" ||
    (evaluation.effect === "ask" && findDecision(call, evaluation, decisions) === "allow")
  );
}

export async function authorizeCall(call: CallToAuthorize, ports: AuthorizePorts): Promise<void> {
  const { server, tool, signal, released } = call;
  const evaluation = call.policy.evaluate(call, call.defaults);
  if (evaluation.effect === "allow") return;
  const by = evaluation.rule ? "rule" : "default";
  if (evaluation.effect === "deny") {
    emitDecision(call, ports, "deny", by);
    throw new HostError("TOOL_DENIED", { server, tool, by: `rule ${evaluation.rule?.text}` });
  }
  const previous = findDecision(call, evaluation, ports.decisions);
  if (previous === "allow") return;
  if (!call.attended) {
    emitDecision(call, ports, "nobody to ask", by);
    throw new HostError("NOBODY_TO_ASK", { server, tool });
  }
  const answer = await askPermission(call, evaluation, previous?.changed, ports);
  if (released.aborted) throw new HostError("HOST_CLOSED", {});
  if (signal?.aborted) throw new HostError("CANCELLED", { reason: "the caller gave up" });
  if (answer === "allowed meanwhile") return emitDecision(call, ports, "allow", "stored");
  if (answer.by !== "answered" || answer.answer.type !== "permission") {
    const isExpired = answer.by === "deadline";
    emitDecision(call, ports, isExpired ? "deadline" : "dismissed", isExpired ? "default" : "user");
    const denier = isExpired ? "nobody's answer in time" : "the user, who dismissed the question";
    throw new HostError("TOOL_DENIED", { server, tool, by: denier });
  }
  await applyAnswer(answer.answer, call, evaluation, ports);
}

/** Also ends when the same question has been answered for longer than once in another place. */
async function askPermission(
  call: CallToAuthorize,
  evaluation: Evaluation,
  approved: Tool | undefined,
  { inbox, decisions }: AuthorizePorts,
): Promise<Settlement | "allowed meanwhile"> {
  const { signal, released } = call;
  const allowed = new AbortController();
  const withdrawn = AbortSignal.any([released, allowed.signal, ...(signal ? [signal] : [])]);
  const unwatch = decisions.onChange(() => {
    if (findDecision(call, evaluation, decisions) === "allow") allowed.abort();
  });
  try {
    const settlement = await inbox.ask(permissionQuestion(call, evaluation.rule, approved), withdrawn);
    return settlement.by === "withdrawn" && allowed.signal.aborted ? "allowed meanwhile" : settlement;
  } finally {
    unwatch();
  }
}

async function applyAnswer(
  answer: PermissionAnswer,
  call: CallToAuthorize,
  evaluation: Evaluation,
  ports: AuthorizePorts,
): Promise<void> {
  const { server, tool, definition } = call;
  if (answer.decision === "no") {
    emitDecision(call, ports, "no", "user");
    const { reason } = answer;
    throw new HostError("TOOL_DENIED", { server, tool, by: "the user", ...(reason !== undefined && { reason }) });
  }
  const key = decisionKey(call, evaluation);
  if (answer.decision === "once" || !key || !definition) {
    emitDecision(call, ports, "once", "user");
    return;
  }
  try {
    await ports.decisions.remember(answer.decision, key, definition);
    emitDecision(call, ports, answer.decision, "user");
  } catch (thrown) {
    // The person has said yes; that it could not be written down is no reason to stop the call.
    await ports.decisions.remember("session", key, definition);
    emitDecision(call, ports, answer.decision, "user", toHostError(thrown));
  }
}

function findDecision(
  call: CallToAuthorize,
  evaluation: Evaluation,
  decisions: DecisionStore,
): ReturnType<DecisionStore["find"]> {
  const key = decisionKey(call, evaluation);
  return key && decisions.find(key);
}

/** Nothing for a tool that is not known yet: no decision for longer than once can be about it. */
function decisionKey({ caller, server, tool, pin, definitionHash: definition }: CallToAuthorize, { rule }: Evaluation) {
  return pin === undefined ? undefined : { caller, server, definition, tool, pin, rule: rule?.text };
}

type DecisionEvent = Extract<HostEventData, { type: "decision.made" }>;

function emitDecision(
  { caller, server, tool }: CallToAuthorize,
  { emit }: AuthorizePorts,
  decision: DecisionEvent["decision"],
  by: DecisionEvent["by"],
  error?: HostError,
): void {
  emit({ type: "decision.made", caller, server, tool, decision, by, ...(error && { error: error.toJSON() }) });
}
