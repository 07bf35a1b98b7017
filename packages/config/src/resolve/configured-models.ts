/** Prepares the models of the config for a chat: keys are read only when a model is opened. */
import { HostError, isHostError } from "@plugboard/contracts";
import type { EntryValue, Env } from "@plugboard/contracts";
import { isSecretReference } from "../definition/secret-reference.ts";
import type { ConfiguredProvider, ModelSection } from "../read/read-model-section.ts";
import { expandEnvReferences } from "../lib/expand-env-references.ts";
import { fetchSecrets } from "./fetch-secrets.ts";
import type { SecretPorts } from "./fetch-secrets.ts";

export interface ConfiguredModels {
  /** As `provider/model`. */
  readonly model?: string;
  readonly providers: {
    readonly [name: string]: Pick<ConfiguredProvider, "baseUrl" | "models"> & {
      /** Throws MODEL_KEY_MISSING if the variable or the secret does not exist. */
      readonly apiKey?: () => Promise<string>;
    };
  };
}

/** Throws MODEL_URL_REFUSED if a project's file sets a provider. */
export function configuredModels(
  { model, providers, refused }: ModelSection,
  env: Env,
  ports: SecretPorts,
): ConfiguredModels {
  if (refused) throw new HostError("MODEL_URL_REFUSED", { file: refused.file });
  const resolved = [...providers].map(([name, { apiKey, baseUrl, folder, models }]) => [
    name,
    {
      models,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(apiKey !== undefined && { apiKey: () => resolveKey(apiKey, { id: name, folder }, env, ports) }),
    },
  ]);
  return {
    ...(model !== undefined && { model }),
    providers: Object.fromEntries(resolved) as ConfiguredModels["providers"],
  };
}

async function resolveKey(
  key: EntryValue,
  provider: { readonly id: string; readonly folder: string },
  env: Env,
  ports: SecretPorts,
): Promise<string> {
  try {
    if (!isSecretReference(key)) return expandEnvReferences(key, env, provider.id);
    return (await fetchSecrets([key], provider, env, ports)).get(key)!;
  } catch (thrown) {
    if (!isHostError(thrown) || thrown.code !== "SERVER_INVALID") throw thrown;
    const { reason, variable, missingSecret } = thrown.details;
    const missing = variable ?? missingSecret;
    const model = `${provider.id}/…`;
    if (missing !== undefined) throw new HostError("MODEL_KEY_MISSING", { model, variable: missing });
    throw new HostError("MODEL_INVALID", { model, reason: `its API key can't be read: ${reason}` });
  }
}
