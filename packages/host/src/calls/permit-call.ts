/**
 * Decides whether a call runs: by the rules, by an earlier answer of a person, or by asking a person. The only place
 * that permits a call.
 */
import { HostError, toAbortSignal } from "@plugboard/contracts";
import type { JsonObject, Tool } from "@plugboard/contracts";
import type { AskAnswer, Resumed } from "@plugboard/mcp";
import { askPermission, emitDecision, nobodyToAsk } from "../policy/ask-permission.ts";
import type { AskPermissionPorts, PermissionRequest } from "../policy/ask-permission.ts";
import { decide, isReadOnly } from "../policy/decide.ts";
import type { CallToDecide, Verdict } from "../policy/decide.ts";
import { isRefusal, PendingPermission, permissionSubject } from "../policy/pending-permission.ts";
import type { Policy } from "../policy/policy.ts";
import type { NativeTool } from "../tools/native-tool.ts";
import type { ResolvedTool } from "../tools/resolved-tool.ts";
import type { AskUserPorts } from "./ask-user.ts";
import type { Call } from "./call.ts";
import { callSubject } from "./call-subject.ts";
import { checkArguments } from "./check-call.ts";
import type { CheckPorts } from "./check-call.ts";

export interface PermitPorts extends AskPermissionPorts, CheckPorts, Pick<AskUserPorts, "attended"> {
  /** Computes the pin of a tool: the hash of its definition, to which an approval is bound. */
  readonly pinOf: (tool: Tool) => string;
}

/**
 * Who answers a permission question: the user of the caller through the inbox, the caller itself through the outcome of
 * its call, a user who watches the inbox, or nobody.
 */
type Approver = "caller" | "outcome" | "watchers" | "nobody";

/**
 * Returns undefined if the call may run at once, otherwise a promise that resolves when a person has allowed it. Sets
 * `call.permission` if the caller itself has to give the permission. Throws or rejects if the call may not run.
 *
 * A call is permitted once for each definition of its tool. Before the server has listed the tool, only denials apply.
 * `check` runs after the rules, so that a denied caller learns nothing about its arguments. It runs before a question,
 * so that nobody is asked about a call that can't run.
 */
export function permit(
  call: Call,
  tool: ResolvedTool | undefined,
  ports: PermitPorts,
  check = checkArguments,
): Promise<void> | undefined {
  const definition = tool?.definition;
  if (!isSameDefinition(call, tool, ports)) {
    call.isPermitted = false;
    call.isChecked = false;
    call.effectiveArguments = definition ? ports.checks.effectiveArguments(definition, call.arguments) : call.arguments;
  }
  call.definition = definition;
  if (call.isPermitted) return undefined;
  const native = tool?.native;
  if (native?.resolvePaths) return permitResolved(call, native, ports, check);
  return permitByRules(call, native, toDecide(call, native), ports, check);
}

/** Compares hashes of the definitions (pins), because each listing of a server makes new objects. */
export function isSameDefinition(
  { definition: before }: Call,
  tool: ResolvedTool | undefined,
  { pinOf }: PermitPorts,
): boolean {
  const after = tool?.definition;
  return before === after || (before !== undefined && after !== undefined && pinOf(before) === pinOf(after));
}

/** Resolves the paths in the arguments of a native tool first, because rules apply to the resolved paths. */
async function permitResolved(
  call: Call,
  native: NativeTool,
  ports: PermitPorts,
  check: typeof checkArguments,
): Promise<void> {
  const args = { ...native.defaultArguments, ...call.effectiveArguments };
  const resolvedArguments = await native.resolvePaths!(args);
  await permitByRules(call, native, { ...toDecide(call, native), arguments: args, resolvedArguments }, ports, check);
}

function toDecide(call: Call, native: NativeTool | undefined): CallToDecide & { readonly arguments: JsonObject } {
  const { server, tool, effectiveArguments, request, impliesPermission, trustsAnnotations, definition } = call;
  return {
    server,
    tool,
    arguments: effectiveArguments,
    request,
    impliesPermission,
    readOnly: isReadOnly(trustsAnnotations, definition?.annotations),
    native: native !== undefined && native.asks !== true,
  };
}

