/**
 * Applies a change to the text of a config file, without reading or writing files. Keeps the structure of files written
 * for other clients. Throws CONFIG_INVALID, with the position, if the file is invalid or has the changed key twice.
 */
import { canonicalJson, HostError } from "@plugboard/contracts";
import type { Json, JsonObject, Profile, ServerEntry } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { toSnakeCase } from "../lib/key-case.ts";
import type { Effect } from "../rules/rule.ts";
import { parseRuleOrError } from "../rules/rule.ts";
import { findMember, membersOf, nodeValue } from "../parse/members.ts";
import { parseConfigText } from "../parse/parse-config-text.ts";
import type { JsonPath } from "./edit-json-text.ts";
import { appendIn, nodeAt, removeIn, removeItem, setIn } from "./edit-json-text.ts";
import { findChangePath, serverPath } from "./find-change-path.ts";
import { findSections } from "../sections/find-sections.ts";
import { requireObject } from "../parse/require-object.ts";
import { Diagnostics } from "../parse/diagnostics.ts";
import { serializeJson } from "../parse/serialize-json.ts";

export type ConfigChange =
  /**
   * Replaces the whole entry. Its keys must be in Plugboard's own spelling. With `mustBeNew`, throws SERVER_EXISTS if
   * the file has an entry for the server. With `expected`, throws DEFINITION_CHANGED if the file has another entry.
   */
  | {
      readonly type: "set_server";
      readonly id: string;
      readonly entry: ServerEntry;
      readonly mustBeNew?: boolean;
      readonly expected?: ExpectedEntry | undefined;
    }
  | { readonly type: "remove_server"; readonly id: string }
  /** If the file has no entry for the server, adds one with only `enabled`, for the server of a lower layer. */
  | { readonly type: "set_enabled"; readonly id: string; readonly enabled: boolean }
  | { readonly type: "set_excluded_tools"; readonly id: string; readonly exclude: readonly string[] }
  | { readonly type: "add_rule" | "remove_rule"; readonly effect: Effect; readonly rule: string }
  /** Replaces the whole profile. */
  | { readonly type: "set_profile"; readonly profile: string; readonly view: Profile }
  | { readonly type: "remove_profile"; readonly profile: string };

interface ExpectedEntry {
  /** Undefined if the file should have no entry for the server. */
  readonly before: Json | undefined;
}

export interface AppliedChange {
  readonly text: string;
  /**
   * The changed part before and after: the server's entry, the list of rules, or the profile. Undefined if the file has
   * none.
   */
  readonly before?: Json;
  readonly after?: Json;
}

/** The text of a new config file. */
export const EMPTY_CONFIG = '{\n  "version": 1\n}\n';

export function applyChange(file: string, text: string, change: ConfigChange): AppliedChange {
  const config = parseConfigText(text);
  const diagnostics = new Diagnostics(file, config.positionOf);
  const root = requireObject(config, diagnostics);
  findSections(root, diagnostics);
  diagnostics.throwIfRejected();
  const path = findChangePath(root, change, diagnostics);

  const changed = changeText(file, text, path, change, diagnostics);
  if (parseConfigText(changed).syntaxErrors.length > 0)
    throw new HostError("INTERNAL", { reason: `an edit of ${file} broke it` });
  return {
    text: changed,
    ...optionalValue("before", nodeAt(text, path)),
    ...optionalValue("after", nodeAt(changed, path)),
  };
}

/** Returns the entry of a server as it is in the text of a config file, or undefined if there is none. */
export function entryIn(text: string, id: string): Json | undefined {
  const { root } = parseConfigText(text);
  return optionalValue("entry", root && nodeAt(text, serverPath(root, id))).entry;
}

function changeText(
  file: string,
  text: string,
  path: JsonPath,
  change: ConfigChange,
  diagnostics: Diagnostics,
): string {
  if ("id" in change) return changeServer(file, text, path, change, diagnostics);
  if ("rule" in change) return changeRules(text, path, change, diagnostics);
  return change.type === "set_profile" ? setIn(text, path, { ...change.view } as JsonObject) : removeIn(text, path);
}

type ServerChange = Extract<ConfigChange, { id: string }>;
type RuleChange = Extract<ConfigChange, { rule: string }>;

