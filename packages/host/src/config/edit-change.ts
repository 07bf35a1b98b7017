/**
 * The changes that Plugboard makes to a config file, as changes to its text. Pure.
 * A file in the shape of another client stays in it. What can't be read whole, or
 * has the changed thing twice, is refused with its place.
 */
import { HostError } from "@plugboard/contracts";
import type { Json, ServerEntry } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import type { Effect } from "../policy/rule.ts";
import { parseRule } from "../policy/rule.ts";
import { find, members, parseConfigText, valueOf } from "./config-text.ts";
import type { Path } from "./edit-text.ts";
import { appendIn, nodeAt, removeIn, removeItem, setIn } from "./edit-text.ts";
import { findSections } from "./find-sections.ts";
import { Findings } from "./findings.ts";
import { toJsonText } from "./to-json-text.ts";

export type ConfigChange =
  /** The entry whole, in place of what is there; in Plugboard's own spelling. */
  | { readonly type: "set_server"; readonly id: string; readonly entry: ServerEntry }
  | { readonly type: "remove_server"; readonly id: string }
  /** Of a server that the file does not define it makes a switch for the one of a lower layer. */
  | { readonly type: "set_enabled"; readonly id: string; readonly enabled: boolean }
  | { readonly type: "set_excluded_tools"; readonly id: string; readonly exclude: readonly string[] }
  | { readonly type: "add_rule" | "remove_rule"; readonly effect: Effect; readonly rule: string };

export interface ChangedText {
  readonly text: string;
  /** The server's entry, or the rules of that effect, as they were and as they are; absent where there are none. */
  readonly before?: Json;
  readonly after?: Json;
}

/** What an empty config is, before the first thing is put into it. */
export const NEW_CONFIG = '{\n  "version": 1\n}\n';

export function changeText(file: string, text: string, change: ConfigChange): ChangedText {
  const { root, syntaxError, placeOf } = parseConfigText(text);
  const findings = new Findings(file, placeOf);
  if (!root) throw findings.refusal({ line: 1, column: 1 }, "the file is empty; it must hold an object");
  if (syntaxError) throw findings.refusal(syntaxError, `not JSON: ${syntaxError.what}`);
  if (root.type !== "object") throw findings.refusal(root, "the file must hold an object");
  findSections(root, findings);
  const path = "id" in change ? [...serversPath(root), change.id] : [...rulesPath(root), change.effect];
  refuseUnclear(root, path, findings);

  const changed =
    "id" in change ? changeServer(file, text, path, change, findings) : changeRules(text, path, change, findings);
  if (parseConfigText(changed).syntaxError) throw new HostError("INTERNAL", { what: `an edit of ${file} broke it` });
  return { text: changed, ...said("before", nodeAt(text, path)), ...said("after", nodeAt(changed, path)) };
}

type ServerChange = Extract<ConfigChange, { id: string }>;
type RuleChange = Extract<ConfigChange, { rule: string }>;

function changeServer(file: string, text: string, path: Path, change: ServerChange, findings: Findings): string {
  const entry = nodeAt(text, path);
  switch (change.type) {
    case "set_server":
      return setIn(text, path, plain(file, change));
    case "remove_server":
      return removeIn(text, path);
    case "set_enabled":
      refuseOther(entry, "object", "its definition must be an object", findings);
      return setIn(without(text, path, ["disabled"]), [...path, "enabled"], change.enabled);
    case "set_excluded_tools":
      if (!entry) throw new HostError("SERVER_UNKNOWN", { server: change.id, known: idsBeside(text, path) });
      refuseOther(entry, "object", "its definition must be an object", findings);
      refuseOther(find(entry, "tools")?.value, "object", '"tools" must be an object', findings);
      return exclude(text, path, change.exclude);
  }
}

function exclude(text: string, path: Path, tools: readonly string[]): string {
  const rest = without(text, path, ["exclude_tools", "excluded_tools", "disabled_tools"]);
  const inner = [...path, "tools"];
  if (tools.length > 0) return setIn(rest, [...inner, "exclude"], [...tools]);
  const fewer = removeIn(rest, [...inner, "exclude"]);
  return nodeAt(fewer, inner)?.children?.length === 0 ? removeIn(fewer, inner) : fewer;
}

function changeRules(text: string, path: Path, change: RuleChange, findings: Findings): string {
  const list = nodeAt(text, path);
  refuseOther(list, "array", `"${change.effect}" must be an array of rules`, findings);
  const rules = list ? (valueOf(list) as unknown[]) : [];
  if (change.type === "remove_rule") {
    const at = rules.indexOf(change.rule);
    return at < 0 ? text : changeRules(removeItem(text, path, at), path, change, findings);
  }
  if (!parseRule(change.effect, change.rule)) {
    throw new HostError("USAGE", { what: `${JSON.stringify(change.rule)} is not a rule; write "server:tool"` });
  }
  return rules.includes(change.rule) ? text : appendIn(text, path, change.rule);
}

function refuseOther(node: Node | undefined, type: Node["type"], what: string, findings: Findings): void {
  if (node && node.type !== type) throw findings.refusal(node, what);
}

function idsBeside(text: string, path: Path): string[] {
  return members(nodeAt(text, path.slice(0, -1))).map(({ key }) => key);
}

/** The map that is read; where there is none yet, the one that makes no other part of the file unread. */
function serversPath(root: Node): Path {
  const mcp = find(root, "mcp")?.value;
  if (find(mcp, "servers")) return ["mcp", "servers"];
  for (const key of ["mcpServers", "servers"]) if (find(root, key)) return [key];
  return mcp || !find(root, "permissions") ? ["mcp", "servers"] : ["servers"];
}

function rulesPath(root: Node): Path {
  if (find(root, "mcp")) return ["mcp", "permissions"];
  const foreign = ["mcpServers", "servers", "permissions"].some((key) => find(root, key));
  return foreign ? ["permissions"] : ["mcp", "permissions"];
}

/** Everything on the way must be an object, and what is changed must be there once. */
function refuseUnclear(root: Node, path: Path, findings: Findings): void {
  let node: Node | undefined = root;
  for (const [at, key] of path.entries()) {
    if (!node) return;
    if (node.type !== "object") throw findings.refusal(node, `"${path[at - 1]}" must be an object`);
    findings.refuseRepeated(node, [key]);
    node = find(node, key)?.value;
  }
}

/** Reading is generous, writing is strict. */
function plain(file: string, { id, entry }: Extract<ConfigChange, { entry: unknown }>): Json {
  const foreign = Object.keys(entry).find((key) => !/^[a-z][a-z0-9_]*$/.test(key));
  if (foreign !== undefined) {
    const what = `"${foreign}" is not a key in Plugboard's spelling; did you mean "${snakeCase(foreign)}"?`;
    throw new HostError("SERVER_INVALID", { server: id, what });
  }
  return JSON.parse(toJsonText(file, entry)) as Json;
}

/** Without what means the same in the words of other clients. */
function without(text: string, path: Path, spellings: readonly string[]): string {
  const alike = members(nodeAt(text, path)).filter(({ key }) => spellings.includes(snakeCase(key)));
  return alike.reduce((rest, { key }) => removeIn(rest, [...path, key]), text);
}

function snakeCase(key: string): string {
  return key.replaceAll("-", "_").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function said<Name extends string>(name: Name, node: Node | undefined): { [N in Name]?: Json } {
  return node ? ({ [name]: valueOf(node) } as { [N in Name]: Json }) : {};
}
