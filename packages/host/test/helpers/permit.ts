/** Asks for the permission of one call, without a workspace. */
import { CallRecord } from "#calls/call-tracker.js";
import { permit } from "#calls/permit-call.js";
import type { PermitPorts } from "#calls/permit-call.js";
import type { PendingPermission } from "#policy/pending-permission.js";
import type { Policy } from "#policy/policy.js";
import type { SchemaChecks } from "#calls/schemas/schema-checks.js";
import type { Caller, JsonObject, Tool } from "@plugboard/contracts";
import { makeResolvedCall } from "./make-calls.ts";

export interface CallToPermit {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly definition: Tool | undefined;
  readonly definitionHash: string;
  readonly policy: () => Policy;
  readonly caller: Caller;
  readonly session?: Caller;
  readonly impliesPermission: boolean;
  readonly trustsAnnotations?: boolean;
  /** Who answers: the user of the caller, the client with a later request (`outcome`), or nobody. */
  readonly approver: "caller" | "outcome" | "nobody";
  readonly signal: AbortSignal | undefined;
  readonly released: AbortSignal;
}

/** Accepts all arguments. */
const checks = { effectiveArguments: (_: Tool, args: JsonObject) => args, arguments: () => ({ ok: true }) };

/** Decides about the call. With the approver `outcome`, returns the permission that the client still has to give. */
export function permitCall(
  tested: CallToPermit,
  ports: Omit<PermitPorts, "checks" | "attended">,
): PendingPermission | Promise<void> | undefined {
  const { definition, policy, released, caller, session, signal, approver } = tested;
  const { definitionHash, impliesPermission, trustsAnnotations = false } = tested;
  const workspace = { definition: () => definition, policy, released };
  const call = makeResolvedCall(tested, tested.arguments, caller, workspace, {
    ...{ session, signal, definitionHash, impliesPermission, trustsAnnotations },
    approvesByForm: approver === "outcome",
  });
  call.record = new CallRecord("c1", 0, 0, { trace: undefined, end: () => {} });
  const attended = () => approver === "caller";
  const permitting = permit(call, call.scope.find(call), {
    ...ports,
    attended,
    checks: checks as unknown as SchemaChecks,
  });
  return call.permission ?? permitting;
}
