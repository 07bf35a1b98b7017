/**
 * Finds the sections of a config file: servers, permissions, sandboxes, naming, profiles, gateway and model. They are
 * inside `mcp`, or at the top level as in files of other clients. Rejects a file with a mistake that could make a `deny`
 * rule ineffective.
 */
import type { Node } from "jsonc-parser";
import { nearest } from "@plugboard/contracts";
import { EFFECTS } from "../rules/rule.ts";
import { findMember, membersOf, nodeValue } from "../parse/members.ts";
import type { Member } from "../parse/members.ts";
import { unknownKeyMessage, quoteJson } from "../parse/diagnostics.ts";
import { FILE_SECTIONS } from "./section-keys.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";

export interface Sections {
  readonly servers: Node | undefined;
  readonly permissions: Node | undefined;
  readonly sandboxDefault: Member | undefined;
  readonly terminalSandbox: Member | undefined;
  readonly naming: Member | undefined;
  readonly profiles: Member | undefined;
  readonly gateway: Member | undefined;
  readonly model: Member | undefined;
}

const MCP_KEYS = Object.keys(FILE_SECTIONS);
const ROOT_KEYS = ["$schema", "version", "mcp", "mcpServers", ...MCP_KEYS];
/** The sections that restrict. A file in which they would have no effect is rejected. */
const RESTRICTIONS = ["permissions", "sandbox_default", "terminal_sandbox"];
/** The sections that are ignored beside `mcp`. Servers beside it may be read, and restrictions reject the file. */
const MOVED_KEYS = MCP_KEYS.filter((key) => key !== "servers" && !RESTRICTIONS.includes(key));

export function findSections(root: Node, diagnostics: Diagnostics): Sections {
  diagnostics.rejectDuplicates(root, ROOT_KEYS);
  checkVersion(findMember(root, "version")?.valueNode, diagnostics);
  const mcp = findMember(root, "mcp")?.valueNode;
  if (mcp && mcp.type !== "object") diagnostics.reject(mcp, '"mcp" must be an object');
  // A file without any known key belongs to another program, so its keys are not reported. `model` does not count as
  // known, because other programs have such a key, too.
  const isOtherFormat = !membersOf(root).some(({ key }) => ROOT_KEYS.includes(key) && key !== "model");
  checkKeys(root, ROOT_KEYS, diagnostics, isOtherFormat);
  if (mcp) {
    diagnostics.rejectDuplicates(mcp, MCP_KEYS);
    checkKeys(mcp, MCP_KEYS, diagnostics);
    for (const key of RESTRICTIONS) {
      const misplaced = findMember(root, key);
      if (!misplaced) continue;
      diagnostics.reject(misplaced.keyNode, `"${key}" must be inside "mcp", because the file has that section`);
    }
    for (const key of MOVED_KEYS) {
      const misplaced = findMember(root, key);
      if (misplaced) diagnostics.report("warning", misplaced.keyNode, `"${key}" is ignored; move it into "mcp"`);
    }
  }
  const section = mcp ?? root;
  return {
    servers: findServers(root, mcp, diagnostics),
    permissions: findMember(section, "permissions")?.valueNode,
    sandboxDefault: findMember(section, "sandbox_default"),
    terminalSandbox: findMember(section, "terminal_sandbox"),
    naming: findMember(section, "naming"),
    profiles: findMember(section, "profiles"),
    gateway: findMember(section, "gateway"),
    model: findMember(section, "model"),
  };
}

function checkVersion(version: Node | undefined, diagnostics: Diagnostics): void {
  if (!version || nodeValue(version) === 1) return;
  diagnostics.reject(
    version,
    `"version" is ${quoteJson(nodeValue(version))}; this version of Plugboard reads version 1`,
  );
}

function checkKeys(node: Node, knownKeys: readonly string[], diagnostics: Diagnostics, isOtherFormat = false): void {
  for (const { key, keyNode, valueNode } of membersOf(node)) {
    if (knownKeys.includes(key)) continue;
    if (isEffect(key)) {
      diagnostics.reject(keyNode, `"${key}" belongs inside "permissions"`);
      continue;
    }
    diagnostics.countUnknownKey(keyNode);
    const suggestion = nearest(key, knownKeys);
    const misplaced = describeMisplacedServers(key, valueNode, knownKeys);
    if (RESTRICTIONS.some((name) => name === suggestion) || (suggestion === "mcp" && containsPermissions(valueNode)))
      diagnostics.reject(keyNode, unknownKeyMessage(key, suggestion));
    else if (misplaced !== undefined || suggestion !== undefined || !isOtherFormat)
      diagnostics.report("warning", keyNode, misplaced ?? unknownKeyMessage(key, suggestion));
  }
}

/** The keys by which clients name a program or a URL. */
const TARGET_KEYS = ["command", "cmd", "url", "uri", "serverUrl", "httpUrl"];

/** Returns a warning if the value of an unknown key is a server, or contains servers. */
function describeMisplacedServers(key: string, node: Node, knownKeys: readonly string[]): string | undefined {
  const hasTarget = (entry: Node) => membersOf(entry).some((member) => TARGET_KEYS.includes(member.key));
  if (knownKeys === MCP_KEYS) {
    return hasTarget(node) ? `${quoteJson(key)} is ignored, because servers belong in "mcp.servers"` : undefined;
  }
  const hasServers = membersOf(node).some(({ valueNode }) => hasTarget(valueNode));
  return hasServers
    ? `the servers in ${quoteJson(key)} are ignored, because servers belong in "mcp.servers" or "mcpServers"`
    : undefined;
}

function containsPermissions(node: Node): boolean {
  return membersOf(node).some(({ key }) => isEffect(key) || nearest(key, ["permissions"]) !== undefined);
}

function isEffect(key: string): boolean {
  return EFFECTS.some((effect) => effect === key.toLowerCase());
}

/** Returns the servers of the first place that has any. Warns about servers in other places. */
function findServers(root: Node, mcp: Node | undefined, diagnostics: Diagnostics): Node | undefined {
  const candidates = [
    { name: "mcp.servers", found: findMember(mcp, "servers") },
    { name: "mcpServers", found: findMember(root, "mcpServers") },
    { name: "servers", found: findMember(root, "servers") },
  ];
  const [first, ...others] = candidates.flatMap(({ name, found }) => (found ? [{ name, ...found }] : []));
  for (const { keyNode, name } of others) {
    diagnostics.report("warning", keyNode, `"${name}" is ignored, because the file has "${first!.name}"`);
  }
  return first?.valueNode;
}
