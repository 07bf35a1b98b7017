/** The servers of one file. An entry that is wrong disables that server alone. */
import type { Node } from "jsonc-parser";
import { NATIVE } from "../names/name-table.ts";
import { nearest } from "../names/nearest.ts";
import { EFFECTS } from "../policy/rule.ts";
import type { Checked } from "./check-entry.ts";
import { grouped, members } from "./config-text.ts";
import type { ConfiguredServer, ServerDefinition } from "./definition.ts";
import type { Mistake } from "./explain-issue.ts";
import { notKnown, quote } from "./findings.ts";
import type { Findings } from "./findings.ts";
import { normaliseEntry } from "./normalise-entry.ts";
import type { NormalisedEntry, RawEntry } from "./normalise-entry.ts";

interface ReadServers {
  readonly servers: readonly Pick<ConfiguredServer, "id" | "definition">[];
  /** Ids that are only switched on or off. */
  readonly switches: readonly Switch[];
}

export interface Switch {
  readonly id: string;
  readonly enabled: boolean;
}

/** What became of an entry: a definition, a switch for one of a lower layer, or nothing that can be used. */
type Read =
  | { readonly definition: ServerDefinition }
  | { readonly enabled: boolean }
  | { readonly wrong: string; readonly at: Node };

type CheckEntry = (entry: RawEntry) => Checked;

const ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** `most`: those that follow are not read, and that is told. */
export function readServers(
  node: Node | undefined,
  findings: Findings,
  checkEntry: CheckEntry,
  most = Infinity,
): ReadServers {
  const servers: ReadServers["servers"][number][] = [];
  const switches: Switch[] = [];
  if (node && node.type !== "object") findings.problem("error", node, '"servers" must be an object');
  let count = 0;
  const entries = grouped(members(node));
  for (const [id, twins] of entries) {
    const [{ at, value }] = twins;
    if (++count > most) {
      findings.problem(
        "error",
        at,
        `a project's file may have ${most} servers, not ${entries.size}: the rest is not read`,
      );
      break;
    }
    const wrongId = checkId(id);
    if (wrongId !== undefined) {
      findings.problem("error", at, wrongId);
      continue;
    }
    const nodes = twins.map((twin) => twin.at);
    const read: Read =
      twins.length === 1
        ? readEntry(id, value, findings, checkEntry)
        : { at, wrong: `${findings.repetition("it", nodes)}; remove one` };
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
export function checkId(id: string): string | undefined {
  if (!ID.test(id)) return `a server id is 1 to 64 of A–Z a–z 0–9 _ -, not ${quote(id)}`;
  if (id === NATIVE) return `a server can't be called "${NATIVE}": so the host's own tools are`;
  // As a key of a plain object it would be lost without a sound, here or at whoever reads a report.
  return id === "__proto__" ? 'a server can\'t be called "__proto__"' : undefined;
}

function readEntry(id: string, node: Node, findings: Findings, checkEntry: CheckEntry): Read {
  if (node.type !== "object") return { at: node, wrong: "its definition must be an object" };
  const normalised = normaliseEntry(node, findings.file);
  const { entry, unknown, warnings, repeated } = normalised;
  for (const one of unknown) unknownKey(id, one, findings);
  for (const { spelling, node: at, what } of warnings)
    findings.problem("warning", at, `${quote(spelling)} ${what}`, id);
  if (repeated) {
    const { what, nodes } = repeated;
    return { at: nodes[1]!, wrong: findings.repetition(what, nodes) };
  }
  if (Object.keys(entry).length === 1 && typeof entry["enabled"] === "boolean") return { enabled: entry["enabled"] };
  const checked = checkEntry(entry);
  if ("mistake" in checked) {
    const { message, at } = phrase(checked.mistake, normalised);
    return { wrong: message, at };
  }
  for (const warning of checked.warnings) {
    const { message, at } = phrase(warning, normalised);
    findings.problem("warning", at, message, id);
  }
  return checked;
}

/** In the spelling of the file. */
function phrase({ path, what }: Mistake, { written }: NormalisedEntry): { message: string; at: Node } {
  const { spelling, node } = written(path);
  return { message: path.length === 0 ? what : `${quote(spelling)} ${what}`, at: node };
}

type Unknown = NormalisedEntry["unknown"][number];

function unknownKey(id: string, { key, spelling, at, known }: Unknown, findings: Findings): void {
  const lower = key.toLowerCase();
  if (EFFECTS.some((effect) => effect === lower)) {
    const where = 'it belongs inside "permissions", beside the servers';
    throw findings.refusal(at, `"${key}" has no meaning for one server; ${where}`);
  }
  if (lower === "permissions" || lower === "permission") {
    throw findings.refusal(at, `"${key}" has no meaning for one server; it belongs beside the servers`);
  }
  findings.unknownKey(at);
  findings.problem("warning", at, notKnown(spelling, nearest(key, known)), id);
}
