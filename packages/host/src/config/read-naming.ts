/** The form of the names that models see, as a file chooses it. */
import { NAMINGS } from "../names/naming.ts";
import type { Naming } from "../names/naming.ts";
import { valueOf } from "./config-text.ts";
import type { Member } from "./config-text.ts";
import { quote } from "./findings.ts";
import type { Findings } from "./findings.ts";

export function readNaming(written: Member | undefined, findings: Findings): Naming | undefined {
  if (!written) return undefined;
  const text = valueOf(written.value);
  const naming = NAMINGS.find((known) => known === text);
  if (naming === undefined) {
    const known = NAMINGS.map((one) => `"${one}"`).join(", ");
    findings.problem("error", written.value, `"naming" is ${quote(text)}; it must be one of ${known}`);
  }
  return naming;
}
