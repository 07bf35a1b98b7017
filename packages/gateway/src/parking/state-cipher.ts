/**
 * What a front is handed between a question and its answer: readable by us alone,
 * bound to who got it and for which request, good once and for a time.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

export class StateCipher {
  readonly #key = randomBytes(32);

  encrypt(content: object): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, iv);
    const body = Buffer.concat([cipher.update(JSON.stringify(content), "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url");
  }

  /** Nothing for what was not sealed by this very object. */
  decrypt(encrypted: string): unknown {
    const bytes = Buffer.from(encrypted, "base64url");
    // Decoding forgives what does not belong there; we don't.
    if (bytes.length <= IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== encrypted) return undefined;
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const body = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
      return JSON.parse(body.toString("utf8")) as unknown;
    } catch {
      // Authentication failed: forged, damaged, or from a host that has since restarted.
      return undefined;
    }
  }
}
