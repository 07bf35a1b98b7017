/**
 * One config file (or what the invocation itself gives) as a layer: the servers
 * it defines, its permission rules, and what is wrong with it. An entry that is
 * wrong disables that server alone; where a rule may be lost, nothing is read.
 */
import type { ConfigProblem, HostError, Source, WorkspaceSpec } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import type { Naming } from "../names/naming.ts";
import { members, parseConfigText } from "./config-text.ts";
import type { ConfigText, Member } from "./config-text.ts";
import type { ConfiguredServer } from "./definition.ts";
import { findSections } from "./find-sections.ts";
import { Findings } from "./findings.ts";
import { isProjects, MOST_SERVERS } from "./project-limits.ts";
import { readNaming } from "./read-naming.ts";
import { readProfiles } from "./read-profiles.ts";
import type { ReadProfiles } from "./read-profiles.ts";
import { readRules } from "./read-rules.ts";
import type { ConfiguredRule } from "./read-rules.ts";
import { readServers } from "./read-servers.ts";
import type { Switch } from "./read-servers.ts";
import { toJsonText } from "./to-json-text.ts";

export interface Layer {
  readonly source: Source;
  readonly file: string;
  readonly servers: readonly ConfiguredServer[];
  /** Ids that this layer only switches on or off. */
  readonly switches: readonly Switch[];
  readonly rules: readonly ConfiguredRule[];
  readonly naming: Naming | undefined;
  readonly profiles: ReadProfiles;
  readonly problems: readonly ConfigProblem[];
  /** Why the file as it is now could not be read. */
  readonly refusal?: HostError;
}

export interface LayerOrigin {
  readonly source: Source;
  /** Where its definitions run unless they say otherwise. */
  readonly folder: string;
}

/** What may be given with an invocation instead of in a file. */
export interface Invocation extends WorkspaceSpec {
  readonly naming?: string;
}

const INVOCATION = "(given by the invocation)";

export function readConfigText(file: string, text: string, origin: LayerOrigin): Promise<Layer> {
  const config = parseConfigText(text);
  return readLayer(config, new Findings(file, config.placeOf), origin);
}

/** What the invocation itself gives goes through the same checks as a file. */
export async function readInvocation(spec: Invocation, origin: LayerOrigin): Promise<Layer> {
  const { servers = {}, permissions = {}, naming } = spec;
  const config = parseConfigText(toJsonText(INVOCATION, { mcp: { servers, permissions, naming } }));
  return readLayer(config, new Findings(INVOCATION, () => undefined), origin);
}

async function readLayer(config: ConfigText, findings: Findings, origin: LayerOrigin): Promise<Layer> {
  const { root, empty, syntaxError } = config;
  const { source } = origin;
  const { file } = findings;
  if (empty) throw findings.refusal({ line: 1, column: 1 }, "the file is empty; it must hold an object");
  if (syntaxError) throw findings.refusal(syntaxError, `not JSON: ${syntaxError.what}`);
  if (root?.type !== "object") throw findings.refusal(root ?? { line: 1, column: 1 }, "the file must hold an object");
  const sections = findSections(root, findings);
  const { servers, switches } = await readEntries(sections.servers, findings, source);
  return {
    source,
    file,
    servers: servers.map((server) => ({ ...server, ...origin, file })),
    switches,
    rules: readRules(sections.permissions, findings, source),
    naming: readNaming(allowed(sections.naming, source, findings), findings),
    profiles: readProfiles(allowed(sections.profiles, source, findings), findings),
    problems: findings.problems,
  };
}

/** What checks an entry takes long to load; most layers of most workspaces have none. */
async function readEntries(section: Node | undefined, findings: Findings, source: Source) {
  const none = !section || (section.type === "object" && members(section).length === 0);
  if (none) return { servers: [], switches: [] };
  const { checkEntry } = await import("./check-entry.ts");
  const most = isProjects(source) ? MOST_SERVERS : Infinity;
  return readServers(section, findings, (entry) => checkEntry(entry, source), most);
}

/** What a project must not decide is passed over and told. */
function allowed(section: Member | undefined, source: Source, findings: Findings): Member | undefined {
  if (!section || !isProjects(source)) return section;
  findings.notFromProject(section.at, section.key);
  return undefined;
}
