/** Shows, creates and revokes the tokens of gateway clients, and shows the owner's token. */
import { flag, options, text } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";

export interface TokenOperations {
  tokens(): Promise<TokenInfo[]>;
  /** Returns the token, which can't be read again. */
  createToken(name: string, options?: CreateTokenOptions): Promise<string>;
  revokeToken(name: string): Promise<void>;
  /** Returns the owner's token. Creates it on first use. */
  ownerToken(): Promise<string>;
}

/** How the methods are called from another process. */
export const TOKEN_OPERATIONS: OperationTable<TokenOperations> = {
  tokens: { right: "manage", params: [] },
  createToken: { right: "manage", params: [text, options({ profile: text, mayApprove: flag })] },
  revokeToken: { right: "manage", params: [text] },
  ownerToken: { right: "read_secrets", params: [] },
};

export interface TokenInfo {
  readonly name: string;
  readonly createdAt: number;
  /** The only profile that the client may use. */
  readonly profile?: string;
  readonly mayApprove: boolean;
}

export interface CreateTokenOptions {
  readonly profile?: string;
  readonly mayApprove?: boolean;
}

/** Says who is asked for permission, because a call of a client is denied if nobody is there to answer. */
export const NEEDS_PERMISSION_NOTE =
  "Calls that no rule allows ask you, and are denied if nobody watches: keep `plugboard inbox --watch` or `plugboard serve` open in a terminal, or allow tools with `plugboard permissions allow <rule>`, or use a token of `plugboard token create <name> --may-approve` if the client itself asks you before its calls.";
