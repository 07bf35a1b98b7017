/** Applies the permission rules for `read_file` to the files that a search reads. */
import { join } from "node:path";
import { NATIVE_SERVER_ID } from "@plugboard/contracts";
import { decide } from "../../policy/decide.ts";
import type { Verdict } from "../../policy/decide.ts";
import { Policy } from "../../policy/policy.ts";
import { parseRule } from "@plugboard/config";
import type { Rule } from "@plugboard/config";
import type { SearchJob } from "./search-job.ts";

const READ_FILE = { server: NATIVE_SERVER_ID, tool: "read_file" };

/** The parts of a rule that are sent to the search thread, which parses the rule again. */
export type RuleText = Pick<Rule, "effect" | "text" | "source">;

/** Returns the rules that apply to `read_file`. */
export function readRuleTexts({ rules }: Policy): RuleText[] {
  return rules
    .filter(({ server, tool }) => server.matches(READ_FILE.server) && tool.matches(READ_FILE.tool))
    .map(({ effect, text, source }) => ({ effect, text, ...(source && { source }) }));
}

/**
 * Returns a function that decides whether a search may read a file. It gets the names from the workspace to the file.
 */
export function readDecider(job: SearchJob): (names: readonly string[]) => Verdict["effect"] {
  const { root, start, given, onlyFile } = job;
  const policy = new Policy(job.rules.flatMap(({ effect, text, source }) => parseRule(effect, text, source) ?? []));
  if (policy.rules.length === 0) return () => "allow";
  return (names) => {
    const path = names.join("/");
    // The search may begin behind a link, so a rule for the path with the link applies too.
    const asGiven = onlyFile === undefined ? join(given, ...names.slice(start.length)) : given;
    const spellings = [path, `./${path}`, join(root, ...names), asGiven];
    const resolvedArguments = spellings.map((spelling) => ({ path: spelling }));
    const call = { ...READ_FILE, arguments: { path }, resolvedArguments, impliesPermission: false, native: true };
    return decide(policy, call).effect;
  };
}
