/** Chooses the model from the option, the config and the environment, in this order. Pure. */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { ConfigSource } from "@plugboard/contracts";
import type { Price } from "../loop/usage.ts";
import { PROVIDERS } from "./providers.ts";
import type { Provider } from "./providers.ts";

export interface ModelSettings {
  /** `provider/model`, such as `anthropic/claude-opus-4-5` or `ollama/qwen3`. */
  readonly model?: string;
  readonly baseUrl?: string;
  /** The size of the context window. */
  readonly contextTokens?: number;
  readonly price?: Price;
}

/** The settings of a config layer. */
export interface ConfiguredModel extends ModelSettings {
  readonly source: ConfigSource;
}

export interface ModelSources {
  /** Set on the command line or by the program. */
  readonly option?: ModelSettings;
  /** The config layers, from lowest to highest precedence. */
  readonly config?: readonly ConfiguredModel[];
  readonly env: { readonly [name: string]: string | undefined };
}

export interface ChosenModel extends ModelSettings {
  /** As it was set. */
  readonly id: string;
  readonly providerName: string;
  readonly provider: Provider;
  readonly model: string;
  readonly baseUrl: string;
}

/** Returns undefined if no model is set. Throws if a setting is invalid or not allowed where it is. */
export function chooseModel({ option = {}, config = [], env }: ModelSources): ChosenModel | undefined {
  for (const layer of config) refuseProjectUrl(layer);
  const fromEnv = definedOnly({ model: env["PLUGBOARD_MODEL"], baseUrl: env["PLUGBOARD_MODEL_URL"] });
  const layers = [option, ...config.toReversed(), fromEnv];
  const chosen = layers.find(({ model }) => model !== undefined);
  if (chosen?.model === undefined) return undefined;
  const id = chosen.model;
  const { providerName, provider, model } = parseModel(id);
  // The URL of another provider's model would get this provider's key.
  const isSameProvider = (layer: ModelSettings) => layer.model === undefined || isModelOf(providerName, layer.model);
  const setUrl = layers.find((layer) => layer.baseUrl !== undefined && isSameProvider(layer))?.baseUrl;
  const variableUrl = provider.urlVariable === undefined ? undefined : env[provider.urlVariable] || undefined;
  const baseUrl = setUrl ?? variableUrl ?? provider.url;
  if (baseUrl === undefined) throw invalid(id, "its provider needs a base URL; set `PLUGBOARD_MODEL_URL`");
  const url = parseUrl(baseUrl);
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw invalid(id, `its base URL must begin with https:// or http://, and "${baseUrl}" does not`);
  return { ...chosen, id, providerName, provider, model, baseUrl: baseUrl.replace(/\/+$/, "") };
}

function parseModel(id: string): { providerName: string; provider: Provider; model: string } {
  const slash = id.indexOf("/");
  const providerName = id.slice(0, Math.max(slash, 0));
  const model = id.slice(slash + 1);
  if (providerName === "" || model === "") throw invalid(id, "a model is set as provider/model");
  const provider = Object.hasOwn(PROVIDERS, providerName) ? PROVIDERS[providerName] : undefined;
  if (!provider)
    throw invalid(id, `there is no provider "${providerName}". Known: ${Object.keys(PROVIDERS).join(", ")}`);
  return { providerName, provider, model };
}

/** The local file may have come with the project. */
function refuseProjectUrl({ source, baseUrl }: ConfiguredModel): void {
  if (baseUrl !== undefined && (source === "project" || source === "local"))
    throw new HostError("MODEL_URL_REFUSED", { url: baseUrl, source });
}

function isModelOf(providerName: string, id: string): boolean {
  return id.startsWith(`${providerName}/`);
}

/** Treats an empty variable as not set. */
function definedOnly({ model, baseUrl }: { model: string | undefined; baseUrl: string | undefined }): ModelSettings {
  return { ...(model && { model }), ...(baseUrl && { baseUrl }) };
}

function invalid(model: string, reason: string): HostError {
  return new HostError("MODEL_INVALID", { model, reason });
}
