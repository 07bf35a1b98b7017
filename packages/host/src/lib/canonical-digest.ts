/** Computes the same digest for equal values. */
import { createHash } from "node:crypto";
import { canonicalJson } from "@plugboard/contracts";

export function canonicalDigest(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}
