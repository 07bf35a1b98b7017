/**
 * The profiles of one file: named views of the catalog. One that is wrong does
 * not exist at all, also if a lower layer has a right one of that name: it was
 * to show something else.
 */
import type { Node } from "jsonc-parser";
import { nearest } from "../names/nearest.ts";
import { find, grouped, members, valueOf } from "./config-text.ts";
import type { Member } from "./config-text.ts";
import { notKnown, quote } from "./findings.ts";
import type { Findings } from "./findings.ts";

export interface Profile {
  /** Ids; all if absent. */
  readonly servers?: readonly string[];
  /** Patterns of `server:tool`. */
  readonly tools?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
  readonly mode?: "search" | "all";
}

/** Nothing for a name whose profile is wrong. */
export type ReadProfiles = ReadonlyMap<string, Profile | undefined>;

/** They are part of URLs. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_-]{1,64}$/;
const TOOL = /^([a-zA-Z0-9_*-]+:[^()\s]+|\*)$/;
const KEYS = ["servers", "tools", "mode"];
const TOOL_KEYS = ["include", "exclude"];

interface Wrong {
  readonly at: Node;
  readonly what: string;
}

export function readProfiles(written: Member | undefined, findings: Findings): ReadProfiles {
  const profiles = new Map<string, Profile | undefined>();
  if (!written) return profiles;
  if (written.value.type !== "object") findings.problem("error", written.value, '"profiles" must be an object');
  for (const [name, twins] of grouped(members(written.value))) {
    const [{ at, value }] = twins;
    if (!NAME.test(name) || name === "__proto__") {
      findings.problem("error", at, `the name of a profile is 1 to 64 of A–Z a–z 0–9 _ -, not ${quote(name)}`);
      continue;
    }
    const twice = findings.repetition(
      `the profile "${name}"`,
      twins.map((twin) => twin.at),
    );
    const wrong = twins.length > 1 ? { at, what: twice } : findWrong(value, findings);
    if (wrong) findings.problem("error", wrong.at, twins.length > 1 ? twice : `the profile "${name}": ${wrong.what}`);
    profiles.set(name, wrong ? undefined : (valueOf(value) as Profile));
  }
  return profiles;
}

function findWrong(profile: Node, findings: Findings): Wrong | undefined {
  if (profile.type !== "object") return { at: profile, what: "it must be an object" };
  const [servers, tools, mode] = KEYS.map((key) => find(profile, key)?.value);
  return (
    wrongKey(profile, KEYS, findings) ??
    wrongList(servers, ID, '"servers" must be a list of server ids') ??
    wrongTools(tools, findings) ??
    (mode && !["search", "all"].includes(String(valueOf(mode)))
      ? { at: mode, what: '"mode" must be "search" or "all"' }
      : undefined)
  );
}

function wrongTools(tools: Node | undefined, findings: Findings): Wrong | undefined {
  if (!tools) return undefined;
  if (tools.type !== "object") return { at: tools, what: '"tools" must be an object with "include" or "exclude"' };
  const lists = TOOL_KEYS.map((key) => {
    const what = `"tools.${key}" must be a list of "server:tool", with * for any part`;
    return wrongList(find(tools, key)?.value, TOOL, what);
  });
  return wrongKey(tools, TOOL_KEYS, findings) ?? lists.find(Boolean);
}

/** A view that leaves something out must not lose that by a slip: what is not known is an error here. */
function wrongKey(node: Node, known: readonly string[], findings: Findings): Wrong | undefined {
  for (const [key, twins] of grouped(members(node))) {
    const [{ at }] = twins;
    if (!known.includes(key)) return { at, what: notKnown(key, nearest(key, known)) };
    if (twins.length > 1)
      return {
        at,
        what: findings.repetition(
          `"${key}"`,
          twins.map((twin) => twin.at),
        ),
      };
  }
  return undefined;
}

function wrongList(list: Node | undefined, pattern: RegExp, what: string): Wrong | undefined {
  if (!list) return undefined;
  if (list.type !== "array") return { at: list, what };
  const wrong = list.children?.find((item) => typeof item.value !== "string" || !pattern.test(item.value));
  return wrong && { at: wrong, what: `${what}, not ${quote(valueOf(wrong))}` };
}
