/** Digests of tokens and subjects. */
import { hash } from "node:crypto";

/** Returns the SHA-256 of the text, in hexadecimal. */
export function digestOf(text: string): string {
  return hash("sha256", text, "hex");
}

/** Returns the first 128 bits of a digest, which are enough for an id. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 32);
}
