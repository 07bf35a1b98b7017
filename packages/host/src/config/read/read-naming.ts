/** The form of the names that models see, as a file chooses it. */
import { NAMINGS } from "../../names/naming.ts";
import type { Naming } from "../../names/naming.ts";
import { nodeValue } from "../parse/config-text.ts";
import type { Member } from "../parse/config-text.ts";
import { quoteJson } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";

export function readNaming(section: Member | undefined, diagnostics: Diagnostics): Naming | undefined {
  if (!section) return undefined;
  const text = nodeValue(section.value);
  const naming = NAMINGS.find((known) => known === text);
  if (naming === undefined) {
    const known = NAMINGS.map((one) => `"${one}"`).join(", ");
    diagnostics.report("error", section.value, `"naming" is ${quoteJson(text)}; it must be one of ${known}`);
  }
  return naming;
}
