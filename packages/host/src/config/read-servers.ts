/** The servers of one file. An entry that is wrong disables that server alone. */
import type { Node } from "jsonc-parser";
import { nearest } from "../names/nearest.ts";
import { EFFECTS } from "../policy/rule.ts";
import type { Checked } from "./check-entry.ts";
import { grouped, members, valueOf } from "./config-text.ts";
import type { Member } from "./config-text.ts";
import type { ConfiguredServer, ServerDefinition } from "./definition.ts";
import { ENTRY_KEYS, entryKey } from "./entry-keys.ts";
import { notKnown } from "./findings.ts";
import type { Findings } from "./findings.ts";

interface ReadServers {
  readonly servers: readonly Pick<ConfiguredServer, "id" | "definition">[];
  /** Ids that are only switched on or off. */
  readonly switches: readonly { readonly id: string; readonly enabled: boolean }[];
}

/** What became of an entry: a definition, a switch for one of a lower layer, or nothing that can be used. */
type Read =
  | { readonly definition: ServerDefinition }
  | { readonly enabled: boolean }
  | { readonly wrong: string; readonly at: Node };

export type CheckEntry = (entry: { readonly [key: string]: unknown }) => Checked;

const ID = /^[a-zA-Z0-9_-]{1,64}$/;

export function readServers(node: Node | undefined, findings: Findings, checkEntry: CheckEntry): ReadServers {
  const servers: Pick<ConfiguredServer, "id" | "definition">[] = [];
  const switches: { id: string; enabled: boolean }[] = [];
  if (node && node.type !== "object") findings.problem("error", node, '"servers" must be an object');
  for (const [id, twins] of grouped(members(node))) {
    const [{ at, value }] = twins;
    const wrongId = checkId(id);
    if (wrongId !== undefined) {
      findings.problem("error", at, wrongId);
      continue;
    }
    const read: Read =
      twins.length === 1
        ? readEntry(id, value, findings, checkEntry)
        : { at, wrong: `${findings.repetition("it", nodesOf(twins))}; remove one` };
    if ("enabled" in read) {
      switches.push({ id, enabled: read.enabled });
    } else if ("definition" in read) {
      servers.push({ id, definition: read.definition });
    } else {
      servers.push({ id, definition: { invalid: read.wrong } });
      findings.problem("error", read.at, read.wrong, id);
    }
  }
  return { servers, switches };
}

/** What can't be an id can't be shown or stored safely either, so it names no server at all. */
function checkId(id: string): string | undefined {
  if (!ID.test(id)) return `a server id is 1 to 64 of A–Z a–z 0–9 _ -, not ${JSON.stringify(id)}`;
  // As a key of a plain object it would be lost without a sound, here or at whoever reads a report.
  return id === "__proto__" ? 'a server can\'t be called "__proto__"' : undefined;
}

function readEntry(id: string, node: Node, findings: Findings, checkEntry: CheckEntry): Read {
  if (node.type !== "object") return { at: node, wrong: "its definition must be an object" };
  const known = members(node).flatMap((member) => {
    const key = entryKey(member.key);
    if (key === undefined) unknownKey(id, member, findings);
    return key === undefined ? [] : [{ ...member, key }];
  });
  const repeated = findRepeated(known, findings);
  if (repeated) return repeated;
  const entry = Object.fromEntries(known.map(({ key, value }) => [key, valueOf(value)]));
  if (known.length === 1 && typeof entry["enabled"] === "boolean") return { enabled: entry["enabled"] };
  const checked = checkEntry(entry);
  if ("definition" in checked) return checked;
  return { wrong: checked.wrong, at: known.find(({ key }) => key === checked.key)?.value ?? node };
}

function unknownKey(id: string, { key, at }: { key: string; at: Node }, findings: Findings): void {
  const lower = key.toLowerCase();
  if (EFFECTS.some((effect) => effect === lower)) {
    const where = 'it belongs inside "permissions", beside the servers';
    throw findings.refusal(at, `"${key}" has no meaning for one server; ${where}`);
  }
  if (lower === "permissions" || lower === "permission") {
    throw findings.refusal(at, `"${key}" has no meaning for one server; it belongs beside the servers`);
  }
  findings.problem("warning", at, notKnown(key, nearest(key, ENTRY_KEYS)), id);
}

/** A key that an entry, or an object in it like `env`, has twice. */
function findRepeated(known: readonly Member[], findings: Findings): Read | undefined {
  for (const [key, twins] of grouped(known)) {
    if (twins.length > 1) return { at: twins[1]!.at, wrong: findings.repetition(`"${key}"`, nodesOf(twins)) };
    for (const [name, inner] of grouped(members(twins[0].value))) {
      const what = `"${key}.${name}"`;
      if (inner.length > 1) return { at: inner[1]!.at, wrong: findings.repetition(what, nodesOf(inner)) };
    }
  }
  return undefined;
}

function nodesOf(twins: readonly Member[]): Node[] {
  return twins.map(({ at }) => at);
}
