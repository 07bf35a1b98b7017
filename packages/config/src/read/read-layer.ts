/**
 * Reads one config file, or the config of an invocation, as a layer: servers, permission rules and problems. An
 * invalid entry disables only its server. Throws CONFIG_INVALID for a mistake that could make a
 * `deny` rule or a sandbox ineffective.
 */
import { basename } from "node:path";
import type {
  ConfigProblem,
  HostError,
  ConfigSource,
  SandboxSetting,
  ServerEntry,
  WorkspaceSpec,
  Naming,
} from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { NAMINGS } from "@plugboard/contracts";
import { membersOf, nodeValue } from "../parse/members.ts";
import { parseConfigText } from "../parse/parse-config-text.ts";
import type { Member } from "../parse/members.ts";
import type { ConfigText } from "../parse/parse-config-text.ts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { explainSandboxDefault } from "../sandbox/sandbox-setting.ts";
import type { SandboxDefault } from "../sandbox/configure-sandbox.ts";
import { isPlugboardDefinition } from "../definition/is-plugboard-itself.ts";
import { findSections } from "../sections/find-sections.ts";
import { requireObject } from "../parse/require-object.ts";
import { Diagnostics, quoteJson } from "../parse/diagnostics.ts";
import type { checkEntry } from "../entry/check-entry.ts";
import { checkPlainEntry } from "../entry/check-plain-entry.ts";
import { normaliseEntry } from "../entry/normalise-entry.ts";
import { isProjectSource, MAX_PROJECT_SERVERS } from "../definition/project-limits.ts";
import type { LayerOrigin } from "./find-layer-files.ts";
import { readGatewaySettings } from "./read-gateway-settings.ts";
import type { GatewaySettings } from "./read-gateway-settings.ts";
import { readModelSection } from "./read-model-section.ts";
import type { ModelSection } from "./read-model-section.ts";
import { readProfiles } from "./read-profiles.ts";
import type { ProfilesByName } from "./read-profiles.ts";
import { readRules } from "./read-rules.ts";
import type { ConfiguredRule } from "./read-rules.ts";
import { readServers } from "./read-servers.ts";
import type { EnabledSwitch } from "./read-servers.ts";
import { serializeJson } from "../parse/serialize-json.ts";

export interface Layer {
  readonly source: ConfigSource;
  readonly file: string;
  readonly servers: readonly ConfiguredServer[];
  /** Servers that this layer only enables or disables. */
  readonly switches: readonly EnabledSwitch[];
  readonly rules: readonly ConfiguredRule[];
  readonly sandboxDefault: SandboxDefault | undefined;
  readonly terminalSandbox: SandboxDefault | undefined;
  readonly naming: Naming | undefined;
  readonly profiles: ProfilesByName;
  readonly gateway: GatewaySettings | undefined;
  readonly model: ModelSection | undefined;
  readonly problems: readonly ConfigProblem[];
  /** The error of the current file, if an older version is in effect. */
  readonly readError?: HostError;
}

/** The config that a program or the command line passes. */
export interface InvocationSpec extends WorkspaceSpec {
  readonly naming?: string;
}

const INVOCATION_LABEL = "(invocation)";
const NO_PROFILES: ProfilesByName = new Map();

export function readLayerFromText(file: string, text: string, origin: LayerOrigin): Promise<Layer> {
  const config = parseConfigText(text);
  return readLayer(config, new Diagnostics(file, config.positionOf), origin);
}

/** Reads servers that were converted from a file of another client. Positions in the file are not known. */
export function readLayerFromServers(
  file: string,
  servers: { readonly [id: string]: ServerEntry },
  origin: LayerOrigin,
): Promise<Layer> {
  const config = parseConfigText(serializeJson(file, { mcp: { servers } }));
  return readLayer(config, new Diagnostics(file, () => undefined), origin);
}

/**
 * Reads the config that a program or the flags of a command give, validated like a file. Returns undefined if there is
 * none.
 */
export async function readLayerFromInvocation(spec: InvocationSpec, origin: LayerOrigin): Promise<Layer | undefined> {
  if (spec.servers === undefined && spec.permissions === undefined && spec.naming === undefined) return undefined;
  const { servers = {}, permissions = {}, naming } = spec;
  const config = parseConfigText(serializeJson(INVOCATION_LABEL, { mcp: { servers, permissions, naming } }));
  return readLayer(config, new Diagnostics(INVOCATION_LABEL, () => undefined), origin);
}

