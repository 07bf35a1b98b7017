/** Encrypts the state that a client gets with a question and returns with the answer. The key lives in this object. */
import { decryptAesGcm, encryptAesGcm, newAesKey } from "@plugboard/host/internal";

export class StateCipher {
  readonly #key = newAesKey();

  encrypt(content: object): string {
    return encryptAesGcm(JSON.stringify(content), this.#key).toString("base64url");
  }

  /** Returns undefined for a text that this object has not encrypted, such as one from before a restart. */
  decrypt(encrypted: string): unknown {
    const bytes = Buffer.from(encrypted, "base64url");
    // The decoder ignores invalid characters, so that several texts decode to the same bytes.
    if (bytes.toString("base64url") !== encrypted) return undefined;
    const text = decryptAesGcm(bytes, this.#key);
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  }
}
