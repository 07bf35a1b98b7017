/**
 * Encrypts logins for their file. The key id and the file version are authenticated too, so that nobody can replace
 * them unnoticed.
 */
import { randomBytes } from "node:crypto";
import { decryptAesGcm, encryptAesGcm, newAesKey } from "../../lib/aes-gcm.ts";
import { isLoginEntries } from "./login-record.ts";
import type { LoginEntries } from "./login-record.ts";

export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Buffer;
}

export function newEncryptionKey(): EncryptionKey {
  return { id: randomBytes(8).toString("hex"), secret: newAesKey() };
}

/** Returns the encrypted entries as base64. */
export function encryptLogins(entries: LoginEntries, key: EncryptionKey, version: number): string {
  return encryptAesGcm(JSON.stringify(entries), key.secret, authenticatedData(key, version)).toString("base64");
}

/** Returns undefined if the text is damaged, or was encrypted with another key or for another version. */
export function decryptLogins(encrypted: string, key: EncryptionKey, version: number): LoginEntries | undefined {
  const text = decryptAesGcm(Buffer.from(encrypted, "base64"), key.secret, authenticatedData(key, version));
  const entries: unknown = text === undefined ? undefined : JSON.parse(text);
  return isLoginEntries(entries) ? entries : undefined;
}

function authenticatedData({ id }: EncryptionKey, version: number): string {
  return JSON.stringify({ version, key_id: id });
}
