/** Computes a SHA-256 digest that is the same for equal values, whatever the order of their keys. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@plugboard/contracts";

export function canonicalDigest(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
