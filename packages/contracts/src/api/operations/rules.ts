/** Shows and changes permission rules. */
import { oneOf, optional, options, text } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { ConfigSource } from "../workspace/server-entry.ts";

export interface RuleOperations {
  /** Returns the permission rules of all files: all of them, or those that may apply to a server or a tool. */
  rules(filter?: RuleFilter): Promise<PermissionRule[]>;
  /** Sets the effect of a rule in the user's file. Without an effect, removes the rule. */
  setRule(rule: string, effect?: RuleEffect): Promise<void>;
}

/** How the methods are called from another process. */
export const RULE_OPERATIONS: OperationTable<RuleOperations> = {
  rules: { right: "manage", params: [options({ server: text, tool: text })] },
  setRule: { right: "manage", params: [text, optional(oneOf("allow", "ask", "deny"))] },
};

export type RuleEffect = "allow" | "ask" | "deny";

export interface PermissionRule {
  readonly effect: RuleEffect;
  readonly rule: string;
  readonly source: ConfigSource;
  readonly file: string;
}

/**
 * Selects rules whose patterns match the server and the tool. Their conditions on arguments may not match a call. The rules
 * of one tool are sorted: the first one that matches a call decides.
 */
export interface RuleFilter {
  readonly server?: string;
  readonly tool?: string;
}
