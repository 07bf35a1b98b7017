/** What the commands for rules, approvals, questions, secrets and tokens print with --json. */
import type {
  AddedRules,
  ConfigSource,
  PendingServer,
  PermissionRule,
  Question,
  RuleEffect,
  SecretList,
  Settlement,
  StoredDecision,
  TokenInfo,
} from "@plugboard/contracts";

type WrittenRule = Pick<PermissionRule, "effect" | "rule" | "file">;

export interface PermissionsOutput extends Pick<AddedRules, "scope" | "file" | "added"> {
  readonly effect: RuleEffect;
  /** The given rules. */
  readonly rules: readonly string[];
  /** The removed rules: the same as the new ones, but with another effect. */
  readonly replaced: readonly WrittenRule[];
}

export interface PermissionsListOutput {
  readonly rules: readonly PermissionRule[];
  /** A decision counts for every client, or for the holder of one token. Callers without a token are the owner's. */
  readonly decisions: readonly Omit<StoredDecision, "pin" | "caller">[];
}

export interface PermissionsResetOutput {
  /** The removed rules. */
  readonly rules: readonly WrittenRule[];
  /** The revoked decisions. */
  readonly decisions: readonly Pick<StoredDecision, "id" | "server" | "tool">[];
}

export interface TrustOutput {
  /** The servers that still need your approval. */
  readonly pending: readonly PendingServer[];
  /** The servers that this command has approved. */
  readonly approved: readonly string[];
  /** The servers whose approval this command has withdrawn. */
  readonly revoked: readonly string[];
  /** The named servers for which there was nothing to do. */
  readonly unchanged: readonly {
    readonly server: string;
    readonly reason: "already approved" | "needs no approval" | "not approved" | "declined";
    /** Where the server is defined, if it needs no approval. */
    readonly source?: ConfigSource;
  }[];
}

/** With --watch, one object per line: a snapshot, then each question when it is asked and when it is settled. */
export type InboxOutput =
  | {
      /** Whether a host is running. */
      readonly running: boolean;
      readonly questions: readonly Question[];
    }
  | InboxLine;

export type InboxLine =
  | { readonly type: "snapshot"; readonly questions: readonly Question[] }
  | { readonly type: "asked"; readonly question: Question }
  | { readonly type: "settled"; readonly id: string; readonly by: Settlement["by"] };

export interface InboxAnswerOutput {
  /** The whole id of the question. */
  readonly question: string;
  /** Whether the question was closed without an answer. */
  readonly dismissed: boolean;
}

export interface SecretRemoveOutput {
  readonly name: string;
  /** The ids of the servers that refer to it. */
  readonly servers: readonly string[];
}

export interface SecretSetOutput extends Omit<SecretList, "secrets"> {
  readonly name: string;
  /** The ids of the servers that refer to it. */
  readonly servers: readonly string[];
}

export interface TokenCreateOutput extends Omit<TokenInfo, "createdAt"> {
  /** The token that the client sends as a bearer token. It is not shown again. */
  readonly token: string;
}

export interface TokenListOutput {
  readonly tokens: readonly TokenInfo[];
}
