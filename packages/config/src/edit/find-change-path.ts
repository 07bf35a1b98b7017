/** Finds the path of the part that a change applies to. Keeps the structure of files written for other clients. */
import type { Node } from "jsonc-parser";
import { findMember } from "../parse/members.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import type { ConfigChange } from "./apply-change.ts";
import type { JsonPath } from "./edit-json-text.ts";

/** Throws CONFIG_INVALID unless every parent is an object and the changed key occurs at most once. */
export function findChangePath(root: Node, change: ConfigChange, diagnostics: Diagnostics): JsonPath {
  const path = pathOf(root, change);
  rejectAmbiguousPath(root, path, diagnostics);
  return path;
}

function pathOf(root: Node, change: ConfigChange): JsonPath {
  if ("id" in change) return serverPath(root, change.id);
  return "rule" in change
    ? [...sectionPath(root, "permissions"), change.effect]
    : [...sectionPath(root, "profiles"), change.profile];
}

export function serverPath(root: Node, id: string): JsonPath {
  return [...serversPath(root), id];
}

/** Returns the path of the servers. A file without servers gets a path that keeps its other sections valid. */
function serversPath(root: Node): JsonPath {
  const mcp = findMember(root, "mcp")?.valueNode;
  if (findMember(mcp, "servers")) return ["mcp", "servers"];
  for (const key of ["mcpServers", "servers"]) if (findMember(root, key)) return [key];
  return mcp || !hasTopLevelSection(root) ? ["mcp", "servers"] : ["servers"];
}

function sectionPath(root: Node, section: "permissions" | "profiles"): JsonPath {
  if (findMember(root, "mcp")) return ["mcp", section];
  return hasTopLevelSection(root) ? [section] : ["mcp", section];
}

/** Returns true for a file with sections at the top level. A new `mcp` section would make them invalid or ignored. */
function hasTopLevelSection(root: Node): boolean {
  return TOP_LEVEL_SECTIONS.some((key) => findMember(root, key));
}

const TOP_LEVEL_SECTIONS = ["mcpServers", "servers", "permissions", "naming", "profiles"];

function rejectAmbiguousPath(root: Node, path: JsonPath, diagnostics: Diagnostics): void {
  let node: Node | undefined = root;
  for (const [depth, key] of path.entries()) {
    if (!node) return;
    if (node.type !== "object") throw diagnostics.configError(node, `"${path[depth - 1]}" must be an object`);
    diagnostics.rejectDuplicates(node, [key]);
    diagnostics.throwIfRejected();
    node = findMember(node, key)?.valueNode;
  }
}
