/** Shows and changes permission rules, and the decisions that answers to questions have left. */
import { flag, oneOf, options, text, texts } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { ConfigSource } from "../workspace/server-entry.ts";
import type { StoredDecision } from "../workspace/workspace.ts";
import type { EditableScope } from "./servers.ts";

export interface RuleOperations {
  /** Returns the permission rules of all files. With a filter, only those that may apply to a server or a tool. */
  rules(filter?: RuleFilter): Promise<PermissionRule[]>;
  /**
   * Adds rules to a scope. Removes the same rules with another effect from it, because they would still apply. Throws
   * USAGE for an invalid rule and changes nothing then.
   */
  addRules(effect: RuleEffect, rules: readonly string[], options?: RuleScope): Promise<AddedRules>;
  /**
   * Removes rules from a scope, with any effect. Returns the removed ones. A rule that the scope does not have is
   * ignored.
   */
  removeRules(options: RemoveRulesOptions): Promise<PermissionRule[]>;
  /** Lists the decisions that are valid for longer than one call. Only a running host has decisions for a session. */
  decisions(): Promise<StoredDecision[]>;
  /** Revokes a decision, so that the user is asked again. Throws NOT_FOUND for an unknown id. */
  revokeDecision(id: string): Promise<void>;
}

const effect = oneOf("allow", "ask", "deny");
const scope = oneOf("user", "project", "local");

/** How the methods are called from another process. */
export const RULE_OPERATIONS: OperationTable<RuleOperations> = {
  rules: { right: "manage", params: [options({ server: text, tool: text })] },
  addRules: { right: "manage", params: [effect, texts, options({ scope })] },
  removeRules: { right: "manage", params: [options({ scope, rules: texts, all: flag })] },
  decisions: { right: "read_activity", params: [] },
  revokeDecision: { right: "change_accounts", params: [text] },
};

export type RuleEffect = "allow" | "ask" | "deny";

export interface PermissionRule {
  readonly effect: RuleEffect;
  readonly rule: string;
  readonly source: ConfigSource;
  readonly file: string;
}

/**
 * Selects rules whose patterns match the server and the tool. Their conditions on arguments may not match a call. The
 * rules of one tool are sorted: the first one that matches a call decides.
 */
export interface RuleFilter {
  readonly server?: string;
  readonly tool?: string;
}

export interface RuleScope {
  /** By default the user's file. A project's file can't allow. */
  readonly scope?: EditableScope;
}

export interface RemoveRulesOptions extends RuleScope {
  /** The rules as the files spell them. */
  readonly rules?: readonly string[];
  /** Removes all rules of the scope. */
  readonly all?: boolean;
}

export interface AddedRules {
  readonly scope: EditableScope;
  /** The file that the rules were added to. */
  readonly file: string;
  /** The rules that the file did not have. */
  readonly added: readonly string[];
  /** The removed rules that had another effect. */
  readonly replaced: readonly PermissionRule[];
  /** The names in the rules that may be typos. */
  readonly unknown: readonly UnknownRuleTarget[];
}

/** A server that is not configured here, or a tool that the last known catalog of a configured server does not have. */
export interface UnknownRuleTarget {
  readonly server: string;
  readonly tool?: string;
  /** The most similar name. */
  readonly suggestion?: string;
}