function changeServer(
  file: string,
  text: string,
  path: JsonPath,
  change: ServerChange,
  diagnostics: Diagnostics,
): string {
  const entry = nodeAt(text, path);
  switch (change.type) {
    case "set_server":
      if (entry && change.mustBeNew) throw new HostError("SERVER_EXISTS", { server: change.id, file });
      if (change.expected && !isSame(entry, change.expected))
        throw new HostError("DEFINITION_CHANGED", { server: change.id });
      return setIn(text, path, toJsonEntry(file, change));
    case "remove_server":
      return removeIn(text, path);
    case "set_enabled":
      requireType(entry, "object", "the entry must be an object", diagnostics);
      return setIn(removeAliases(text, path, ["disabled"]), [...path, "enabled"], change.enabled);
    case "set_excluded_tools":
      if (!entry) throw new HostError("SERVER_UNKNOWN", { server: change.id, known: siblingIds(text, path) });
      requireType(entry, "object", "the entry must be an object", diagnostics);
      requireType(findMember(entry, "tools")?.valueNode, "object", '"tools" must be an object', diagnostics);
      return setExcludedTools(text, path, change.exclude);
  }
}

function isSame(entry: Node | undefined, { before }: ExpectedEntry): boolean {
  if (!entry || before === undefined) return !entry && before === undefined;
  return canonicalJson(nodeValue(entry)) === canonicalJson(before);
}

function setExcludedTools(text: string, path: JsonPath, tools: readonly string[]): string {
  const withoutAliases = removeAliases(text, path, ["exclude_tools", "excluded_tools", "disabled_tools"]);
  const toolsPath = [...path, "tools"];
  if (tools.length > 0) return setIn(withoutAliases, [...toolsPath, "exclude"], [...tools]);
  const withoutExclude = removeIn(withoutAliases, [...toolsPath, "exclude"]);
  return nodeAt(withoutExclude, toolsPath)?.children?.length === 0
    ? removeIn(withoutExclude, toolsPath)
    : withoutExclude;
}

function changeRules(text: string, path: JsonPath, change: RuleChange, diagnostics: Diagnostics): string {
  const list = nodeAt(text, path);
  requireType(list, "array", `"${change.effect}" must be an array of rules`, diagnostics);
  const rules = list ? (nodeValue(list) as unknown[]) : [];
  if (change.type === "remove_rule") {
    const index = rules.indexOf(change.rule);
    if (index < 0) return text;
    // Calls itself again, because the list may contain the rule several times.
    return changeRules(removeItem(text, path, index), path, change, diagnostics);
  }
  const parsed = parseRuleOrError(change.effect, change.rule);
  if ("error" in parsed)
    throw new HostError("USAGE", { message: `${JSON.stringify(change.rule)} is not a rule: ${parsed.error}` });
  return rules.includes(change.rule) ? text : appendIn(text, path, change.rule);
}

function requireType(node: Node | undefined, type: Node["type"], message: string, diagnostics: Diagnostics): void {
  if (node && node.type !== type) throw diagnostics.configError(node, message);
}

function siblingIds(text: string, path: JsonPath): string[] {
  return membersOf(nodeAt(text, path.slice(0, -1))).map(({ key }) => key);
}

/** Reading accepts many spellings. Writing accepts only snake_case keys. */
function toJsonEntry(file: string, { id, entry }: Extract<ConfigChange, { entry: unknown }>): Json {
  const nonSnakeKey = Object.keys(entry).find((key) => !/^[a-z][a-z0-9_]*$/.test(key));
  if (nonSnakeKey !== undefined) {
    const reason = `"${nonSnakeKey}" is not a key in Plugboard's spelling; did you mean "${toSnakeCase(nonSnakeKey)}"?`;
    throw new HostError("SERVER_INVALID", { server: id, reason });
  }
  return JSON.parse(serializeJson(file, entry)) as Json;
}

/** Removes the names that other clients use for the changed key. */
function removeAliases(text: string, path: JsonPath, spellings: readonly string[]): string {
  const aliases = membersOf(nodeAt(text, path)).filter(({ key }) => spellings.includes(toSnakeCase(key)));
  return aliases.reduce((rest, { key }) => removeIn(rest, [...path, key]), text);
}

/** Returns an object with the value of the node under `name`, or an empty object without a node. */
function optionalValue<Name extends string>(name: Name, node: Node | undefined): { [N in Name]?: Json } {
  return node ? ({ [name]: nodeValue(node) } as { [N in Name]: Json }) : {};
}
