/** Reads nodes of a parsed config file: the members of an object, and the value of a node. */
import { getNodeValue } from "jsonc-parser";
import type { Node } from "jsonc-parser";

/** A key of an object, with the nodes of the key and of its value. */
export interface Member {
  readonly key: string;
  readonly keyNode: Node;
  readonly valueNode: Node;
}

/** Returns the members of an object in order, including duplicates. */
export function membersOf(node: Node | undefined): Member[] {
  if (node?.type !== "object") return [];
  return (node.children ?? []).flatMap((property) => {
    const [keyNode, valueNode] = property.children ?? [];
    return keyNode && valueNode ? [{ key: String(keyNode.value), keyNode, valueNode }] : [];
  });
}

/** Returns the last member with the key, because `JSON.parse` also uses the last of duplicates. */
export function findMember(node: Node | undefined, key: string): Member | undefined {
  return membersOf(node).findLast((entry) => entry.key === key);
}

/** Groups members by key, in order of first appearance. */
export function groupByKey(members: readonly Member[]): Map<string, [Member, ...Member[]]> {
  const groups = new Map<string, [Member, ...Member[]]>();
  for (const member of members) {
    const group = groups.get(member.key);
    if (group) group.push(member);
    else groups.set(member.key, [member]);
  }
  return groups;
}

export function nodeValue(node: Node): unknown {
  return getNodeValue(node);
}
