/** Validates one profile. Reports the first mistake, because a profile with a mistake is not used at all. */
import type { Node } from "jsonc-parser";
import { nearest } from "@plugboard/contracts";
import type { Profile } from "@plugboard/contracts";
import { EFFECTS, parseRuleOrError } from "../rules/rule.ts";
import type { Effect } from "../rules/rule.ts";
import { findMember, groupByKey, membersOf, nodeValue } from "../parse/members.ts";
import { unknownKeyMessage, quoteJson } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";

interface ProfileIssue {
  readonly node: Node;
  readonly message: string;
}

const PROFILE_NAMINGS: readonly string[] = ["{server}__{tool}", "{tool}"] satisfies readonly Profile["naming"][];

const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL_PATTERN = /^([a-zA-Z0-9_*-]+:[^()\s]+|\*)$/;
const FOLDER = /^(\/|~\/|~$|[A-Za-z]:[\\/])/;
const KEYS = ["servers", "tools", "permissions", "naming", "cwd", "max_result_bytes"];
/** A smaller limit would leave no space for the note at the cut. */
const MIN_RESULT_BYTES = 1000;
const TOOL_KEYS = ["include", "exclude"];

export function validateProfile(profile: Node, diagnostics: Diagnostics): ProfileIssue | undefined {
  if (profile.type !== "object") return { node: profile, message: "it must be an object" };
  const [servers, tools, permissions, naming, cwd, maxBytes] = KEYS.map((key) => findMember(profile, key)?.valueNode);
  return (
    validateKeys(profile, KEYS, diagnostics) ??
    validateList(servers, ID, '"servers" must be a list of server ids') ??
    validateTools(tools, diagnostics) ??
    validatePermissions(permissions, diagnostics) ??
    validateNaming(naming, servers) ??
    validateFolder(cwd) ??
    validateResultBytes(maxBytes)
  );
}

function validatePermissions(permissions: Node | undefined, diagnostics: Diagnostics): ProfileIssue | undefined {
  if (!permissions) return undefined;
  const message = '"permissions" must be an object with lists of rules in "allow", "ask" or "deny"';
  if (permissions.type !== "object") return { node: permissions, message };
  const invalidKey = validateKeys(permissions, EFFECTS, diagnostics);
  if (invalidKey) return invalidKey;
  for (const { key, valueNode } of membersOf(permissions)) {
    if (valueNode.type !== "array") return { node: valueNode, message };
    for (const item of valueNode.children ?? []) {
      const text = nodeValue(item);
      const rule = typeof text === "string" ? parseRuleOrError(key as Effect, text) : { error: "it must be a string" };
      if ("error" in rule) return { node: item, message: `${quoteJson(text)} is not a rule: ${rule.error}` };
    }
  }
  return undefined;
}

/** Without the server in its name, a tool of another server could take the name. */
function validateNaming(naming: Node | undefined, servers: Node | undefined): ProfileIssue | undefined {
  if (!naming) return undefined;
  const format = PROFILE_NAMINGS.find((one) => one === nodeValue(naming));
  if (!format) {
    return { node: naming, message: `"naming" must be ${PROFILE_NAMINGS.map((one) => `"${one}"`).join(" or ")}` };
  }
  const isOneServer = servers?.children?.length === 1;
  if (format === "{server}__{tool}" || isOneServer) return undefined;
  return { node: naming, message: '"naming" can be "{tool}" only if "servers" names one server' };
}

function validateFolder(cwd: Node | undefined): ProfileIssue | undefined {
  if (!cwd) return undefined;
  const path = nodeValue(cwd);
  const isValid = typeof path === "string" && FOLDER.test(path) && !path.includes("\0");
  return isValid ? undefined : { node: cwd, message: '"cwd" must be an absolute path, or a path that begins with ~/' };
}

function validateResultBytes(maxBytes: Node | undefined): ProfileIssue | undefined {
  if (!maxBytes) return undefined;
  const value = nodeValue(maxBytes);
  if (Number.isSafeInteger(value) && (value as number) >= MIN_RESULT_BYTES) return undefined;
  return { node: maxBytes, message: `"max_result_bytes" must be a whole number of at least ${MIN_RESULT_BYTES}` };
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