function permitByRules(
  call: Call,
  native: NativeTool | undefined,
  request: CallToDecide & { readonly arguments: JsonObject },
  ports: PermitPorts,
  check: typeof checkArguments,
): Promise<void> | undefined {
  const { definition, server, tool, caller, session = caller } = call;
  const policy = policyFor(call);
  const verdict = decide(policy, request);
  if (verdict.effect === "deny") throw denied(call, verdict, ports);
  if (!definition) return allow(call);
  const { resumed } = call;
  if (resumed?.call !== undefined && !resumed.permission) return allowContinued(call, resumed);
  if (verdict.effect === "allow" && !resumed?.permission) return allow(call);
  const subject = call.request ? { server: call.request.server, tool: call.request.method } : { server, tool };
  const pin = ports.pinOf(definition);
  const key = { caller: session, ...subject, definition: call.definitionHash, pin, rule: verdict.rule?.text };
  const previous = ports.decisions.find(key);
  const answer = resumed?.permission && takeAnswer(call, resumed, permissionSubject(key));
  if (!answer && (verdict.effect === "allow" || previous === "allow")) return allow(call);
  const approver = approverOf(call, ports);
  const permission: PermissionRequest = {
    ...{ call: call.record.id, caller, server, tool, arguments: request.arguments, definition, key },
    serverPins: { ...call.scope.pinsOf(server), [tool]: pin },
    asks: approver === "watchers" ? "watchers" : "caller",
    previouslyApproved: previous === "allow" ? undefined : previous?.changed,
    signal: toAbortSignal(call.signal),
    released: call.scope.released,
  };
  if (approver === "nobody" && !answer) throw nobodyToAsk(permission, ports);
  // A rule that denies the call may have been added while the question was open.
  const recheck = () => {
    const current = policyFor(call);
    const late = current === policy ? undefined : decide(current, request);
    if (late?.effect === "deny") throw denied(call, late, ports);
  };
  const ask = () => {
    if (answer) return applyPermission(new PendingPermission({ request: permission, ports, recheck }), answer, call);
    if (approver !== "outcome") return askUserOf(call, native, permission, recheck, ports);
    call.permission = new PendingPermission({ request: permission, ports, recheck });
    return undefined;
  };
  return check(call, ports)?.then(ask) ?? ask();
}

/** Allows a call that another request continues. It was permitted when it began, but only for its subject. */
function allowContinued(call: Call, { subject }: Resumed): undefined {
  if (subject === callSubject(call)) return allow(call);
  throw new HostError("STATE_REFUSED", { reason: "the tool or its server has changed since it was issued" });
}

/**
 * Returns the caller's answer to the permission question of an earlier request. Returns undefined, so that the caller
 * is asked again, if there is no answer, or if the answer is about another tool, definition or rule. A denial always
 * applies. The answer is removed from `resumed`, so that the server never gets it.
 */
function takeAnswer(
  call: Call,
  { answers, subject, permission: asked }: Resumed,
  current: string,
): AskAnswer | undefined {
  call.resumed = asked?.answers && { answers: asked.answers, round: 0 };
  const { permission: answer } = answers;
  return subject === current || isRefusal(answer) ? answer : undefined;
}

async function applyPermission(permission: PendingPermission, answer: AskAnswer, call: Call): Promise<void> {
  await permission.answer(answer, call.impliesPermission);
  allow(call);
}

async function askUserOf(
  call: Call,
  native: NativeTool | undefined,
  permission: PermissionRequest,
  recheck: () => void,
  ports: PermitPorts,
): Promise<void> {
  const { caller, signal, effectiveArguments } = call;
  const askedAt = performance.now();
  try {
    const preview =
      native?.preview && ((await native.preview(effectiveArguments, { caller, signal: toAbortSignal(signal) })) ?? "");
    await askPermission(preview === undefined ? permission : { ...permission, preview }, ports);
  } finally {
    call.record.questionMs += performance.now() - askedAt;
  }
  recheck();
  allow(call);
}

function allow(call: Call): undefined {
  call.isPermitted = true;
}

function policyFor({ callerPolicy, scope }: Call): Policy {
  return callerPolicy ? callerPolicy() : scope.policy();
}

/** A gateway client has no user at this host, but a user who watches the inbox can answer for it. */
function approverOf({ caller, approvesByForm }: Call, { attended }: PermitPorts): Approver {
  if (attended(caller)) return "caller";
  if (approvesByForm) return "outcome";
  return caller.kind === "front" ? "watchers" : "nobody";
}

function denied(call: Call, { rule }: Extract<Verdict, { effect: "deny" }>, ports: PermitPorts): HostError {
  const { server, tool, caller, record } = call;
  emitDecision({ call: record.id, caller, server, tool }, ports, "deny", "rule");
  return new HostError("TOOL_DENIED", { server, tool, by: `rule ${rule.text}` });
}
