/**
 * Encrypts logins or secrets for their file. The key id and the file version are authenticated too, so that a change of
 * them in the file is noticed.
 */
import { randomBytes } from "node:crypto";
import { isJsonObject } from "@plugboard/contracts";
import { decryptAesGcm, encryptAesGcm, newAesKey } from "@plugboard/store";

/** The entries of a file by name. Some may be invalid, because users edit the file. */
export type VaultEntries = { readonly [name: string]: object };

export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Buffer;
}

export function newEncryptionKey(): EncryptionKey {
  return { id: randomBytes(8).toString("hex"), secret: newAesKey() };
}

/** Returns the encrypted entries as base64. */
export function encryptEntries(entries: VaultEntries, key: EncryptionKey, version: number): string {
  return encryptAesGcm(JSON.stringify(entries), key.secret, authenticatedData(key, version)).toString("base64");
}

/** Returns undefined if the text is damaged, or was encrypted with another key or for another version. */
export function decryptEntries(encrypted: string, key: EncryptionKey, version: number): VaultEntries | undefined {
  const text = decryptAesGcm(Buffer.from(encrypted, "base64"), key.secret, authenticatedData(key, version));
  const entries: unknown = text === undefined ? undefined : JSON.parse(text);
  return isVaultEntries(entries) ? entries : undefined;
}

export function isVaultEntries(value: unknown): value is VaultEntries {
  return isJsonObject(value) && Object.values(value).every((entry) => isJsonObject(entry));
}

function authenticatedData({ id }: EncryptionKey, version: number): string {
  return JSON.stringify({ version, key_id: id });
}
