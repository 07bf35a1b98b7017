/** Shows and changes the secrets that server definitions refer to by name. No method returns a value. */
import { text } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";
import type { SecretList } from "../workspace/secret.ts";

export interface SecretOperations {
  /** Lists all stored secrets, and those that the configured servers refer to. */
  secrets(): Promise<SecretList>;
  /** Replaces the secret of that name. A server gets the new value when it connects the next time. */
  setSecret(name: string, value: string): Promise<void>;
  /** Throws NOT_FOUND if no secret of that name is stored. */
  removeSecret(name: string): Promise<void>;
}

/** How the methods are called from another process. */
export const SECRET_OPERATIONS: OperationTable<SecretOperations> = {
  secrets: { right: "change_accounts", params: [] },
  setSecret: { right: "change_accounts", params: [text, text] },
  removeSecret: { right: "change_accounts", params: [text] },
};
