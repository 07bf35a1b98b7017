/** Shows, creates and revokes the tokens of gateway clients. */
import { flag, options, text } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";

export interface TokenOperations {
  tokens(): Promise<TokenInfo[]>;
  /** Returns the token, which can't be read again. */
  createToken(name: string, options?: CreateTokenOptions): Promise<string>;
  revokeToken(name: string): Promise<void>;
}

/** How the methods are called from another process. */
export const TOKEN_OPERATIONS: OperationTable<TokenOperations> = {
  tokens: { right: "manage", params: [] },
  createToken: { right: "manage", params: [text, options({ profile: text, mayApprove: flag })] },
  revokeToken: { right: "manage", params: [text] },
};

export interface TokenInfo {
  readonly name: string;
  readonly createdAt: number;
  readonly profile?: string;
  readonly mayApprove: boolean;
}

export interface CreateTokenOptions {
  readonly profile?: string;
  readonly mayApprove?: boolean;
}
