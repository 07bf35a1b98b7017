/** Reads the servers of one file. An invalid entry disables only its server. */
import type { Node } from "jsonc-parser";
import { nearest } from "@plugboard/contracts";
import { EFFECTS } from "../rules/rule.ts";
import type { CheckedEntry } from "../entry/check-entry.ts";
import { validateServerId } from "../entry/validate-server-id.ts";
import { groupByKey, membersOf } from "../parse/members.ts";
import type { ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import { unknownKeyMessage, quoteJson } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import { isSwitch, normaliseEntry } from "../entry/normalise-entry.ts";
import type { NormalisedEntry, RawEntry } from "../entry/normalise-entry.ts";

interface ReadServers {
  readonly servers: readonly Pick<ConfiguredServer, "id" | "definition">[];
  /** Entries with only `enabled`, which enable or disable a server of a lower layer. */
  readonly switches: readonly EnabledSwitch[];
}

export interface EnabledSwitch {
  readonly id: string;
  readonly enabled: boolean;
}

/** A definition, a switch for a server of a lower layer, or an error. */
type EntryResult =
  | { readonly definition: ServerDefinition }
  | { readonly enabled: boolean }
  | { readonly issues: readonly DescribedIssue[] };

interface DescribedIssue {
  readonly message: string;
  readonly node: Node;
}

type CheckEntry = (entry: RawEntry) => CheckedEntry;

/** Ignores servers beyond `maxServers`, with an error. */
export function readServers(
  node: Node | undefined,
  diagnostics: Diagnostics,
  checkEntry: CheckEntry,
  maxServers = Infinity,
): ReadServers {
  const servers: ReadServers["servers"][number][] = [];
  const switches: EnabledSwitch[] = [];
  if (node && node.type !== "object") diagnostics.report("error", node, '"servers" must be an object');
  let count = 0;
  const entries = groupByKey(membersOf(node));
  for (const [id, duplicates] of entries) {
    const [{ keyNode, valueNode }] = duplicates;
    if (++count > maxServers) {
      diagnostics.report(
        "error",
        keyNode,
        `a project's file may have at most ${maxServers} servers; it has ${entries.size}, and the rest is ignored`,
      );
      break;
    }
    const idError = validateServerId(id);
    if (idError !== undefined) {
      diagnostics.report("error", keyNode, idError);
      continue;
    }
    const nodes = duplicates.map((duplicate) => duplicate.keyNode);
    const result: EntryResult =
      duplicates.length === 1
        ? readEntry(id, valueNode, diagnostics, checkEntry)
        : invalid(keyNode, `${diagnostics.duplicateMessage("it", nodes)}; remove one`);
    if ("enabled" in result) {
      switches.push({ id, enabled: result.enabled });
    } else if ("definition" in result) {
      servers.push({ id, definition: result.definition });
    } else {
      servers.push({ id, definition: { invalid: summarize(result.issues) } });
      for (const { node: place, message } of result.issues) diagnostics.report("error", place, message, id);
    }
  }
  return { servers, switches };
}

function readEntry(id: string, node: Node, diagnostics: Diagnostics, checkEntry: CheckEntry): EntryResult {
  if (node.type !== "object") return invalid(node, "the entry must be an object");
  const normalised = normaliseEntry(node, diagnostics.file);
  const { entry, unknownKeys, warnings, duplicate } = normalised;
  for (const unknownKey of unknownKeys) reportUnknownKey(id, unknownKey, diagnostics);
  for (const { spelling, node: valueNode, message } of warnings)
    diagnostics.report("warning", valueNode, `${quoteJson(spelling)} ${message}`, id);
  if (duplicate) {
    const { name, nodes } = duplicate;
    return invalid(nodes[1]!, diagnostics.duplicateMessage(name, nodes));
  }
  if (isSwitch(entry)) return { enabled: entry.enabled };
  const checked = checkEntry(entry);
  if ("issues" in checked) return { issues: checked.issues.map((issue) => describeIssue(issue, normalised)) };
  for (const warning of checked.warnings) {
    const described = describeIssue(warning, normalised);
    diagnostics.report("warning", described.node, described.message, id);
  }
  return checked;
}

function invalid(node: Node, message: string): EntryResult {
  return { issues: [{ node, message }] };
}

function summarize([first, ...others]: readonly DescribedIssue[]): string {
  return others.length === 0 ? first!.message : `${first!.message} (and ${others.length} more problems)`;
}

/** Names the key as the file spells it, and finds its node. */
function describeIssue({ path, message }: EntryIssue, { locate }: NormalisedEntry): DescribedIssue {
  const { spelling, node } = locate(path);
  return { message: path.length === 0 ? message : `${quoteJson(spelling)} ${message}`, node };
}

type UnknownKey = NormalisedEntry["unknownKeys"][number];

/** Rejects the file for a permission rule in the wrong place, because the rule would have no effect. */
function reportUnknownKey(
  id: string,
  { key, spelling, keyNode, knownKeys }: UnknownKey,
  diagnostics: Diagnostics,
): void {
  const lower = key.toLowerCase();
  if (EFFECTS.some((effect) => effect === lower)) {
    const remedy = 'move it into "permissions", beside the servers';
    diagnostics.reject(keyNode, `"${key}" is not allowed in a server's entry; ${remedy}`);
    return;
  }
  if (lower === "permissions" || lower === "permission") {
    diagnostics.reject(keyNode, `"${key}" is not allowed in a server's entry; move it beside the servers`);
    return;
  }
  diagnostics.countUnknownKey(keyNode);
  diagnostics.report("warning", keyNode, unknownKeyMessage(spelling, nearest(key, knownKeys)), id);
}
