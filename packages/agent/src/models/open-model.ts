/** Opens the chosen model. Its SDK is imported when the first request is sent. */
import { HostError } from "@plugboard/contracts";
import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Model } from "../loop/model.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { chooseModel } from "./choose-model.ts";
import type { ChosenModel, ModelSources } from "./choose-model.ts";
import { loadSdkModel } from "./load-sdk-model.ts";
import { sdkModel } from "./sdk-model.ts";
import { withRetries } from "./with-retries.ts";
import type { RetryOptions } from "./with-retries.ts";

export interface OpenModelOptions extends ModelSources, RetryOptions {
  /** Returns a stored secret, for a key that is not in the environment. */
  readonly secret?: (name: string) => Promise<string | undefined>;
  /** Returns the models of a model server on this machine, for the message that no model is set. */
  readonly findLocal?: () => Promise<readonly string[]>;
  /** By default the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Throws MODEL_NOT_SET, MODEL_INVALID or MODEL_KEY_MISSING. Sends no request to the model. */
export async function openModel(options: OpenModelOptions): Promise<Model> {
  const chosen = chooseModel(options);
  if (!chosen) throw new HostError("MODEL_NOT_SET", { found: (await options.findLocal?.()) ?? [] });
  const apiKey = await findKey(chosen, options);
  const { id, providerName, provider, model, baseUrl: baseURL, contextTokens, price } = chosen;
  const fetch = boundedFetch(options.fetch ?? globalThis.fetch, id);
  let loading: Promise<LanguageModelV3> | undefined;
  const load = () => (loading ??= loadSdkModel(provider, { provider: providerName, model, baseURL, apiKey, fetch }));
  const facts = { id, ...(contextTokens !== undefined && { contextTokens }), ...(price && { price }) };
  return withRetries(
    sdkModel({ ...facts, wire: provider.wire, load, apiKey, now: () => (options.clock ?? Date).now() }),
    options,
  );
}

async function findKey(chosen: ChosenModel, { env, secret }: OpenModelOptions): Promise<string | undefined> {
  const { id, provider, isUsualUrl, apiKey } = chosen;
  if (apiKey) return apiKey();
  const { keyVariable: variable, keyRequired, keyNeedsUrl } = provider;
  if (variable === undefined || (keyNeedsUrl && isUsualUrl)) return undefined;
  const key = env[variable] || (await secret?.(variable));
  if (!key && keyRequired) throw new HostError("MODEL_KEY_MISSING", { model: id, variable });
  return key || undefined;
}