async function readLayer(config: ConfigText, diagnostics: Diagnostics, origin: LayerOrigin): Promise<Layer> {
  const root = requireObject(config, diagnostics);
  const { source } = origin;
  const { file } = diagnostics;
  const sections = findSections(root, diagnostics);
  const sandboxDefault = sectionUnlessProject(sections.sandboxDefault, source, diagnostics);
  const terminalSandbox = sectionUnlessProject(sections.terminalSandbox, source, diagnostics);
  const naming = sectionUnlessProject(sections.naming, source, diagnostics);
  const profiles = sectionUnlessProject(sections.profiles, source, diagnostics);
  const gateway = sectionUnlessProject(sections.gateway, source, diagnostics);
  const { servers, switches } = await readEntries(sections.servers, diagnostics, source);
  const layer = {
    source,
    file,
    servers: servers
      .filter(({ definition }) => !isForOtherClients(definition, file))
      .map((server) => ({ ...server, ...origin, file })),
    switches,
    rules: readRules(sections.permissions, diagnostics, source),
    sandboxDefault: sandboxDefault && readSandboxDefault(sandboxDefault, diagnostics),
    terminalSandbox: terminalSandbox && readSandboxDefault(terminalSandbox, diagnostics),
    naming: naming && readNaming(naming, diagnostics),
    profiles: profiles ? readProfiles(profiles, diagnostics) : NO_PROFILES,
    gateway: gateway && readGatewaySettings(gateway, diagnostics),
    model: sections.model && readModelSection(sections.model, diagnostics, origin),
    problems: diagnostics.problems,
  };
  diagnostics.throwIfRejected();
  return layer;
}

/** Returns true for an entry of `.mcp.json` by which other clients use Plugboard itself. */
function isForOtherClients(definition: ConfiguredServer["definition"], file: string): boolean {
  return basename(file) === ".mcp.json" && !("invalid" in definition) && isPlugboardDefinition(definition);
}

async function readEntries(section: Node | undefined, diagnostics: Diagnostics, source: ConfigSource) {
  const isEmpty = !section || (section.type === "object" && membersOf(section).length === 0);
  if (isEmpty) return { servers: [], switches: [] };
  const maxServers = isProjectSource(source) ? MAX_PROJECT_SERVERS : Infinity;
  const checkOther = await loadValidation(section, diagnostics.file);
  return readServers(section, diagnostics, (entry) => checkPlainEntry(entry) ?? checkOther!(entry, source), maxServers);
}

/** Imports the validation with zod, which is slow to load, unless all entries are plain. */
async function loadValidation(section: Node, file: string): Promise<typeof checkEntry | undefined> {
  const isPlain = ({ valueNode }: Member) => checkPlainEntry(normaliseEntry(valueNode, file).entry) !== undefined;
  if (membersOf(section).every(isPlain)) return undefined;
  return (await import("../entry/check-entry.ts")).checkEntry;
}

/** Returns undefined, with a warning, for a section in a project's file, which may not set it. */
function sectionUnlessProject(
  section: Member | undefined,
  source: ConfigSource,
  diagnostics: Diagnostics,
): Member | undefined {
  if (!section || !isProjectSource(source)) return section;
  diagnostics.warnIgnoredInProject(section.keyNode, section.key);
  return undefined;
}

function readNaming(section: Member, diagnostics: Diagnostics): Naming | undefined {
  const text = nodeValue(section.valueNode);
  const naming = NAMINGS.find((format) => format === text);
  if (naming === undefined) {
    const formats = NAMINGS.map((format) => `"${format}"`).join(", ");
    diagnostics.report("error", section.valueNode, `"naming" is ${quoteJson(text)}; it must be one of ${formats}`);
  }
  return naming;
}

/** Rejects the file for an invalid value, because servers of projects, or commands, would run without it. */
function readSandboxDefault({ key, valueNode }: Member, diagnostics: Diagnostics): SandboxDefault | undefined {
  const setting = nodeValue(valueNode) as SandboxSetting | false;
  const problem = explainSandboxDefault(setting);
  if (problem !== undefined) diagnostics.reject(valueNode, `"${key}" ${problem}`);
  return setting && problem === undefined ? { setting, file: diagnostics.file } : undefined;
}
