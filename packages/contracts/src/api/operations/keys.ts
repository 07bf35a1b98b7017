/** Lists, rotates and drops the keys that encrypt what the host gives to clients and gets back. No method returns a secret. */
import { text } from "../methods/argument-checks.ts";
import type { OperationTable } from "./operation-table.ts";

export interface KeyOperations {
  /** Lists the keys, the newest first. Empty until a key is needed. */
  keys(): Promise<KeyInfo[]>;
  /** Adds a key that encrypts from now on, also in a running host, and returns its id. The older keys still decrypt. */
  rotateKey(): Promise<string>;
  /** Deletes an older key. What it has encrypted can't be decrypted any more. Throws USAGE for the key that encrypts. */
  dropKey(id: string): Promise<void>;
}

/** How the methods are called from another process. */
export const KEY_OPERATIONS: OperationTable<KeyOperations> = {
  keys: { right: "control_host", params: [] },
  rotateKey: { right: "control_host", params: [] },
  dropKey: { right: "control_host", params: [text] },
};

export interface KeyInfo {
  readonly id: string;
  readonly createdAt: number;
  /** True for the newest key. The others only decrypt. */
  readonly encrypts: boolean;
}
