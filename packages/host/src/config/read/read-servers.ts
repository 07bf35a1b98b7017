/** The servers of one file. An entry that is wrong disables that server alone. */
import type { Node } from "jsonc-parser";
import { NATIVE_SERVER_ID } from "../../names/name-table.ts";
import { nearest } from "../../lib/nearest.ts";
import { EFFECTS } from "../../policy/rule.ts";
import type { CheckedEntry } from "../entry/check-entry.ts";
import { groupByKey, membersOf } from "../parse/config-text.ts";
import type { ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import { unknownKeyMessage, quoteJson } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import { normaliseEntry } from "../entry/normalise-entry.ts";
import type { NormalisedEntry, RawEntry } from "../entry/normalise-entry.ts";

interface ReadServers {
  readonly servers: readonly Pick<ConfiguredServer, "id" | "definition">[];
  /** Ids that are only switched on or off. */
  readonly switches: readonly EnabledSwitch[];
}

export interface EnabledSwitch {
  readonly id: string;
  readonly enabled: boolean;
}

/** What became of an entry: a definition, a switch for one of a lower layer, or nothing that can be used. */
type EntryResult =
  | { readonly definition: ServerDefinition }
  | { readonly enabled: boolean }
  | { readonly wrong: string; readonly at: Node };

type CheckEntry = (entry: RawEntry) => CheckedEntry;

const ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** `most`: those that follow are not read, and that is told. */
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
    const [{ at, value }] = duplicates;
    if (++count > maxServers) {
      diagnostics.report(
        "error",
        at,
        `a project's file may have ${maxServers} servers, not ${entries.size}: the rest is not read`,
      );
      break;
    }
    const wrongId = validateServerId(id);
    if (wrongId !== undefined) {
      diagnostics.report("error", at, wrongId);
      continue;
    }
    const nodes = duplicates.map((twin) => twin.at);
    const read: EntryResult =
      duplicates.length === 1
        ? readEntry(id, value, diagnostics, checkEntry)
        : { at, wrong: `${diagnostics.duplicateMessage("it", nodes)}; remove one` };
    if ("enabled" in read) {
      switches.push({ id, enabled: read.enabled });
    } else if ("definition" in read) {
      servers.push({ id, definition: read.definition });
    } else {
      servers.push({ id, definition: { invalid: read.wrong } });
      diagnostics.report("error", read.at, read.wrong, id);
    }
  }
  return { servers, switches };
}

/** What can't be an id can't be shown or stored safely either, so it names no server at all. */
export function validateServerId(id: string): string | undefined {
  if (!ID.test(id)) return `a server id is 1 to 64 of A–Z a–z 0–9 _ -, not ${quoteJson(id)}`;
  if (id === NATIVE_SERVER_ID) return `a server can't be called "${NATIVE_SERVER_ID}": so the host's own tools are`;
  // As a key of a plain object it would be lost without a sound, here or at whoever reads a report.
  return id === "__proto__" ? 'a server can\'t be called "__proto__"' : undefined;
}

function readEntry(id: string, node: Node, diagnostics: Diagnostics, checkEntry: CheckEntry): EntryResult {
  if (node.type !== "object") return { at: node, wrong: "its definition must be an object" };
  const normalised = normaliseEntry(node, diagnostics.file);
  const { entry, unknownKeys, warnings, duplicate } = normalised;
  for (const one of unknownKeys) reportUnknownKey(id, one, diagnostics);
  for (const { spelling, node: at, what } of warnings)
    diagnostics.report("warning", at, `${quoteJson(spelling)} ${what}`, id);
  if (duplicate) {
    const { what, nodes } = duplicate;
    return { at: nodes[1]!, wrong: diagnostics.duplicateMessage(what, nodes) };
  }
  if (Object.keys(entry).length === 1 && typeof entry["enabled"] === "boolean") return { enabled: entry["enabled"] };
  const checked = checkEntry(entry);
  if ("mistake" in checked) {
    const { message, at } = describeIssue(checked.mistake, normalised);
    return { wrong: message, at };
  }
  for (const warning of checked.warnings) {
    const { message, at } = describeIssue(warning, normalised);
    diagnostics.report("warning", at, message, id);
  }
  return checked;
}

/** In the spelling of the file. */
function describeIssue({ path, what }: EntryIssue, { locate }: NormalisedEntry): { message: string; at: Node } {
  const { spelling, node } = locate(path);
  return { message: path.length === 0 ? what : `${quoteJson(spelling)} ${what}`, at: node };
}

type UnknownKey = NormalisedEntry["unknownKeys"][number];

function reportUnknownKey(id: string, { key, spelling, at, known }: UnknownKey, diagnostics: Diagnostics): void {
  const lower = key.toLowerCase();
  if (EFFECTS.some((effect) => effect === lower)) {
    const where = 'it belongs inside "permissions", beside the servers';
    throw diagnostics.configError(at, `"${key}" has no meaning for one server; ${where}`);
  }
  if (lower === "permissions" || lower === "permission") {
    throw diagnostics.configError(at, `"${key}" has no meaning for one server; it belongs beside the servers`);
  }
  diagnostics.countUnknownKey(at);
  diagnostics.report("warning", at, unknownKeyMessage(spelling, nearest(key, known)), id);
}
