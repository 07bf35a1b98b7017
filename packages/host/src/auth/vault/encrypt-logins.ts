/**
 * The logins encrypted: AES-256-GCM, with a new initialisation vector each time.
 * Which key it is and the version of the file are sealed with them, so that
 * neither can be exchanged.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { isLoginEntries } from "./login-record.ts";
import type { LoginEntries } from "./login-record.ts";

export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly secret: Buffer;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

export function newEncryptionKey(): EncryptionKey {
  return { id: randomBytes(8).toString("hex"), secret: randomBytes(32) };
}

/** In base64: the vector, the tag, and the rest. */
export function encryptLogins(entries: LoginEntries, key: EncryptionKey, version: number): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key.secret, iv).setAAD(additionalData(key, version));
  const text = [cipher.update(JSON.stringify(entries), "utf8"), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...text]).toString("base64");
}

/** Nothing if it was not sealed with this key, or not like this. */
export function decryptLogins(encrypted: string, key: EncryptionKey, version: number): LoginEntries | undefined {
  const bytes = Buffer.from(encrypted, "base64");
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key.secret, bytes.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(additionalData(key, version)).setAuthTag(tag);
  let text: string;
  try {
    text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
  const entries: unknown = JSON.parse(text);
  return isLoginEntries(entries) ? entries : undefined;
}

function additionalData({ id }: EncryptionKey, version: number): Buffer {
  return Buffer.from(JSON.stringify({ version, key_id: id }));
}
