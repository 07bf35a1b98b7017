/**
 * Whether a call goes ahead: by the rules, by what a person has allowed before,
 * or by asking one. `permitNow` answers without waiting where nobody has to be
 * asked; `permit` returns if the call may run and throws if it may not.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostFact, PermissionAnswer, Settlement, Tool } from "@plugboard/contracts";
import type { Inbox } from "../inbox/inbox.ts";
import type { Decisions } from "./decisions.ts";
import type { Defaults, Verdict } from "./evaluate.ts";
import { permissionQuestion } from "./permission-question.ts";
import type { AskedPermission } from "./permission-question.ts";
import type { Policy } from "./policy.ts";

/** `definition` and `pin`: what the server says of the tool; nothing if it has not said yet. */
export interface CallToPermit extends AskedPermission {
  /** The hash of the server's own definition. */
  readonly definitionHash: string;
  readonly policy: Policy;
  readonly defaults: Defaults;
  /** Whether somebody is there to answer for the caller. */
  readonly attended: boolean;
  readonly signal: AbortSignal | undefined;
  /** Fires when the workspace it belongs to is let go. */
  readonly released: AbortSignal;
}

export interface PermitPorts {
  readonly inbox: Inbox;
  readonly decisions: Decisions;
  readonly state?: (fact: HostFact) => void;
}

/** Whether it may run without anybody being asked; if not, `permit` says why or asks. */
export function permitNow(call: CallToPermit, { decisions }: Pick<PermitPorts, "decisions">): boolean {
  const verdict = call.policy.evaluate(call, call.defaults);
  return verdict.effect === "allow" || (verdict.effect === "ask" && found(call, verdict, decisions) === "allow");
}

export async function permit(call: CallToPermit, ports: PermitPorts): Promise<void> {
  const { server, tool, signal, released } = call;
  const verdict = call.policy.evaluate(call, call.defaults);
  if (verdict.effect === "allow") return;
  const by = verdict.rule ? "rule" : "default";
  if (verdict.effect === "deny") {
    made(call, ports, "deny", by);
    throw new HostError("TOOL_DENIED", { server, tool, by: `rule ${verdict.rule?.text}` });
  }
  const before = found(call, verdict, ports.decisions);
  if (before === "allow") return;
  if (!call.attended) {
    made(call, ports, "nobody to ask", by);
    throw new HostError("NOBODY_TO_ASK", { server, tool });
  }
  const answer = await ask(call, verdict, before?.changed, ports);
  if (released.aborted) throw new HostError("HOST_CLOSED", {});
  if (signal?.aborted) throw new HostError("CANCELLED", { reason: "the caller gave up" });
  if (answer === "allowed meanwhile") return made(call, ports, "allow", "stored");
  if (answer.by !== "answered" || answer.answer.type !== "permission") {
    const late = answer.by === "deadline";
    made(call, ports, late ? "deadline" : "dismissed", late ? "default" : "user");
    const nobody = late ? "nobody's answer in time" : "the user, who dismissed the question";
    throw new HostError("TOOL_DENIED", { server, tool, by: nobody });
  }
  await obey(answer.answer, call, verdict, ports);
}

/** Also ends when the same question has been answered for longer than once in another place. */
async function ask(
  call: CallToPermit,
  verdict: Verdict,
  approved: Tool | undefined,
  { inbox, decisions }: PermitPorts,
): Promise<Settlement | "allowed meanwhile"> {
  const { signal, released } = call;
  const allowed = new AbortController();
  const over = AbortSignal.any([released, allowed.signal, ...(signal ? [signal] : [])]);
  const unwatch = decisions.watch(() => {
    if (found(call, verdict, decisions) === "allow") allowed.abort();
  });
  try {
    const settlement = await inbox.ask(permissionQuestion(call, verdict.rule, approved), over);
    return settlement.by === "withdrawn" && allowed.signal.aborted ? "allowed meanwhile" : settlement;
  } finally {
    unwatch();
  }
}

async function obey(answer: PermissionAnswer, call: CallToPermit, verdict: Verdict, ports: PermitPorts): Promise<void> {
  const { server, tool, definition } = call;
  if (answer.decision === "no") {
    made(call, ports, "no", "user");
    const { reason } = answer;
    throw new HostError("TOOL_DENIED", { server, tool, by: "the user", ...(reason !== undefined && { reason }) });
  }
  const about = keyOf(call, verdict);
  if (answer.decision === "once" || !about || !definition) {
    made(call, ports, "once", "user");
    return;
  }
  try {
    await ports.decisions.remember(answer.decision, about, definition);
    made(call, ports, answer.decision, "user");
  } catch (thrown) {
    // The person has said yes; that it could not be written down is no reason to stop the call.
    await ports.decisions.remember("session", about, definition);
    made(call, ports, answer.decision, "user", toHostError(thrown));
  }
}

function found(call: CallToPermit, verdict: Verdict, decisions: Decisions): ReturnType<Decisions["find"]> {
  const about = keyOf(call, verdict);
  return about && decisions.find(about);
}

/** Nothing for a tool that is not known yet: no decision for longer than once can be about it. */
function keyOf({ caller, server, tool, pin, definitionHash: definition }: CallToPermit, { rule }: Verdict) {
  return pin === undefined ? undefined : { caller, server, definition, tool, pin, rule: rule?.text };
}

type Made = Extract<HostFact, { type: "decision.made" }>;

function made(
  { caller, server, tool }: CallToPermit,
  { state }: PermitPorts,
  decision: Made["decision"],
  by: Made["by"],
  error?: HostError,
): void {
  state?.({ type: "decision.made", caller, server, tool, decision, by, ...(error && { error: error.toJSON() }) });
}
