/**
 * The profiles of one file: named views of the catalog. One that is wrong does
 * not exist at all, also if a lower layer has a right one of that name: it was
 * to show something else.
 */
import type { Node } from "jsonc-parser";
import { nearest } from "../../lib/nearest.ts";
import { findMember, groupByKey, membersOf, nodeValue } from "../parse/config-text.ts";
import type { Member } from "../parse/config-text.ts";
import { unknownKeyMessage, quoteJson } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";

export interface Profile {
  /** Ids; all if absent. */
  readonly servers?: readonly string[];
  /** Patterns of `server:tool`. */
  readonly tools?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly mode?: "search" | "all";
}

/** Nothing for a name whose profile is wrong. */
export type ProfilesByName = ReadonlyMap<string, Profile | undefined>;

/** They are part of URLs. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL = /^([a-zA-Z0-9_*-]+:[^()\s]+|\*)$/;
const KEYS = ["servers", "tools", "mode"];
const TOOL_KEYS = ["include", "exclude"];

interface ProfileIssue {
  readonly at: Node;
  readonly what: string;
}

export function readProfiles(section: Member | undefined, diagnostics: Diagnostics): ProfilesByName {
  const profiles = new Map<string, Profile | undefined>();
  if (!section) return profiles;
  if (section.value.type !== "object") diagnostics.report("error", section.value, '"profiles" must be an object');
  for (const [name, duplicates] of groupByKey(membersOf(section.value))) {
    const [{ at, value }] = duplicates;
    if (!NAME.test(name) || name === "__proto__") {
      diagnostics.report("error", at, `the name of a profile is 1 to 64 of A–Z a–z 0–9 _ -, not ${quoteJson(name)}`);
      continue;
    }
    const duplicateMessage = diagnostics.duplicateMessage(
      `the profile "${name}"`,
      duplicates.map((twin) => twin.at),
    );
    const issue = duplicates.length > 1 ? { at, what: duplicateMessage } : validateProfile(value, diagnostics);
    if (issue)
      diagnostics.report(
        "error",
        issue.at,
        duplicates.length > 1 ? duplicateMessage : `the profile "${name}": ${issue.what}`,
      );
    profiles.set(name, issue ? undefined : (nodeValue(value) as Profile));
  }
  return profiles;
}

function validateProfile(profile: Node, diagnostics: Diagnostics): ProfileIssue | undefined {
  if (profile.type !== "object") return { at: profile, what: "it must be an object" };
  const [servers, tools, mode] = KEYS.map((key) => findMember(profile, key)?.value);
  return (
    validateKeys(profile, KEYS, diagnostics) ??
    validateList(servers, ID, '"servers" must be a list of server ids') ??
    validateTools(tools, diagnostics) ??
    (mode && !["search", "all"].includes(String(nodeValue(mode)))
      ? { at: mode, what: '"mode" must be "search" or "all"' }
      : undefined)
  );
}

function validateTools(tools: Node | undefined, diagnostics: Diagnostics): ProfileIssue | undefined {
  if (!tools) return undefined;
  if (tools.type !== "object") return { at: tools, what: '"tools" must be an object with "include" or "exclude"' };
  const lists = TOOL_KEYS.map((key) => {
    const what = `"tools.${key}" must be a list of "server:tool", with * for any part`;
    return validateList(findMember(tools, key)?.value, TOOL, what);
  });
  return validateKeys(tools, TOOL_KEYS, diagnostics) ?? lists.find(Boolean);
}

/** A view that leaves something out must not lose that by a slip: what is not known is an error here. */
function validateKeys(node: Node, known: readonly string[], diagnostics: Diagnostics): ProfileIssue | undefined {
  for (const [key, duplicates] of groupByKey(membersOf(node))) {
    const [{ at }] = duplicates;
    if (!known.includes(key)) return { at, what: unknownKeyMessage(key, nearest(key, known)) };
    if (duplicates.length > 1)
      return {
        at,
        what: diagnostics.duplicateMessage(
          `"${key}"`,
          duplicates.map((twin) => twin.at),
        ),
      };
  }
  return undefined;
}

function validateList(list: Node | undefined, pattern: RegExp, what: string): ProfileIssue | undefined {
  if (!list) return undefined;
  if (list.type !== "array") return { at: list, what };
  const invalidItem = list.children?.find((item) => typeof item.value !== "string" || !pattern.test(item.value));
  return invalidItem && { at: invalidItem, what: `${what}, not ${quoteJson(nodeValue(invalidItem))}` };
}
