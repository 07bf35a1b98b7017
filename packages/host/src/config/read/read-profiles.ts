/**
 * Reads the profiles of one file. A profile is a named view of the catalog. An invalid profile also hides the profile
 * of that name in a lower layer, which may show tools that the invalid one was meant to hide.
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

/** The characters that need no encoding in a URL, because a profile is requested by a URL with its name. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL_PATTERN = /^([a-zA-Z0-9_*-]+:[^()\s]+|\*)$/;
const KEYS = ["servers", "tools", "mode"];
const TOOL_KEYS = ["include", "exclude"];

interface ProfileIssue {
  readonly node: Node;
  readonly message: string;
}

export function readProfiles(section: Member | undefined, diagnostics: Diagnostics): ProfilesByName {
  const profiles = new Map<string, Profile | undefined>();
  if (!section) return profiles;
  if (section.valueNode.type !== "object")
    diagnostics.report("error", section.valueNode, '"profiles" must be an object');
  for (const [name, duplicates] of groupByKey(membersOf(section.valueNode))) {
    const [{ keyNode, valueNode }, ...others] = duplicates;
    if (!NAME.test(name) || name === "__proto__") {
      diagnostics.report("error", keyNode, `a profile name must be 1 to 64 of A–Z a–z 0–9 _ -, not ${quoteJson(name)}`);
      continue;
    }
    const issue = validateProfile(valueNode, diagnostics);
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

function validateProfile(profile: Node, diagnostics: Diagnostics): ProfileIssue | undefined {
  if (profile.type !== "object") return { node: profile, message: "it must be an object" };
  const [servers, tools, mode] = KEYS.map((key) => findMember(profile, key)?.valueNode);
  return (
    validateKeys(profile, KEYS, diagnostics) ??
    validateList(servers, ID, '"servers" must be a list of server ids') ??
    validateTools(tools, diagnostics) ??
    (mode && !["search", "all"].includes(String(nodeValue(mode)))
      ? { node: mode, message: '"mode" must be "search" or "all"' }
      : undefined)
  );
}

function validateTools(tools: Node | undefined, diagnostics: Diagnostics): ProfileIssue | undefined {
  if (!tools) return undefined;
  if (tools.type !== "object") return { node: tools, message: '"tools" must be an object with "include" or "exclude"' };
  const lists = TOOL_KEYS.map((key) => {
    const message = `"tools.${key}" must be a list of "server:tool", with * for any part`;
    return validateList(findMember(tools, key)?.valueNode, TOOL_PATTERN, message);
  });
  return validateKeys(tools, TOOL_KEYS, diagnostics) ?? lists.find(Boolean);
}

/** Rejects unknown keys, because a misspelt `exclude` would show the excluded tools. */
function validateKeys(node: Node, knownKeys: readonly string[], diagnostics: Diagnostics): ProfileIssue | undefined {
  for (const [key, duplicates] of groupByKey(membersOf(node))) {
    const [{ keyNode }] = duplicates;
    if (!knownKeys.includes(key)) return { node: keyNode, message: unknownKeyMessage(key, nearest(key, knownKeys)) };
    if (duplicates.length > 1) {
      const nodes = duplicates.map((duplicate) => duplicate.keyNode);
      return { node: keyNode, message: diagnostics.duplicateMessage(`"${key}"`, nodes) };
    }
  }
  return undefined;
}

function validateList(list: Node | undefined, pattern: RegExp, message: string): ProfileIssue | undefined {
  if (!list) return undefined;
  if (list.type !== "array") return { node: list, message };
  const invalidItem = list.children?.find((item) => typeof item.value !== "string" || !pattern.test(item.value));
  return invalidItem && { node: invalidItem, message: `${message}, not ${quoteJson(nodeValue(invalidItem))}` };
}
