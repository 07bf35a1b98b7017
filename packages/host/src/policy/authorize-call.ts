/**
 * Decides whether a call runs: by the rules, by an earlier answer of a person, or by asking a person. The only place
 * that permits a call.
 */
import { HostError } from "@plugboard/contracts";
import type { Caller, Tool } from "@plugboard/contracts";
import { askPermission, emitDecision, nobodyToAsk } from "./ask-permission.ts";
import type { AskPermissionPorts, PermissionRequest } from "./ask-permission.ts";
import { decide } from "./decide.ts";
import type { CallToDecide, Verdict } from "./decide.ts";
import { PendingPermission } from "./pending-permission.ts";
import type { Policy } from "./policy.ts";

/**
 * Who answers a permission question: the user of the caller through the inbox, the caller itself through the outcome of
 * its call, a user who watches the inbox, or nobody.
 */
export type Approver = "caller" | "outcome" | "watchers" | "nobody";

export interface CallToAuthorize extends CallToDecide {
  /** The id of the call. */
  readonly call: string;
  readonly caller: Caller;
  /** The arguments that will be sent. */
  readonly arguments: NonNullable<CallToDecide["arguments"]>;
  /** The tool's definition. Undefined until the server has listed the tool. */
  readonly definition: Tool | undefined;
  /** The hash of the server's definition in the config. */
  readonly definitionHash: string;
  /** Returns the current rules. */
  readonly policy: () => Policy;
  readonly approver: Approver;
  /** Throws or rejects if the arguments are invalid, so that nobody is asked about a call that can't run. */
  readonly checkArguments?: (() => unknown) | undefined;
  /** Returns a text for the question that shows what the call would do. The call fails if it rejects. */
  readonly preview?: (() => Promise<string>) | undefined;
  /** The caller whose session an answer for the session is valid for. By default the caller. */
  readonly sessionOwner?: Caller | undefined;
  readonly signal: AbortSignal | undefined;
  /** Aborts when the call's workspace is released. The reason is the error of the call. */
  readonly released: AbortSignal;
}

export interface AuthorizePorts extends AskPermissionPorts {
  /** Computes the pin of a tool: the hash of its definition, to which an approval is bound. */
  readonly pins: { pinOf(tool: Tool): string };
}

/**
 * Returns undefined if the call may run at once, a promise that resolves when a person has allowed it, or the
 * permission that the caller itself has to give. Throws or rejects if the call may not run. A tool without a known definition is only checked for denials: authorize the call
 * again when the definition is known. The arguments are checked after the rules, so a denied caller learns nothing about them.
 */
export function authorizeCall(
  call: CallToAuthorize,
  ports: AuthorizePorts,
): Promise<PendingPermission | void> | PendingPermission | undefined {
  const {
    server,
    tool,
    definition,
    definitionHash,
    approver,
    checkArguments,
    sessionOwner: caller = call.caller,
  } = call;
  const policy = call.policy();
  const verdict = decide(policy, call);
  if (verdict.effect === "allow") return undefined;
  if (verdict.effect === "deny") throw denied(call, verdict, ports);
  if (!definition) return undefined;
  const rule = verdict.rule?.text;
  const { request: sent } = call;
  const subject = sent ? { server: sent.server, tool: sent.method } : { server, tool };
  const key = { caller, ...subject, definition: definitionHash, pin: ports.pins.pinOf(definition), rule };
  const previous = ports.decisions.find(key);
  if (previous === "allow") return undefined;
  const asks = approver === "watchers" ? "watchers" : "caller";
  const { preview: _, checkArguments: __, ...rest } = call;
  const request: PermissionRequest = { ...rest, definition, key, asks, previouslyApproved: previous?.changed };
  if (approver === "nobody") throw nobodyToAsk(request, ports);
  const recheck = () => throwIfDeniedMeanwhile(call, policy, ports);
  const ask = (): PendingPermission | Promise<void> =>
    approver === "outcome"
      ? new PendingPermission({ request, ports, recheck })
      : askWithPreview(call, request, ports).then(recheck);
  const checking = checkArguments?.();
  return checking instanceof Promise ? checking.then<PendingPermission | void>(ask) : ask();
}

async function askWithPreview(
  { preview }: CallToAuthorize,
  request: PermissionRequest,
  ports: AuthorizePorts,
): Promise<void> {
  return askPermission(preview ? { ...request, preview: await preview() } : request, ports);
}

/** Denies an allowed call if a rule that denies it was added while the question was open. */
function throwIfDeniedMeanwhile(call: CallToAuthorize, policyBefore: Policy, ports: AuthorizePorts): void {
  const policy = call.policy();
  const verdict = policy === policyBefore ? undefined : decide(policy, call);
  if (verdict?.effect === "deny") throw denied(call, verdict, ports);
}

function denied(
  call: CallToAuthorize,
  { rule }: Extract<Verdict, { effect: "deny" }>,
  ports: AuthorizePorts,
): HostError {
  const { server, tool } = call;
  emitDecision(call, ports, "deny", "rule");
  return new HostError("TOOL_DENIED", { server, tool, by: `rule ${rule.text}` });
}
