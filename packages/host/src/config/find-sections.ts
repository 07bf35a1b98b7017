/**
 * Where in a file the servers, the permissions and the rest stand. A file may have the
 * section `mcp`, or be written as for other clients. What can't be read and
 * may hold a denial is refused, so that no rule is lost in silence.
 */
import type { Node } from "jsonc-parser";
import { nearest } from "../names/nearest.ts";
import { EFFECTS } from "../policy/rule.ts";
import { find, members, valueOf } from "./config-text.ts";
import type { Member } from "./config-text.ts";
import { notKnown, quote } from "./findings.ts";
import type { Findings } from "./findings.ts";

export interface Sections {
  readonly servers: Node | undefined;
  readonly permissions: Node | undefined;
  readonly naming: Member | undefined;
  readonly profiles: Member | undefined;
}

const ROOT_KEYS = ["$schema", "version", "mcp", "mcpServers", "servers", "permissions", "naming", "profiles"];
const MCP_KEYS = ["servers", "permissions", "naming", "profiles"];

export function findSections(root: Node, findings: Findings): Sections {
  findings.refuseRepeated(root, ROOT_KEYS);
  checkVersion(find(root, "version")?.value, findings);
  const mcp = find(root, "mcp")?.value;
  if (mcp && mcp.type !== "object") throw findings.refusal(mcp, '"mcp" must be an object');
  // A file with nothing of ours is about other things, and its keys are its own business.
  const foreign = !members(root).some(({ key }) => ROOT_KEYS.includes(key));
  checkKeys(root, ROOT_KEYS, findings, foreign);
  if (mcp) {
    findings.refuseRepeated(mcp, MCP_KEYS);
    checkKeys(mcp, MCP_KEYS, findings);
    const outside = find(root, "permissions");
    if (outside) {
      throw findings.refusal(outside.at, '"permissions" must stand inside "mcp", because the file has that section');
    }
    for (const key of ["naming", "profiles"]) {
      const beside = find(root, key);
      if (beside) findings.problem("warning", beside.at, `"${key}" is not read: it belongs inside "mcp"`);
    }
  }
  const section = mcp ?? root;
  return {
    servers: findServers(root, mcp, findings),
    permissions: find(section, "permissions")?.value,
    naming: find(section, "naming"),
    profiles: find(section, "profiles"),
  };
}

function checkVersion(version: Node | undefined, findings: Findings): void {
  if (!version || valueOf(version) === 1) return;
  throw findings.refusal(version, `"version" is ${quote(valueOf(version))}; this version of Plugboard reads version 1`);
}

function checkKeys(node: Node, known: readonly string[], findings: Findings, foreign = false): void {
  for (const { key, at, value } of members(node)) {
    if (known.includes(key)) continue;
    if (isEffect(key)) throw findings.refusal(at, `"${key}" belongs inside "permissions"`);
    findings.unknownKey(at);
    const near = nearest(key, known);
    if (near === "permissions" || (near === "mcp" && holdsPermissions(value))) {
      throw findings.refusal(at, notKnown(key, near));
    }
    if (near !== undefined || !foreign) findings.problem("warning", at, notKnown(key, near));
  }
}

function holdsPermissions(node: Node): boolean {
  return members(node).some(({ key }) => isEffect(key) || nearest(key, ["permissions"]) !== undefined);
}

function isEffect(key: string): boolean {
  return EFFECTS.some((effect) => effect === key.toLowerCase());
}

/** The first of the places that has them; what stands in another is told to be left out. */
function findServers(root: Node, mcp: Node | undefined, findings: Findings): Node | undefined {
  const written = [
    { name: "mcp.servers", found: find(mcp, "servers") },
    { name: "mcpServers", found: find(root, "mcpServers") },
    { name: "servers", found: find(root, "servers") },
  ];
  const [first, ...others] = written.flatMap(({ name, found }) => (found ? [{ name, ...found }] : []));
  for (const { at, name } of others) {
    findings.problem("warning", at, `"${name}" is not read: "${first!.name}" is`);
  }
  return first?.value;
}
