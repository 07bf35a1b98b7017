/**
 * One config file (or what the invocation itself gives) as a layer: the servers
 * it defines, its permission rules, and what is wrong with it. An entry that is
 * wrong disables that server alone; where a rule may be lost, nothing is read.
 */
import { readFile } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem, Source, WorkspaceSpec } from "@plugboard/contracts";
import type { Rule } from "../policy/rule.ts";
import { parseConfigText } from "./config-text.ts";
import type { ConfigText } from "./config-text.ts";
import type { ConfiguredServer } from "./definition.ts";
import { findSections } from "./find-sections.ts";
import { Findings } from "./findings.ts";
import { readRules } from "./read-rules.ts";
import { readServers } from "./read-servers.ts";
import { toJsonText } from "./to-json-text.ts";

export interface Layer {
  readonly servers: readonly ConfiguredServer[];
  /** Ids that this layer only switches on or off. */
  readonly switches: readonly { readonly id: string; readonly enabled: boolean }[];
  readonly rules: readonly Rule[];
  readonly problems: readonly ConfigProblem[];
}

export interface LayerOrigin {
  readonly source: Source;
  /** Where its definitions run unless they say otherwise. */
  readonly folder: string;
}

const EMPTY: Layer = { servers: [], switches: [], rules: [], problems: [] };
const INVOCATION = "(given by the invocation)";

/** A file that need not exist is an empty layer when it doesn't. */
export async function readConfigFile(file: string, origin: LayerOrigin, mustExist: boolean): Promise<Layer> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && !mustExist) return EMPTY;
    const what = code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`;
    throw new HostError("CONFIG_INVALID", { file, what }, { cause: error });
  }
  return readConfigText(file, decode(file, bytes), origin);
}

export function readConfigText(file: string, text: string, origin: LayerOrigin): Promise<Layer> {
  const config = parseConfigText(text);
  return readLayer(config, new Findings(file, config.placeOf), origin);
}

/** What the invocation itself gives goes through the same checks as a file. */
export async function readInvocation(spec: WorkspaceSpec, origin: LayerOrigin): Promise<Layer> {
  const { servers = {}, permissions = {} } = spec;
  const config = parseConfigText(toJsonText(INVOCATION, { mcp: { servers, permissions } }));
  return readLayer(config, new Findings(INVOCATION, () => undefined), origin);
}

async function readLayer({ root, syntaxError }: ConfigText, findings: Findings, origin: LayerOrigin): Promise<Layer> {
  const { checkEntry } = await import("./check-entry.ts");
  if (!root) throw findings.refusal({ line: 1, column: 1 }, "the file is empty; it must hold an object");
  if (syntaxError) throw findings.refusal(syntaxError, `not JSON: ${syntaxError.what}`);
  if (root.type !== "object") throw findings.refusal(root, "the file must hold an object");
  const sections = findSections(root, findings);
  const { servers, switches } = readServers(sections.servers, findings, checkEntry);
  return {
    servers: servers.map((server) => ({ ...server, ...origin })),
    switches,
    rules: readRules(sections.permissions, findings),
    problems: findings.problems,
  };
}

/** With a character lost, a rule would no longer name its tool. */
function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new HostError("CONFIG_INVALID", { file, what: "it is not UTF-8" }, { cause: error });
  }
}
