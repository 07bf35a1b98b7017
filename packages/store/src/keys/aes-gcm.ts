/** Encrypts and decrypts text with AES-256-GCM. Each encryption uses a new initialization vector. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function newAesKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

/**
 * Returns the initialization vector, the authentication tag and the ciphertext. Decrypting needs the same `context`.
 */
export function encryptAesGcm(text: string, key: Buffer, context = ""): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
  const ciphertext = [cipher.update(text, "utf8"), cipher.final()];
  return Buffer.concat([iv, cipher.getAuthTag(), ...ciphertext]);
}

/** Returns undefined if the bytes are damaged, or were encrypted with another key or context. */
export function decryptAesGcm(bytes: Buffer, key: Buffer, context = ""): string | undefined {
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
