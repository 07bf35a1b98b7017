/** Validates the section `model` of a config file. Pure. */
import type { Node } from "jsonc-parser";
import { isJsonObject, parseUrl, nearest } from "@plugboard/contracts";
import type { ConfigSource } from "@plugboard/contracts";
import { findForbiddenReferences, validateEntryValue } from "../definition/secret-reference.ts";
import { unknownKeyMessage } from "../parse/diagnostics.ts";
import { findMember, membersOf, nodeValue } from "../parse/members.ts";

/** Returns what is wrong with the section, or undefined. */
export function validateModelSection(section: Node, source: ConfigSource): string | undefined {
  const value = nodeValue(section);
  if (typeof value === "string") return isModelId(value) ? undefined : NOT_A_MODEL;
  return findUnknownKey(section) ?? findIssue(value, source);
}

const KEYS = ["default", "providers"];
const PROVIDER_KEYS = ["base_url", "api_key", "models"];
const MODEL_KEYS = ["context_tokens", "price"];
const PRICE_KEYS = ["input", "output", "cache_read", "cache_write"];

/** The name must not contain a slash, because a model is written as `provider/model`. */
const PROVIDER = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/;
const MODEL = /^[^/\s]+\/\S+$/;
const NOT_A_MODEL = 'it must be a text such as "anthropic/claude-opus-4-5", or an object';

function isModelId(value: unknown): boolean {
  return typeof value === "string" && MODEL.test(value);
}

function findUnknownKey(section: Node): string | undefined {
  const valuesOf = (node: Node | undefined) => (node ? membersOf(node).map(({ valueNode }) => valueNode) : []);
  const providers = valuesOf(findMember(section, "providers")?.valueNode);
  const models = providers.flatMap((provider) => valuesOf(findMember(provider, "models")?.valueNode));
  const prices = models.flatMap((model) => findMember(model, "price")?.valueNode ?? []);
  const checks = [
    { nodes: [section], known: KEYS },
    { nodes: providers, known: PROVIDER_KEYS },
    { nodes: models, known: MODEL_KEYS },
    { nodes: prices, known: PRICE_KEYS },
  ];
  for (const { nodes, known } of checks) {
    const unknown = nodes.flatMap(membersOf).find(({ key }) => !known.includes(key))?.key;
    if (unknown !== undefined) return unknownKeyMessage(unknown, nearest(unknown, known));
  }
  return undefined;
}

function findIssue(value: unknown, source: ConfigSource): string | undefined {
  if (!isJsonObject(value)) return NOT_A_MODEL;
  const { default: model, providers = {} } = value;
  if (model !== undefined && !isModelId(model)) return '"default" must be a text such as "anthropic/claude-opus-4-5"';
  if (!isJsonObject(providers)) return '"providers" must be an object';
  const [forbidden] = findForbiddenReferences(providers, source);
  if (forbidden) return `"${forbidden.path.at(-1)}" ${forbidden.message}`;
  for (const [name, provider] of Object.entries(providers)) {
    const issue = PROVIDER.test(name) ? findProviderIssue(provider) : "its name must be letters, digits or . _ -";
    if (issue !== undefined) return `the provider "${name}": ${issue}`;
  }
  return undefined;
}

function findProviderIssue(provider: unknown): string | undefined {
  if (!isJsonObject(provider)) return "it must be an object";
  const { base_url: baseUrl, api_key: apiKey, models = {} } = provider;
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) return '"base_url" must be a URL that begins with https or http';
  const keyIssue = apiKey === undefined ? undefined : validateEntryValue(apiKey);
  if (keyIssue !== undefined) return `"api_key" ${keyIssue}`;
  if (!isJsonObject(models)) return '"models" must be an object';
  for (const [name, model] of Object.entries(models)) {
    const issue = findModelIssue(model);
    if (issue !== undefined) return `the model "${name}": ${issue}`;
  }
  return undefined;
}

function findModelIssue(model: unknown): string | undefined {
  if (!isJsonObject(model)) return "it must be an object";
  const { context_tokens: contextTokens, price } = model;
  if (contextTokens !== undefined && !(Number.isInteger(contextTokens) && (contextTokens as number) > 0))
    return '"context_tokens" must be a positive whole number';
  if (price === undefined) return undefined;
  const isAmount = (value: unknown) => typeof value === "number" && value >= 0;
  const isPrice = isJsonObject(price) && isAmount(price["input"]) && isAmount(price["output"]);
  return isPrice && Object.values(price).every(isAmount)
    ? undefined
    : '"price" must have "input" and "output" in US dollars per million tokens';
}

function isHttpUrl(value: unknown): boolean {
  const url = typeof value === "string" ? parseUrl(value) : undefined;
  return (url?.protocol === "https:" || url?.protocol === "http:") && url.username === "" && url.hash === "";
}
