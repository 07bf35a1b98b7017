/**
 * Reads the profiles of one file. A profile is a named view of the catalog. An invalid profile also hides the profile
 * of that name in a lower layer, which may show tools that the invalid one was meant to hide.
 */
import type { Node } from "jsonc-parser";
import type { Profile } from "@plugboard/contracts";
import { findMember, groupByKey, membersOf, nodeValue } from "../parse/members.ts";
import type { Member } from "../parse/members.ts";
import { quoteJson } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import { findIssue } from "../sections/read-section.ts";
import type { SectionIssue } from "../sections/read-section.ts";
import { NAME_PATTERN, PROFILE_KEYS } from "../sections/section-keys.ts";

/** The value is undefined for an invalid profile. */
export type ProfilesByName = ReadonlyMap<string, Profile | undefined>;

const NAME = new RegExp(NAME_PATTERN);

export function readProfiles(section: Member, diagnostics: Diagnostics): ProfilesByName {
  const profiles = new Map<string, Profile | undefined>();
  if (section.valueNode.type !== "object")
    diagnostics.report("error", section.valueNode, '"profiles" must be an object');
  for (const [name, duplicates] of groupByKey(membersOf(section.valueNode))) {
    const [{ keyNode, valueNode }, ...others] = duplicates;
    if (!NAME.test(name) || name === "__proto__") {
      diagnostics.report("error", keyNode, `a profile name must be 1 to 64 of A–Z a–z 0–9 _ -, not ${quoteJson(name)}`);
      continue;
    }
    const issue = findIssue(valueNode, PROFILE_KEYS, diagnostics) ?? findNamingIssue(valueNode);
    if (others.length > 0) {
      const nodes = duplicates.map((duplicate) => duplicate.keyNode);
      diagnostics.report("error", keyNode, diagnostics.duplicateMessage(`the profile "${name}"`, nodes));
    } else if (issue) {
      diagnostics.report("error", issue.node, `the profile "${name}": ${issue.message}`);
    }
    const isValid = others.length === 0 && !issue;
    profiles.set(name, isValid ? (nodeValue(valueNode) as Profile) : undefined);
  }
  return profiles;
}

/** Tools of several servers need the server in their names, because two servers may have a tool of the same name. */
function findNamingIssue(profile: Node): SectionIssue | undefined {
  const node = findMember(profile, "naming")?.valueNode;
  const isOneServer = findMember(profile, "servers")?.valueNode.children?.length === 1;
  if (!node || nodeValue(node) !== "{tool}" || isOneServer) return undefined;
  return { node, message: '"naming" can be "{tool}" only if "servers" names one server' };
}
