/**
 * One config file (or the program's own servers) as a layer: the servers it
 * defines, its permission rules, and what is wrong with it. An entry that is
 * wrong disables that server alone.
 */
import { readFile } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem, Source, WorkspaceSpec } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { nearest } from "../names/nearest.ts";
import { parseRule } from "../policy/rule.ts";
import type { Effect, Rule } from "../policy/rule.ts";
import { member, members, parseConfigText, valueOf } from "./config-text.ts";
import type { ConfigText } from "./config-text.ts";
import type { ConfiguredServer } from "./definition.ts";
import type { Checked } from "./check-entry.ts";
import { ENTRY_KEYS, entryKey } from "./entry-keys.ts";

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
const ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** A file that need not exist is an empty layer when it doesn't. */
export async function readConfigFile(file: string, origin: LayerOrigin, mustExist: boolean): Promise<Layer> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && !mustExist) return EMPTY;
    const what = code === "ENOENT" ? "there is no such file" : `it can't be read (${code})`;
    throw new HostError("CONFIG_INVALID", { file, what }, { cause: error });
  }
  return readConfigText(file, text, origin);
}

export async function readConfigText(file: string, text: string, origin: LayerOrigin): Promise<Layer> {
  const { checkEntry } = await import("./check-entry.ts");
  const config = parseConfigText(text);
  const reader = new LayerReader(file, config, origin, checkEntry);
  return reader.read();
}

/** What the invocation itself gives goes through the same checks as a file. */
export function readInvocation(spec: WorkspaceSpec, origin: LayerOrigin): Promise<Layer> {
  const { servers = {}, permissions = {} } = spec;
  return readConfigText("(given by the invocation)", JSON.stringify({ mcp: { servers, permissions } }), origin);
}

type CheckEntry = (entry: { readonly [key: string]: unknown }) => Checked;

class LayerReader {
  readonly #servers: ConfiguredServer[] = [];
  readonly #switches: { id: string; enabled: boolean }[] = [];
  readonly #rules: Rule[] = [];
  readonly #problems: ConfigProblem[] = [];
  readonly #file: string;
  readonly #config: ConfigText;
  readonly #origin: LayerOrigin;
  readonly #checkEntry: CheckEntry;

  constructor(file: string, config: ConfigText, origin: LayerOrigin, checkEntry: CheckEntry) {
    this.#file = file;
    this.#config = config;
    this.#origin = origin;
    this.#checkEntry = checkEntry;
  }

  read(): Layer {
    const { root, syntaxError } = this.#config;
    if (syntaxError) {
      const { what, line, column } = syntaxError;
      return {
        ...EMPTY,
        problems: [{ severity: "error", file: this.#file, line, column, message: `not JSON: ${what}` }],
      };
    }
    if (root && root.type !== "object") this.#problem("error", root, "the file must hold an object");
    const mcp = member(root, "mcp");
    this.#readServers(member(mcp, "servers") ?? member(root, "mcpServers") ?? member(root, "servers"));
    this.#readRules(member(mcp, "permissions"));
    return { servers: this.#servers, switches: this.#switches, rules: this.#rules, problems: this.#problems };
  }

  #readServers(node: Node | undefined): void {
    if (node && node.type !== "object") return this.#problem("error", node, '"servers" must be an object');
    const entries = members(node);
    for (const { key: id, at, value } of entries) {
      const twins = entries.filter((entry) => entry.key === id);
      if (twins.length > 1) {
        if (twins[0]!.at !== at) continue;
        const lines = twins.map((twin) => this.#config.placeOf(twin.at).line).join(" and ");
        this.#invalid(id, at, `"${id}" is defined twice, on lines ${lines}; remove one`);
      } else {
        this.#readServer(id, at, value);
      }
    }
  }

  #readServer(id: string, at: Node, node: Node): void {
    if (!ID.test(id)) {
      // Such an id can't be shown or stored safely, so it names no server at all.
      return this.#problem("error", at, `a server id is 1 to 64 of A–Z a–z 0–9 _ -, not ${JSON.stringify(id)}`);
    }
    if (node.type !== "object") return this.#invalid(id, node, "its definition must be an object");
    const entry: { [key: string]: unknown } = {};
    const nodes = new Map<string, Node>();
    for (const { key: spelling, at: keyNode, value } of members(node)) {
      const key = entryKey(spelling);
      if (key === undefined) {
        this.#unknownKey(id, keyNode, spelling);
      } else {
        entry[key] = valueOf(value);
        nodes.set(key, value);
      }
    }
    if (Object.keys(entry).join() === "enabled" && typeof entry["enabled"] === "boolean") {
      this.#switches.push({ id, enabled: entry["enabled"] });
      return;
    }
    const checked = this.#checkEntry(entry);
    if ("wrong" in checked) return this.#invalid(id, nodes.get(checked.key ?? "") ?? node, checked.wrong);
    this.#servers.push({ id, ...this.#origin, definition: checked.definition });
  }

  #readRules(node: Node | undefined): void {
    for (const { key, at, value } of members(node)) {
      if (key !== "allow" && key !== "ask" && key !== "deny") {
        this.#problem("warning", at, `"${key}" is not one of allow, ask, deny`);
      } else if (value.type !== "array") {
        this.#problem("error", value, `"${key}" must be a list of rules`);
      } else {
        for (const item of value.children ?? []) this.#readRule(key, item);
      }
    }
  }

  /** A rule that can't be understood must not be passed over in silence: it may be a denial. */
  #readRule(effect: Effect, node: Node): void {
    const text = valueOf(node);
    const rule = typeof text === "string" ? parseRule(effect, text) : undefined;
    if (rule) this.#rules.push(rule);
    else throw this.#unusable(node, `${JSON.stringify(text)} is not a rule; write "server:tool", with * for any part`);
  }

  #invalid(id: string, node: Node, wrong: string): void {
    this.#servers.push({ id, ...this.#origin, definition: { invalid: wrong } });
    this.#problem("error", node, wrong, id);
  }

  #unknownKey(server: string, node: Node, key: string): void {
    const near = nearest(key, ENTRY_KEYS);
    this.#problem("warning", node, `"${key}" is not known${near ? `; did you mean "${near}"?` : ""}`, server);
  }

  #problem(severity: ConfigProblem["severity"], node: Node, message: string, server?: string): void {
    const place = this.#config.placeOf(node);
    this.#problems.push({ severity, file: this.#file, ...place, message, ...(server !== undefined && { server }) });
  }

  #unusable(node: Node, what: string): HostError {
    return new HostError("CONFIG_INVALID", { file: this.#file, ...this.#config.placeOf(node), what });
  }
}
