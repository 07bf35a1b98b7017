/**
 * Reads the profiles of one file: named views of the catalog. An invalid profile also hides the profile of that
 * name in a lower layer, because that one shows other tools.
 */
import type { Node } from "jsonc-parser";
import { nearest } from "../../lib/nearest.ts";
import { findMember, groupByKey, membersOf, nodeValue } from "../parse/config-text.ts";
import type { Member } from "../parse/config-text.ts";
import { unknownKeyMessage, quoteJson } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";

export interface Profile {
  /** Server ids. All servers if undefined. */
  readonly servers?: readonly string[];
  /** Patterns of `server:tool`. */
  readonly tools?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly mode?: "search" | "all";
}

/** The value is undefined for an invalid profile. */
export type ProfilesByName = ReadonlyMap<string, Profile | undefined>;

/** Names are part of URLs. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL = /^([a-zA-Z0-9_*-]+:[^()\s]+|\*)$/;
const KEYS = ["servers", "tools", "mode"];
const TOOL_KEYS = ["include", "exclude"];

interface ProfileIssue {
  readonly at: Node;
  readonly message: string;
}

export function readProfiles(section: Member | undefined, diagnostics: Diagnostics): ProfilesByName {
  const profiles = new Map<string, Profile | undefined>();
  if (!section) return profiles;
  if (section.value.type !== "object") diagnostics.report("error", section.value, '"profiles" must be an object');
  for (const [name, duplicates] of groupByKey(membersOf(section.value))) {
    const [{ at, value }] = duplicates;
    if (!NAME.test(name) || name === "__proto__") {
      diagnostics.report("error", at, `a profile name must be 1 to 64 of A–Z a–z 0–9 _ -, not ${quoteJson(name)}`);
      continue;
    }
    const duplicateMessage = diagnostics.duplicateMessage(
      `the profile "${name}"`,
      duplicates.map((duplicate) => duplicate.at),
    );
    const issue = duplicates.length > 1 ? { at, message: duplicateMessage } : validateProfile(value, diagnostics);
    if (issue)
      diagnostics.report(
        "error",
        issue.at,
        duplicates.length > 1 ? duplicateMessage : `the profile "${name}": ${issue.message}`,
      );
    profiles.set(name, issue ? undefined : (nodeValue(value) as Profile));
  }
  return profiles;
}

function validateProfile(profile: Node, diagnostics: Diagnostics): ProfileIssue | undefined {
  if (profile.type !== "object") return { at: profile, message: "it must be an object" };
  const [servers, tools, mode] = KEYS.map((key) => findMember(profile, key)?.value);
  return (
    validateKeys(profile, KEYS, diagnostics) ??
    validateList(servers, ID, '"servers" must be a list of server ids') ??
    validateTools(tools, diagnostics) ??
    (mode && !["search", "all"].includes(String(nodeValue(mode)))
      ? { at: mode, message: '"mode" must be "search" or "all"' }
      : undefined)
  );
}

function validateTools(tools: Node | undefined, diagnostics: Diagnostics): ProfileIssue | undefined {
  if (!tools) return undefined;
  if (tools.type !== "object") return { at: tools, message: '"tools" must be an object with "include" or "exclude"' };
  const lists = TOOL_KEYS.map((key) => {
    const what = `"tools.${key}" must be a list of "server:tool", with * for any part`;
    return validateList(findMember(tools, key)?.value, TOOL, what);
  });
  return validateKeys(tools, TOOL_KEYS, diagnostics) ?? lists.find(Boolean);
}

/** Rejects unknown keys, because a misspelt `exclude` would show the excluded tools. */
function validateKeys(node: Node, known: readonly string[], diagnostics: Diagnostics): ProfileIssue | undefined {
  for (const [key, duplicates] of groupByKey(membersOf(node))) {
    const [{ at }] = duplicates;
    if (!known.includes(key)) return { at, message: unknownKeyMessage(key, nearest(key, known)) };
    if (duplicates.length > 1)
      return {
        at,
        message: diagnostics.duplicateMessage(
          `"${key}"`,
          duplicates.map((duplicate) => duplicate.at),
        ),
      };
  }
  return undefined;
}

function validateList(list: Node | undefined, pattern: RegExp, message: string): ProfileIssue | undefined {
  if (!list) return undefined;
  if (list.type !== "array") return { at: list, message };
  const invalidItem = list.children?.find((item) => typeof item.value !== "string" || !pattern.test(item.value));
  return invalidItem && { at: invalidItem, message: `${message}, not ${quoteJson(nodeValue(invalidItem))}` };
}
