/**
 * Decides by the rules alone whether a call may run. Pure. If the rules say `ask`, `permit-call.ts` looks up earlier
 * answers and asks a person.
 */
import type { JsonObject, ToolAnnotations } from "@plugboard/contracts";
import { matchesArguments } from "./match-arguments.ts";
import { coversWholeServer } from "./policy.ts";
import type { Policy } from "./policy.ts";
import type { Rule } from "@plugboard/config";

export interface CallToDecide {
  readonly server: string;
  readonly tool: string;
  readonly arguments?: JsonObject;
  /** The arguments with resolved paths, see `NativeTool.resolvePaths`. Undefined if the tool has no paths. */
  readonly resolvedArguments?: readonly JsonObject[] | undefined;
  /** The request that a native tool sends to a server, see `NativeTool.requestOf`. */
  readonly request?: { readonly server: string; readonly method: string } | undefined;
  /**
   * True if making the call counts as permission: a person typed the call, or approved it in a client that may approve.
   */
  readonly impliesPermission: boolean;
  /** Whether the tool changes nothing, see `isReadOnly`. */
  readonly readOnly?: boolean;
  /** True for a native tool that runs without a question, see `NativeTool.asks`. */
  readonly native?: boolean;
}

/** `rule` is the rule that decided. It is absent if no rule matched. */
export type Verdict =
  | { readonly effect: "allow" | "ask"; readonly rule?: Rule }
  | { readonly effect: "deny"; readonly rule: Rule };

/**
 * A `deny` wins. Otherwise the most specific rule decides. If two rules are equally specific,
 * `ask` wins. If no rule matches, the answer is `ask`, except for native tools that do not ask,
 * read-only tools and calls that imply permission.
 */
export function decide(policy: Policy, call: CallToDecide): Verdict {
  const { denyRule, generalRule, argumentRules } = policy.rulesFor(call);
  if (denyRule) return { effect: "deny", rule: denyRule };
  const { arguments: args = {}, resolvedArguments } = call;
  const toolRule = argumentRules.find((one) => matchesCall(one, args, resolvedArguments)) ?? generalRule;
  const rule = call.request ? ruleForRequest(policy, toolRule, call.request.server) : toolRule;
  if (rule) return { effect: rule.effect, rule };
  return call.impliesPermission || call.readOnly || call.native ? ALLOWED : ASKED;
}

/**
 * Combines the rule for a native tool with the rule for the whole server to which the tool sends a request. A `deny`
 * wins. A rule that names the tool decides before a rule for the server. Otherwise `ask` wins. But if the rule for
 * native tools also covers the server, the rule for the server decides.
 */
function ruleForRequest(policy: Policy, toolRule: Rule | undefined, server: string): Rule | undefined {
  const serverRule = policy.findServerRule(server);
  if (serverRule?.effect === "deny") return toolRule?.effect === "deny" ? toolRule : serverRule;
  if (toolRule && !coversWholeServer(toolRule)) return toolRule;
  if (!toolRule || toolRule.server.matches(server)) return serverRule;
  return serverRule?.effect === "ask" ? serverRule : toolRule;
}

/** An `allow` must match the given and the resolved arguments. For an `ask` or a `deny`, one of them is enough. */
function matchesCall(rule: Rule, given: JsonObject, resolved: CallToDecide["resolvedArguments"]): boolean {
  const matches = (args: JsonObject) => matchesArguments(rule, args);
  if (!resolved) return matches(given);
  return rule.effect === "allow" ? matches(given) && resolved.some(matches) : matches(given) || resolved.some(matches);
}

const ALLOWED: Verdict = { effect: "allow" };
const ASKED: Verdict = { effect: "ask" };

/** Returns whether a tool changes nothing. Its annotations count only if the user trusts the server's annotations. */
export function isReadOnly(trustsAnnotations: boolean, annotations: ToolAnnotations | undefined): boolean {
  return trustsAnnotations && annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}
