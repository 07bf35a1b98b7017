/**
 * Reads the section `model`: the default model of chats, and the providers of models. If the section is invalid, none
 * of its keys has an effect. A project's file can't set it, because its providers would get the user's keys and
 * conversations.
 */
import type { Node } from "jsonc-parser";
import { isJsonObject } from "@plugboard/contracts";
import type { ConfigSource } from "@plugboard/contracts";
import { findForbiddenReferences } from "../definition/secret-reference.ts";
import { isProjectSource } from "../definition/project-limits.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import { findMember, nodeValue } from "../parse/members.ts";
import type { Member } from "../parse/members.ts";
import type { LayerOrigin } from "./find-layer-files.ts";
import { findIssue, toSection } from "../sections/read-section.ts";
import type { SectionIssue } from "../sections/read-section.ts";
import { MODEL_KEYS } from "../sections/section-keys.ts";
import type { SectionValue } from "../sections/section-keys.ts";
import { VALUE_TYPES } from "../sections/section-values.ts";

export interface ModelSection {
  /** The model of chats that choose none, as `provider/model`. */
  readonly model?: string;
  readonly providers: ReadonlyMap<string, ConfiguredProvider>;
  /** The project's file that sets providers. Chats refuse to start while it does. */
  readonly refused?: { readonly file: string; readonly source: ConfigSource };
}

type Provider = NonNullable<SectionValue<typeof MODEL_KEYS>["providers"]>[string];

export type ConfiguredProvider = Omit<Provider, "models"> &
  Required<Pick<Provider, "models">> & {
    /** The base of relative paths in `apiKey`. */
    readonly folder: string;
  };

export function readModelSection(
  section: Member,
  diagnostics: Diagnostics,
  origin: Pick<LayerOrigin, "source" | "folder">,
): ModelSection | undefined {
  const { source } = origin;
  if (isProjectSource(source)) return refuseProject(section, source, diagnostics);
  const { valueNode } = section;
  const issue = findModelIssue(valueNode, source, diagnostics);
  if (issue) {
    diagnostics.report("error", issue.node, `"model" has no effect: ${issue.message}`);
    return { providers: new Map() };
  }
  const value = nodeValue(valueNode);
  const { default: model, providers = {} } = toSection(
    typeof value === "string" ? { default: value } : value,
    MODEL_KEYS,
  );
  const { folder } = origin;
  return {
    ...(model !== undefined && { model }),
    providers: new Map(
      Object.entries(providers).map(([name, provider]) => [name, { models: {}, ...provider, folder }]),
    ),
  };
}

function findModelIssue(node: Node, source: ConfigSource, diagnostics: Diagnostics): SectionIssue | undefined {
  const value = nodeValue(node);
  if (node.type !== "object") {
    const message = 'it must be a text such as "anthropic/claude-opus-4-5", or an object';
    return VALUE_TYPES.model_id.explain(value) === undefined ? undefined : { node, message };
  }
  const [forbidden] = findForbiddenReferences(isJsonObject(value) ? value : {}, source);
  const message = forbidden && `"${forbidden.path.join(".")}" ${forbidden.message}`;
  return findIssue(node, MODEL_KEYS, diagnostics) ?? (message === undefined ? undefined : { node, message });
}

/**
 * Merges the sections of layers, from lowest to highest priority. A provider replaces all settings of the provider with
 * the same name in a lower layer.
 */
export function mergeModelSections(sections: readonly ModelSection[]): ModelSection {
  const model = sections.findLast((section) => section.model !== undefined)?.model;
  const refused = sections.find((section) => section.refused)?.refused;
  return {
    ...(model !== undefined && { model }),
    providers: new Map(sections.flatMap(({ providers }) => [...providers])),
    ...(refused && { refused }),
  };
}

/**
 * A model alone is ignored like other settings. A provider is refused, because somebody may have tried to get the keys.
 */
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
