/**
 * Chooses the model: from the option, else from the environment, else from the config. Its URL comes from the option,
 * else from the config, else from the environment. Pure.
 */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { Price } from "../loop/usage.ts";
import { CONFIGURED_PROVIDER, PROVIDERS } from "./providers.ts";
import type { Provider } from "./providers.ts";

export interface ModelFacts {
  /** The size of the context window. */
  readonly contextTokens?: number;
  readonly price?: Price;
}

export interface ModelSettings extends ModelFacts {
  /** `provider/model`, such as `anthropic/claude-opus-4-5` or `ollama/qwen3`. */
  readonly model?: string;
  readonly baseUrl?: string;
}

/** The settings of the user's config. They must not come from a project. */
export interface ModelConfig {
  readonly model?: string;
  readonly providers?: { readonly [name: string]: ProviderSettings };
}

export interface ProviderSettings {
  readonly baseUrl?: string;
  /** Returns the API key. By default the key is read from the environment or a stored secret. */
  readonly apiKey?: () => Promise<string>;
  readonly models?: { readonly [model: string]: ModelFacts };
}

export interface ModelSources {
  /** Set on the command line or by the program. */
  readonly option?: ModelSettings;
  readonly config?: ModelConfig;
  readonly env: { readonly [name: string]: string | undefined };
}

export interface ChosenModel extends ModelFacts {
  /** `provider/model`, as it was set. */
  readonly id: string;
  readonly providerName: string;
  readonly provider: Provider;
  readonly model: string;
  readonly baseUrl: string;
  /** True if the URL is the provider's usual one, because nobody has set another. */
  readonly isUsualUrl: boolean;
  readonly apiKey?: () => Promise<string>;
}

/** Returns undefined if no model is set. Throws MODEL_INVALID. */
export function chooseModel({ option = {}, config = {}, env }: ModelSources): ChosenModel | undefined {
  // An empty variable is not set.
  const fromEnv = { model: env["PLUGBOARD_MODEL"] || undefined, baseUrl: env["PLUGBOARD_MODEL_URL"] || undefined };
  const id = option.model ?? fromEnv.model ?? config.model;
  if (id === undefined) return undefined;
  const { providerName, model } = parseModel(id);
  const configured = ownValue(config.providers, providerName);
  const provider = findProvider(providerName, configured, id);
  const variableUrl = provider.urlVariable === undefined ? undefined : env[provider.urlVariable] || undefined;
  const setUrl = urlFor(providerName, option) ?? configured?.baseUrl ?? urlFor(providerName, fromEnv) ?? variableUrl;
  const baseUrl = checkUrl(setUrl ?? provider.url, id);
  const facts = { ...ownValue(configured?.models, model), ...factsOf(option) };
  const apiKey = configured?.apiKey;
  const isUsualUrl = setUrl === undefined;
  return { ...facts, id, providerName, provider, model, baseUrl, isUsualUrl, ...(apiKey && { apiKey }) };
}

function parseModel(id: string): { providerName: string; model: string } {
  const slash = id.indexOf("/");
  const providerName = id.slice(0, Math.max(slash, 0));
  const model = id.slice(slash + 1);
  if (providerName === "" || model === "") throw invalid(id, "a model is set as provider/model");
  return { providerName, model };
}

/** A provider that only the config knows has an OpenAI-compatible API. */
function findProvider(name: string, configured: ProviderSettings | undefined, id: string): Provider {
  const provider = ownValue(PROVIDERS, name) ?? (configured && CONFIGURED_PROVIDER);
  if (provider) return provider;
  const names = Object.keys(PROVIDERS).join(", ");
  throw invalid(id, `there is no provider "${name}". Known: ${names}, and those in "model.providers" of your config`);
}

/**
 * A URL that is set with a model counts only for that model's provider. Another provider's key must not be sent there.
 */
function urlFor(
  providerName: string,
  { model, baseUrl }: { readonly model?: string | undefined; readonly baseUrl?: string | undefined },
): string | undefined {
  return model === undefined || model.startsWith(`${providerName}/`) ? baseUrl : undefined;
}

function checkUrl(baseUrl: string | undefined, id: string): string {
  if (baseUrl === undefined)
    throw invalid(id, 'its provider needs a base URL; set `PLUGBOARD_MODEL_URL`, or "base_url" in your config');
  const url = parseUrl(baseUrl);
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw invalid(id, `its base URL must begin with https:// or http://, and "${baseUrl}" does not`);
  return baseUrl.replace(/\/+$/, "");
}

function factsOf({ contextTokens, price }: ModelSettings): ModelFacts {
  return { ...(contextTokens !== undefined && { contextTokens }), ...(price && { price }) };
}

function ownValue<Value>(values: { readonly [name: string]: Value } | undefined, name: string): Value | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}

function invalid(model: string, reason: string): HostError {
  return new HostError("MODEL_INVALID", { model, reason });
}
