/**
 * Reads the section `model`: the default model of chats, and the providers of models. An invalid section has no effect
 * as a whole. A project's file can't set it, because its providers would get the user's keys and conversations.
 */
import type { ConfigSource, EntryValue } from "@plugboard/contracts";
import { isProjectSource } from "../definition/project-limits.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import { findMember, nodeValue } from "../parse/members.ts";
import type { Member } from "../parse/members.ts";
import type { LayerOrigin } from "./find-layer-files.ts";
import { validateModelSection } from "./validate-model-section.ts";

export interface ModelSection {
  /** The model of chats that choose none, as `provider/model`. */
  readonly model?: string;
  readonly providers: ReadonlyMap<string, ConfiguredProvider>;
  /** The project's file that sets providers. Chats refuse to start while it does. */
  readonly refused?: { readonly file: string; readonly source: ConfigSource };
}

export interface ConfiguredProvider {
  readonly baseUrl?: string;
  readonly apiKey?: EntryValue;
  /** The base of relative paths in `apiKey`. */
  readonly folder: string;
  readonly models: { readonly [model: string]: ConfiguredModel };
}

interface ConfiguredModel {
  readonly contextTokens?: number;
  /** US dollars per million tokens. */
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}

export function readModelSection(
  section: Member,
  diagnostics: Diagnostics,
  origin: Pick<LayerOrigin, "source" | "folder">,
): ModelSection | undefined {
  const { source } = origin;
  if (isProjectSource(source)) return refuseProject(section, source, diagnostics);
  const { valueNode } = section;
  const issue = validateModelSection(valueNode, source);
  if (issue !== undefined) {
    diagnostics.report("error", valueNode, `"model" has no effect: ${issue}`);
    return { providers: new Map() };
  }
  const value = nodeValue(valueNode) as string | StoredSection;
  const { default: model, providers = {} } = typeof value === "string" ? { default: value } : value;
  return {
    ...(model !== undefined && { model }),
    providers: new Map(Object.entries(providers).map(([name, stored]) => [name, toProvider(stored, origin.folder)])),
  };
}

/** Merges the sections of layers, from lowest to highest priority. A provider replaces one of a lower layer as a whole. */
export function mergeModelSections(sections: readonly ModelSection[]): ModelSection {
  const model = sections.findLast((section) => section.model !== undefined)?.model;
  const refused = sections.find((section) => section.refused)?.refused;
  return {
    ...(model !== undefined && { model }),
    providers: new Map(sections.flatMap(({ providers }) => [...providers])),
    ...(refused && { refused }),
  };
}

/** A model alone is ignored like other settings. A provider is refused, because somebody may have tried to get the keys. */
function refuseProject({ key, keyNode, valueNode }: Member, source: ConfigSource, diagnostics: Diagnostics) {
  const providers = findMember(valueNode, "providers");
  if (!providers) {
    diagnostics.warnIgnoredInProject(keyNode, key);
    return undefined;
  }
  const message = "a project's file can't set \"providers\" of models; chats do not start until you remove it";
  diagnostics.report("error", providers.keyNode, message);
  return { providers: new Map<string, ConfiguredProvider>(), refused: { file: diagnostics.file, source } };
}

interface StoredSection {
  readonly default?: string;
  readonly providers?: { readonly [name: string]: StoredProvider };
}

interface StoredProvider {
  readonly base_url?: string;
  readonly api_key?: EntryValue;
  readonly models?: { readonly [model: string]: StoredModel };
}

interface StoredModel {
  readonly context_tokens?: number;
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cache_read?: number;
    readonly cache_write?: number;
  };
}

function toProvider({ base_url: baseUrl, api_key: apiKey, models = {} }: StoredProvider, folder: string) {
  return {
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    folder,
    models: Object.fromEntries(Object.entries(models).map(([name, model]) => [name, toModel(model)])),
  };
}

function toModel({ context_tokens: contextTokens, price }: StoredModel): ConfiguredModel {
  const { cache_read: cacheRead, cache_write: cacheWrite } = price ?? {};
  return {
    ...(contextTokens !== undefined && { contextTokens }),
    ...(price && {
      price: {
        input: price.input,
        output: price.output,
        ...(cacheRead !== undefined && { cacheRead }),
        ...(cacheWrite !== undefined && { cacheWrite }),
      },
    }),
  };
}
